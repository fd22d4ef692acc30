import { describe, expect, test } from '@jest/globals';
import { addRoute, backlogDepths, changeAccount, changeCarrier } from '#persistence';
import { eventually } from '../support/eventually.js';
import { openFundedAccount } from '../support/funded-account.js';
import { CHEAPEST_BACK_END, openQueue, QUEUE_BACK_ENDS } from '../support/queue.js';
import { numberOf, type TestService } from '../support/service.js';
import { sharedService } from '../support/shared-service.js';

/** Numbers of other accounts begin differently, so that the carrier's side tells whose message it is. */
const OTHERS = '4915';

/** One more account with money, and how it sends. */
async function another(running: TestService) {
  const name = `Other than ${running.accountId}`;
  const { apiKey } = await openFundedAccount(running.database, name);
  const post = async (path: string, body: unknown) => {
    const answer = await fetch(`${running.gatewayUrl}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-authorization': apiKey },
      body: JSON.stringify(body),
    });
    expect(answer.status).toBe(201);
  };
  const entry = (index: number) => ({ recipient: `${OTHERS}${1_000_000 + index}`, message: 'mine' });
  return {
    single: () => post('/v1/message/send', entry(0)),
    batch: (count: number) =>
      post('/v1/message/send-batch', { messages: Array.from({ length: count }, (_, index) => entry(index)) }),
  };
}

const destinations = (running: TestService) =>
  running.simulator.records.submits.filter(({ isTaken }) => isTaken).map(({ destination }) => destination.value);
const isOthers = (destination: string) => destination.startsWith(OTHERS);
const taken = (running: TestService, count: number) =>
  running.simulator.records.until(({ submits }) => submits.length >= count, 60_000);
const othersTaken = (running: TestService, count: number) =>
  running.simulator.records.until(
    ({ submits }) => submits.filter(({ destination }) => isOthers(destination.value)).length >= count,
    60_000,
  );

/** The most messages of the account that are at the carrier at one time, until none of them waits any more. */
async function peakInFlight(running: TestService): Promise<number> {
  let peak = 0;
  const look = async () => {
    const [row] = await running.database.query<{ own: number; left: number }>(
      `select count(*) filter (where state = 'sending')::integer as own,
              count(*) filter (where state in ('queued', 'sending'))::integer as left
         from message_order where account_id = $1`,
      [running.accountId],
    );
    peak = Math.max(peak, row?.own ?? 0);
    return row?.left === 0;
  };
  await eventually(look, { intervalMs: 20 });
  return peak;
}

describe.each(QUEUE_BACK_ENDS)('with a long backlog of one account and the queue on %s', (backEnd) => {
  const start = sharedService({ backEnd });

  test('what waits is not on the queue: a backlog is some rows, and its jobs a handful', async () => {
    const running = await start({ carrier: { submitsPerSecond: 5, windowSize: 2 } });
    await running.sendMany(1_000);
    await taken(running, 5);
    const { queues, close } = await openQueue({ ...running.settings });
    const { interactive, bulk, active } = await queues.depthOf('simulator');
    await close();
    expect(interactive + bulk + active).toBeLessThan(50);
    const [row] = await running.database.query<{ rows: number }>(
      'select count(*)::integer as rows from dispatch_backlog',
    );
    expect(row?.rows).toBeLessThan(20);
    expect((await backlogDepths(running.database))[0]?.messages).toBeGreaterThan(800);
  });

  test('a single message of another account is among the next that the carrier gets', async () => {
    const running = await start({ carrier: { submitsPerSecond: 50, windowSize: 5 } });
    const other = await another(running);
    await running.sendMany(600);
    await taken(running, 30);
    await other.single();
    const accepted = running.simulator.records.submits.length;
    await othersTaken(running, 1);
    // The carrier goes on while the message is on its way; it is far from the last of the six hundred.
    expect(destinations(running).findIndex(isOthers) - accepted).toBeLessThan(250);
  });

  test('a single message does not wait for a batch that fills the places of a carrier that has become slow', async () => {
    const running = await start({ carrier: { windowSize: 50 } });
    const other = await another(running);
    for (let n = 0; n < 2; n += 1) await running.sendMany(1_000);
    await taken(running, 500);
    // What is on the queue was cut for a fast carrier: some minutes of work now.
    await changeCarrier(running.database, 'simulator', { submitsPerSecond: 10 });
    await eventually(async () => {
      const before = running.simulator.records.submits.length;
      await new Promise((wake) => setTimeout(wake, 500));
      expect(running.simulator.records.submits.length - before).toBeLessThan(30);
    });
    await other.single();
    const accepted = running.simulator.records.submits.length;
    await othersTaken(running, 1);
    expect(destinations(running).findIndex(isOthers) - accepted).toBeLessThan(60);
  });

  test('an account that pours single messages keeps nobody waiting, and all of them are delivered', async () => {
    const running = await start({ carrier: { windowSize: 2 }, simulator: { latencyMs: 30, receiptDelayMs: 5 } });
    const other = await another(running);
    const singles = Array.from({ length: 300 }, (_, index) => index);
    for (let from = 0; from < singles.length; from += 50) {
      await Promise.all(singles.slice(from, from + 50).map((index) => running.send(numberOf(index), `${index}`)));
    }
    const before = running.simulator.records.submits.length;
    await other.single();
    await othersTaken(running, 1);
    expect(destinations(running).findIndex(isOthers) - before).toBeLessThan(150);
    await running.untilStatuses({ delivered: 300 }, 90_000);
    expect([...running.takenByNumber.values()].every((count) => count === 1)).toBe(true);
  });
});

// The database decides who has the next turn, and how much an account may have at a carrier.
describe('with a long backlog of one account', () => {
  const start = sharedService({ backEnd: CHEAPEST_BACK_END });

  test('a batch of another account gets half of the carrier, not what the backlog leaves', async () => {
    const running = await start({ carrier: { submitsPerSecond: 60, windowSize: 5 } });
    const other = await another(running);
    await running.sendMany(500);
    await taken(running, 40);
    await other.batch(120);
    await othersTaken(running, 120);
    const all = destinations(running);
    const during = all.slice(all.findIndex(isOthers), all.findLastIndex(isOthers) + 1);
    expect(120 / during.length).toBeGreaterThan(0.35);
  });

  test('an account has no more messages at the carrier than its cap, and the carrier has room for others', async () => {
    const simulator = { latencyMs: 100, receiptDelayMs: 5 };
    const running = await start({ carrier: { windowSize: 20 }, simulator });
    const other = await another(running);
    await changeAccount(running.database, running.accountId, { maxInFlight: 3 });
    // What the workers take before they hear of it goes as it went before.
    await eventually(async () => {
      await running.sendMany(10);
      expect(await peakInFlight(running)).toBeLessThanOrEqual(3);
    });
    const before = destinations(running).length;
    await running.sendMany(30);
    await other.batch(30);
    expect(await peakInFlight(running)).toBeLessThanOrEqual(3);
    await othersTaken(running, 30);
    // The other one had the rest of the window for itself, and was through long before.
    const all = destinations(running).slice(before);
    expect(all.findLastIndex(isOthers)).toBeLessThan(all.length - 5);
  });

  test('with routes, a backlog for a slow carrier keeps no other account waiting there', async () => {
    const running = await start({ carrier: { submitsPerSecond: 40, windowSize: 5 }, workers: 0 });
    await addRoute(running.database, { prefix: '', carrier: 'simulator', rank: 1, weight: 1, cost: undefined }, true);
    const other = await another(running);
    await running.startWorker();
    await running.sendMany(700);
    await taken(running, 30);
    await other.single();
    await other.batch(50);
    await othersTaken(running, 51);
    const all = destinations(running);
    expect(all.filter((destination) => !isOthers(destination)).length).toBeLessThan(500);
  });
});
