import { describe, expect, test } from '@jest/globals';
import { callbackSignature } from '#carrier';
import { type CarrierSettings, segmentReference } from '#persistence';
import { eventually } from '../support/eventually.js';
import { CHEAPEST_BACK_END } from '../support/queue.js';
import { numberOf, type TestService, type TestServiceOptions, UNIT_PRICE } from '../support/service.js';
import { sharedService } from '../support/shared-service.js';

/** What is sent there the provider neither takes nor answers, the first time. */
const LOST = '46799900013';

/** To be called where hooks are registered: how each test gets a service whose carrier is an HTTP one. */
function withHttpCarrier() {
  const startService = sharedService({ backEnd: CHEAPEST_BACK_END, carrier: 'none' });
  return async (
    options: Pick<TestServiceOptions, 'settings' | 'simulator'> = {},
    carrier: Partial<CarrierSettings> = {},
  ): Promise<TestService> => {
    const simulator = { httpPort: 0, receiptRetryMs: 200, receiptTriesMax: 50, ...options.simulator };
    const service = await startService({ ...options, simulator });
    await service.addHttpCarrier({ name: 'acme', ...carrier });
    return service;
  };
}

describe('an HTTP carrier', () => {
  const start = withHttpCarrier();

  test('messages are accepted, sent whole, and delivered by callback; every segment is charged', async () => {
    const running = await start();
    await running.sendMany(30);
    const long = 'Eight words of a message that is long. '.repeat(10).trim();
    await running.send('46701234567', long);
    await running.untilStatuses({ delivered: 31 });
    const texts = running.simulator.records.submits.map(({ text }) => text);
    expect(texts).toHaveLength(31);
    expect(texts).toContain(long);
    expect(await running.figures()).toEqual({ reserved: 0n, captured: 33n * UNIT_PRICE });
  });

  test('a provider that goes away loses no message, and what it took is not sent twice', async () => {
    const running = await start({ simulator: { latencyMs: 20 } });
    await running.sendMany(60);
    await running.simulator.records.until(({ submits }) => submits.length >= 20);
    running.simulator.disconnectAll();
    await running.untilStatuses({ delivered: 60 });
    await running.simulator.close();
    const ids = await running.sendBatch(
      Array.from({ length: 20 }, (_, index) => ({ recipient: numberOf(1_000 + index), message: 'Later' })),
    );
    await running.restartSimulator();
    await running.untilEnded(new Map(ids.map((id) => [id, 'delivered'])), 60_000);
    expect([...running.takenByNumber.values()]).toEqual(Array(20).fill(1));
    expect(await running.figures()).toEqual({ reserved: 0n, captured: 80n * UNIT_PRICE });
  });

  test('every fate of a message becomes the one that the client is told, and is charged accordingly', async () => {
    // A receipt that can be told by its reference only is believed after some seconds; the doubt has to last as long.
    const settings = { IN_DOUBT_WAIT_SECONDS: '60' };
    const running = await start({ settings }, { options: { requestTimeoutMs: 1_500 } });
    const wanted = new Map<string, string>();
    const fates: readonly (readonly [string, string])[] = [
      ['46799900001', 'failed'], // refused: 21211
      ['46799900002', 'delivered'], // 503 with Retry-After once
      ['46799900003', 'delivered'], // 429 three times
      ['46799900012', 'delivered'], // taken, never answered: resolved by the callback
      [LOST, 'delivered'], // never answered: sent again when the doubt has lasted long enough
      ['46799900015', 'delivered'], // taken, dropped before the answer: resolved by the callback
      ['46799900017', 'delivered'], // taken without an id: resolved by the callback
      ['46799900020', 'undelivered'],
      ['46799900022', 'undelivered'],
      ['46799900031', 'delivered'], // told three times
      ['46799900032', 'delivered'], // told before the answer
      ['46799900038', 'delivered'], // told the opposite later
    ];
    for (const [recipient, status] of fates) wanted.set(await running.send(recipient, 'Hello'), status);
    const tooLong = await running.send('46701234567', 'x'.repeat(1_601));
    wanted.set(tooLong, 'failed');
    const lost = [...wanted.keys()][fates.findIndex(([recipient]) => recipient === LOST)] ?? '';
    await running.untilEnded(new Map([...wanted].filter(([id]) => id !== lost)), 90_000);
    await running.database.query(
      "update segment set in_doubt_since = in_doubt_since - interval '1 minute' where message_id = $1",
      [lost],
    );
    await running.database.query('update message_order set due_at = now() where id = $1', [lost]);
    await running.untilEnded(wanted, 90_000);
    // What was in doubt and taken was not sent a second time: its callback was there first.
    for (const number of ['46799900012', '46799900015', '46799900017', '46799900032']) {
      expect([number, running.takenByNumber.get(number)]).toEqual([number, 1]);
    }
    expect(await running.figures()).toEqual({ reserved: 0n, captured: BigInt(fates.length - 1) * UNIT_PRICE });
  });

  test('whatever goes wrong by chance, every message ends, and is charged once or not at all', async () => {
    const running = await start(
      {
        settings: { IN_DOUBT_WAIT_SECONDS: '5' },
        simulator: {
          seed: 11,
          refuseRate: 0.05,
          throttleRate: 0.05,
          noResponseRate: 0.03,
          disconnectRate: 0.1,
          failRate: 0.1,
        },
      },
      { options: { requestTimeoutMs: 1_000 } },
    );
    const ids = await running.sendMany(150);
    const ends = ['delivered', 'undelivered', 'failed'];
    await eventually(
      async () => {
        const open = Object.entries(await running.statuses()).filter(([status]) => !ends.includes(status));
        if (open.length > 0) throw new Error(`still open: ${JSON.stringify(open)}`);
      },
      { timeoutMs: 90_000, intervalMs: 250 },
    );
    const { failed = 0, delivered = 0 } = await running.statuses();
    expect(delivered).toBeGreaterThan(100);
    expect(await running.figures()).toEqual({ reserved: 0n, captured: BigInt(150 - failed) * UNIT_PRICE });
    const taken = new Set(running.simulator.records.submits.filter(({ isTaken }) => isTaken).map((one) => one.text));
    const listed = await running.messages();
    // sendMany numbers its texts.
    const untrue = ids.filter((id, index) => listed.get(id)?.status === 'delivered' && !taken.has(`Message ${index}`));
    expect(untrue).toEqual([]);
  });

  test('a wrong token fails no message: they wait until it is right', async () => {
    const running = await start();
    running.simulator.refuseBinds(true);
    await running.sendMany(5);
    await eventually(async () => (await stateOf(running)) === 'down');
    expect(await running.statuses()).toEqual({ queued: 5 });
    running.simulator.refuseBinds(false);
    // The operator sets the carrier up anew; a carrier that refuses the account is otherwise left alone for half a
    // minute.
    await running.database.query("update carrier set window_size = 9 where name = 'acme' and removed_at is null");
    await running.untilStatuses({ delivered: 5 });
  });

  test('without a callbackUrl messages are sent, and what became of them stays open', async () => {
    const running = await start({}, { options: { callbackUrl: undefined } });
    await running.sendMany(3);
    await running.untilStatuses({ sent: 3 });
    expect(running.simulator.records.receipts).toEqual([]);
  });

  test('a callback that the provider did not sign changes nothing', async () => {
    const running = await start({ simulator: { receipts: 'off' } });
    const id = await running.send('46701234567', 'Hello');
    await running.untilEnded(new Map([[id, 'sent']]));
    const sid = running.simulator.records.submits[0]?.messageId ?? '';
    const url = `${running.gatewayUrl}/carriers/acme/status?ref=1`;
    const form = new URLSearchParams({ MessageSid: sid, MessageStatus: 'delivered', To: '+46701234567' });
    const call = (signature: string) =>
      fetch(url, { method: 'POST', body: form, headers: { 'x-twilio-signature': signature } });
    expect((await call(callbackSignature(url, form, 'guess'))).status).toBe(403);
    expect(await running.statuses()).toEqual({ sent: 1 });
    expect((await call(callbackSignature(url, form, 'token'))).status).toBe(204);
    await running.untilStatuses({ delivered: 1 });
  });

  test('what the provider has by its own word is not sent again, though the answer never came', async () => {
    const running = await start(
      { settings: { IN_DOUBT_WAIT_SECONDS: '5' }, simulator: { receipts: 'off' } },
      { options: { requestTimeoutMs: 1_000 } },
    );
    const id = await running.send('46799900012', 'Hello'); // taken, never answered
    await eventually(async () => {
      expect(await running.database.query("select from segment where state = 'in_doubt'")).toHaveLength(1);
    });
    const url = `${running.gatewayUrl}/carriers/acme/status?ref=${segmentReference(id, 1)}`;
    const call = async (MessageStatus: string) => {
      const MessageSid = running.simulator.records.submits[0]?.messageId ?? '';
      const form = new URLSearchParams({ MessageSid, MessageStatus, To: '+46799900012' });
      const headers = { 'x-twilio-signature': callbackSignature(url, form, 'token') };
      expect((await fetch(url, { method: 'POST', body: form, headers })).status).toBe(204);
    };
    await call('sent');
    await running.untilEnded(new Map([[id, 'sent']]));
    await call('delivered');
    await running.untilEnded(new Map([[id, 'delivered']]));
    expect(running.takenByNumber.get('46799900012')).toBe(1);
    expect(await running.figures()).toEqual({ reserved: 0n, captured: UNIT_PRICE });
  });

  async function stateOf({ database }: TestService): Promise<string | undefined> {
    const [row] = await database.query<{ details: { carriers: { state: string }[] } }>(
      "select details from process_heartbeat where role = 'worker'",
    );
    return row?.details.carriers[0]?.state;
  }
});
