import { connect, type Socket } from 'node:net';
import { createServer, type Server } from 'node:tls';
import { afterEach, describe, expect, test } from '@jest/globals';
import { planSegments } from '#billing';
import { CARRIER_OPTIONS, SmppCarrier, type SmppCarrierSettings } from '#carrier';
import { loadConfig } from '#config';
import { changeCarrier } from '#persistence';
import { eventually } from '../support/eventually.js';
import { LogLines } from '../support/log-lines.js';
import { CHEAPEST_BACK_END } from '../support/queue.js';
import { numberOf, type TestService, UNIT_PRICE } from '../support/service.js';
import { servicePerTest } from '../support/service-per-test.js';
import { sharedService } from '../support/shared-service.js';
import { BASE_OPTIONS, SMPP_OPTION_SAMPLES } from '../support/smpp-option-samples.js';
import { TEST_CERTIFICATE_PEM, TEST_KEY_PEM } from '../support/tls-identity.js';
import { expectAsClaimed, readClaims } from './as-claimed.js';

/** Seven segments of standard text, with characters that the alphabets write differently. */
const LONG = 'Seven parts @ £5 and $6. '.repeat(40);
const EXTENDED = 'Drei Teile für 5 € 🙂 '.repeat(8);
/** Messages of the load that may wait for the carrier. */
const UNSENT_MAX = 20;
const silent = { info: () => undefined, warn: () => undefined, error: () => undefined };

let tlsSide: Server | undefined;
const sockets: Socket[] = [];
afterEach(() => {
  tlsSide?.close();
  tlsSide = undefined;
  for (const socket of sockets.splice(0)) socket.destroy();
});

/** The simulator behind TLS; its port. */
async function behindTls(service: TestService): Promise<number> {
  const server = createServer({ cert: TEST_CERTIFICATE_PEM, key: TEST_KEY_PEM }, (client) => {
    const carrier = connect(service.simulator.port, service.simulator.host);
    sockets.push(client, carrier);
    client.on('error', () => carrier.destroy()).on('close', () => carrier.destroy());
    carrier.on('error', () => client.destroy());
    client.pipe(carrier).pipe(client);
  });
  tlsSide = server;
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('not listening');
  return address.port;
}

function set(service: TestService, change: Parameters<typeof changeCarrier>[2]): Promise<unknown> {
  return changeCarrier(service.database, 'simulator', change);
}

/** Waits until all workers have connected anew. */
async function connectedAnew(service: TestService, change: () => Promise<unknown>): Promise<void> {
  const binds = () => service.simulator.records.events.filter(({ kind }) => kind === 'bind').length;
  const before = binds();
  await change();
  await eventually(() => binds() >= before + service.runningWorkers.length);
}

function submitsTo(service: TestService, recipient: string) {
  return service.simulator.records.submits.filter(({ destination }) => destination.value === recipient);
}

describe('while the connection of a carrier waits for answers, because its settings changed', () => {
  const lines = new LogLines('spec');
  const start = servicePerTest({
    backEnd: CHEAPEST_BACK_END,
    settings: { SUBMIT_TIMEOUT_MS: '60000' },
    simulator: { latencyMs: 60_000 },
    log: lines.logger,
  });

  test('a worker that is closed gives up on them after half of its grace, as on any others', async () => {
    const service = await start();
    await service.send(numberOf(1), 'never answered');
    await service.simulator.records.until(({ submits }) => submits.length === 1);
    await set(service, { password: 'other' });
    await eventually(() => lines.saying('connecting a carrier anew, because its settings changed').length === 1);
    for (const worker of service.runningWorkers) await service.stopWorker(worker);
    expect(await service.database.query('select state, carrier_code from segment')).toEqual([
      { state: 'in_doubt', carrier_code: 'BIND_LOST' },
    ]);
    expect(await service.database.query("select from process_heartbeat where role = 'worker'")).toEqual([]);
  });
});

