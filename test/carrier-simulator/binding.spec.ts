import { describe, expect, test } from '@jest/globals';
import { boundClient, client, simulator } from './harness.js';
import { bindBody, COMMAND, pdu, RESPONSE, submitBody } from './raw-client.js';

describe('a connection to the simulator', () => {
  test.each([
    ['transmitter', COMMAND.bindTransmitter],
    ['receiver', COMMAND.bindReceiver],
    ['transceiver', COMMAND.bindTransceiver],
  ])('binds as %s', async (mode, command) => {
    const running = await simulator();
    const raw = await client(running);
    const answer = await raw.bind(command, 'acme');
    expect(answer).toMatchObject({ command: command + RESPONSE, status: 0 });
    expect(answer.body.toString('latin1')).toBe('HELIOSIM\0\u0002\u0010\0\u00014');
    expect(running.binds).toEqual([{ id: 1, systemId: 'acme', mode }]);
  });

  test('refuses a wrong system_id with ESME_RINVSYSID and a wrong password with ESME_RINVPASWD, then closes', async () => {
    const running = await simulator({ systemId: 'acme', password: 'right' });
    for (const [systemId, password, status] of [
      ['other', 'right', 0x0f],
      ['acme', 'wrong', 0x0e],
    ] as const) {
      const raw = await client(running);
      expect(await raw.bind(COMMAND.bindTransceiver, systemId, password)).toMatchObject({ status });
      await raw.until(() => raw.isClosed);
    }
    const raw = await client(running);
    expect(await raw.bind(COMMAND.bindTransceiver, 'acme', 'right')).toMatchObject({ status: 0 });
  });

  test('is refused with ESME_RBINDFAIL while binds are refused', async () => {
    const running = await simulator();
    running.refuseBinds(true);
    const refused = await client(running);
    expect(await refused.bind()).toMatchObject({ status: 0x0d });
    running.refuseBinds(false);
    expect(await (await client(running)).bind()).toMatchObject({ status: 0 });
  });

  test('refuses system ids and passwords longer than SMPP allows', async () => {
    const running = await simulator();
    const long = await client(running);
    expect(await long.bind(COMMAND.bindTransceiver, 'x'.repeat(16))).toMatchObject({ status: 0x0f });
    const password = await client(running);
    expect(await password.bind(COMMAND.bindTransceiver, 'x', '123456789')).toMatchObject({ status: 0x0e });
  });

  test('stays bound when it binds again, which is answered ESME_RALYBND', async () => {
    const raw = await boundClient(await simulator());
    expect(await raw.bind()).toMatchObject({ status: 0x05 });
    expect(await raw.submit()).toMatchObject({ status: 0 });
  });

  test('may not submit before it is bound, nor as receiver', async () => {
    const running = await simulator();
    expect(await (await client(running)).submit()).toMatchObject({ command: COMMAND.submit + RESPONSE, status: 0x04 });
    const receiver = await boundClient(running, COMMAND.bindReceiver);
    expect(await receiver.submit()).toMatchObject({ status: 0x04 });
    expect(running.records.submits).toEqual([]);
  });

  test('gets enquire_link_resp for enquire_link, unbind_resp for unbind, generic_nack for an unknown command', async () => {
    const raw = await boundClient(await simulator());
    expect(await raw.request(COMMAND.enquireLink)).toMatchObject({
      command: COMMAND.enquireLink + RESPONSE,
      status: 0,
    });
    expect(await raw.request(0x77)).toMatchObject({ command: COMMAND.nack, status: 0x03 });
    expect(await raw.request(COMMAND.unbind)).toMatchObject({ command: COMMAND.unbind + RESPONSE, status: 0 });
    await raw.until(() => raw.isClosed);
  });

  test('may deliver its PDUs octet by octet, or many in one packet', async () => {
    const running = await simulator();
    const raw = await client(running);
    for (const octet of pdu(COMMAND.bindTransceiver, 1, bindBody('a', 'b'))) raw.write(Buffer.from([octet]));
    expect(await raw.response(1)).toMatchObject({ status: 0 });
    raw.write(Buffer.concat(Array.from({ length: 500 }, (_, index) => pdu(COMMAND.submit, 100 + index, submitBody()))));
    await raw.response(599);
    expect(running.records.submits.map(({ sequence }) => sequence)).toEqual(
      Array.from({ length: 500 }, (_, index) => 100 + index),
    );
  });

  test('is unbound by a simulator that closes, and a client that does not answer cannot hold it up', async () => {
    const running = await simulator();
    const raw = await boundClient(running);
    await running.close();
    expect(raw.received.some(({ command }) => command === COMMAND.unbind)).toBe(true);
    await raw.until(() => raw.isClosed);
  });

  test('is dropped by disconnectAll, and may come back', async () => {
    const running = await simulator();
    const raw = await boundClient(running);
    running.disconnectAll();
    await raw.until(() => raw.isClosed);
    expect(await (await boundClient(running)).submit()).toMatchObject({ status: 0 });
  });

  test('a taken port is an error, not a second listener', async () => {
    const running = await simulator();
    await expect(simulator({ port: running.port })).rejects.toMatchObject({ code: 'EADDRINUSE' });
  });
});
