import { createRequire } from 'node:module';
import { afterEach, describe, expect, test } from '@jest/globals';
import { TestCarrier } from '../support/test-carrier.js';
import { until } from '../support/until.js';

/** The parts used here of the npm package smpp, which was written by others and brings no types. */
interface ForeignPdu {
  readonly command: string;
  readonly system_id: string;
  readonly password: string;
  readonly destination_addr: string;
  readonly short_message: { readonly message: string; readonly udh?: ReadonlyArray<Buffer> };
  readonly data_coding: number;
  readonly registered_delivery: number;
  readonly user_message_reference: number;
  response(fields?: object): object;
}
interface ForeignSession {
  on(event: string, listener: (pdu: ForeignPdu) => void): void;
  send(pdu: object): void;
  deliver_sm(fields: object, answered: (response: { readonly command_status: number }) => void): void;
  destroy(): void;
}
interface ForeignLibrary {
  createServer(onSession: (session: ForeignSession) => void): {
    listen(port: number, host: string, ready: () => void): void;
    address(): { port: number };
    close(): void;
  };
}
const smpp: ForeignLibrary = createRequire(import.meta.url)('smpp');

const closers: Array<() => Promise<void> | void> = [];
afterEach(async () => {
  for (const close of closers.splice(0)) await close();
});

describe('an SMPP server that others wrote', () => {
  test('understands our bind, our submits, our long messages and our acknowledgements', async () => {
    const submits: ForeignPdu[] = [];
    const binds: ForeignPdu[] = [];
    let foreign: ForeignSession | undefined;
    const server = smpp.createServer((session) => {
      foreign = session;
      session.on('bind_transceiver', (pdu) => {
        binds.push(pdu);
        session.send(pdu.response());
      });
      session.on('submit_sm', (pdu) => {
        submits.push(pdu);
        session.send(pdu.response({ message_id: `F00${submits.length}` }));
      });
      session.on('unbind', (pdu) => session.send(pdu.response()));
      session.on('error', () => undefined);
    });
    await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready));
    closers.push(() => {
      foreign?.destroy();
      server.close();
    });
    const subject = await TestCarrier.bound(server.address());
    closers.unshift(() => subject.carrier.close(1_000));
    expect(binds).toMatchObject([{ system_id: 'esme', password: 'secret-pw' }]);

    expect(await subject.submit({ text: 'Hi @ $1 for £2', userMessageReference: 4242 })).toEqual({
      kind: 'accepted',
      carrierMessageId: 'f001',
    });
    expect(await subject.submit({ text: 'grüße 😀', encoding: 'extended' })).toMatchObject({ kind: 'accepted' });
    const part = { reference: 9, number: 1, total: 2 };
    expect(await subject.submit({ text: 'first part', part })).toMatchObject({ kind: 'accepted' });
    expect(submits).toMatchObject([
      {
        short_message: { message: 'Hi @ $1 for £2' },
        data_coding: 0,
        registered_delivery: 1,
        user_message_reference: 4242,
      },
      { short_message: { message: 'grüße 😀' }, data_coding: 8, destination_addr: '46700100200' },
      { short_message: { message: 'first part', udh: [Buffer.from([0, 3, 9, 2, 1])] } },
    ]);

    const statuses: number[] = [];
    const receipt = 'id:F001 sub:001 dlvrd:001 submit date:2401011200 done date:2401011200 stat:DELIVRD err:000 text:';
    foreign?.deliver_sm({ source_addr: '46700100200', esm_class: 4, short_message: receipt }, ({ command_status }) => {
      statuses.push(command_status);
    });
    await until('the receipt is acknowledged', () => statuses.length === 1);
    expect(statuses).toEqual([0]);
    expect(subject.receipts).toMatchObject([
      { carrierMessageId: 'f001', state: 'delivered', destination: '46700100200' },
    ]);
  });
});