describe('while workers run', () => {
  const start = sharedService({ backEnd: CHEAPEST_BACK_END });

  test('a carrier that gets messages whole from now on gets each once, and in parts again after that', async () => {
    const service = await start();
    const send = async (index: number) => {
      const id = await service.send(numberOf(index), LONG);
      await eventually(async () => (await service.messages()).get(id)?.status === 'delivered');
      return submitsTo(service, numberOf(index));
    };
    expect(await send(1)).toHaveLength(7);
    await connectedAnew(service, () => set(service, { options: { concatenation: 'payload' } }));
    expect(await send(2)).toMatchObject([{ isPayload: true, text: LONG, concatenation: undefined }]);
    await connectedAnew(service, () => set(service, { options: {} }));
    const parts = await send(3);
    expect(parts.map(({ concatenation }) => concatenation?.part).sort()).toEqual([1, 2, 3, 4, 5, 6, 7]);
    expectAsClaimed(await readClaims(service), service.simulator.records.submits);
  });

  test('every option of a carrier may change, under load and with workers that are replaced: each message goes out as it was claimed and billed', async () => {
    const service = await start({
      carrier: 'none',
      workers: 2,
      simulator: { latencyMs: 3, latencySpreadMs: 10, receiptDelayMs: 1 },
    });
    await service.addCarrier({
      port: await behindTls(service),
      tls: true,
      windowSize: 8,
      options: { ...BASE_OPTIONS },
    });
    const isLoaded = { until: false };
    let sent = 0;
    const load = (async () => {
      while (!isLoaded.until) {
        await service.sendBatch(
          ['short @ £', LONG, EXTENDED, 'kurz für €'].map((message) => ({ recipient: numberOf(sent++), message })),
        );
        // Something is under way all the time, and never so much that a change waits long behind it.
        const earlier = numberOf(Math.max(0, sent - UNSENT_MAX));
        const isThere = () => submitsTo(service, earlier).length > 0;
        await service.simulator.records.until(isThere);
      }
    })();

    const samples = CARRIER_OPTIONS.smpp.flatMap(({ name }) => {
      const known = SMPP_OPTION_SAMPLES[name];
      if (known === undefined) throw new Error(`the option ${name} has no sample`);
      return known;
    });
    let change = 0;
    for (const sample of [...samples, {}]) {
      const { defaultAlphabet = 'gsm0338', ...options } = { ...BASE_OPTIONS, ...sample };
      await set(service, { defaultAlphabet, options });
      change += 1;
      if (change % 6 === 0) {
        const [oldest] = service.runningWorkers;
        if (oldest !== undefined) await service.stopWorker(oldest);
        await service.startWorker();
      }
      await untilClaimedWith(service, { defaultAlphabet, ...options });
    }
    isLoaded.until = true;
    await load;

    await eventually(
      async () => {
        const open = await service.database.query(
          "select from message_order where state in ('queued', 'sending') limit 1",
        );
        return open.length === 0;
      },
      { intervalMs: 200 },
    );
    const claims = await readClaims(service);
    expect(claims.length).toBeGreaterThanOrEqual(sent);
    expectAsClaimed(claims, service.simulator.records.submits);
    expect(new Set(claims.map(({ format }) => format.concatenation)).size).toBe(4);
    const billed = claims.reduce((sum, { segments }) => sum + BigInt(segments) * UNIT_PRICE, 0n);
    expect(await service.figures()).toEqual({ reserved: 0n, captured: billed });
  });

  test.each([
    ['payload', { concatenation: 'payload' }],
    ['sar', { concatenation: 'sar' }],
    ['another sender', { sender: 'Otherwise' }],
  ] as const)(
    'a message half of which is out when the carrier changes to %s goes on as it was begun',
    async (_to, options) => {
      const service = await start({
        carrier: { submitsPerSecond: 2 },
        settings: { SHUTDOWN_GRACE_MS: '100', CLAIM_LEASE_SECONDS: '30' },
      });
      const id = await service.send(numberOf(1), LONG);
      await eventually(() => submitsTo(service, numberOf(1)).length >= 2);
      await connectedAnew(service, () => set(service, { options, submitsPerSecond: 100 }));
      expect(submitsTo(service, numberOf(1)).length).toBeLessThan(7);
      await eventually(async () => (await service.messages()).get(id)?.status === 'delivered');
      expect(submitsTo(service, numberOf(1))).toHaveLength(7);
      expectAsClaimed(await readClaims(service), service.simulator.records.submits);
    },
  );
});

/** Waits until messages are claimed in the format of these settings. */
async function untilClaimedWith(service: TestService, options: Partial<SmppCarrierSettings>): Promise<void> {
  const { text } = new SmppCarrier(
    {
      name: 'wanted',
      host: '127.0.0.1',
      port: 1,
      systemId: 'spec',
      password: 'secret',
      tls: true,
      sender: loadConfig(service.settings).SENDER,
      ...options,
    },
    { log: silent, onReceipt: async () => undefined, onInbound: async () => undefined },
  ).wireFormat;
  const [before] = await service.database.query<{ at: Date }>('select clock_timestamp() as at');
  await eventually(async () => {
    const rows = await service.database.query(
      `select from message_order o join wire_format w using (wire_format_id)
          where w.format = $1 and o.sent_at > $2 and o.segments > 1 limit 1`,
      [text, before?.at],
    );
    return rows.length > 0;
  });
}

test('texts of the load have as many segments as it takes to see a wrong cut', () => {
  expect(planSegments(LONG).segments).toHaveLength(7);
  expect(planSegments(EXTENDED).segments.length).toBeGreaterThan(2);
});
