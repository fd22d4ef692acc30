import { describe, expect, test } from '@jest/globals';
import { seededRandom } from '../../apps/carrier-simulator/random.js';
import { drawReceipts, truthOf } from '../../apps/carrier-simulator/receipt-mix.js';
import { receipt } from '../../apps/carrier-simulator/treatment.js';
import { boundClient, simulator } from './harness.js';
import { COMMAND, messageIdOf } from './raw-client.js';

const LATE_MS = 7_000;

describe('the mix of receipts', () => {
  test('is the same for the same seed, and holds every kind', () => {
    const draws = (seed: number) => {
      const random = seededRandom(seed);
      return Array.from({ length: 3_000 }, () => drawReceipts(random, LATE_MS));
    };
    expect(draws(7)).toEqual(draws(7));
    const all = draws(8);
    const some = (is: (draw: (typeof all)[number]) => boolean) => all.some(is);
    const states = (draw: (typeof all)[number]) => draw.receipts?.map(({ state }) => state).join(' ') ?? '';
    expect(some((draw) => draw.isReceiptFirst === true)).toBe(true);
    expect(some((draw) => states(draw) === 'DELIVRD DELIVRD DELIVRD')).toBe(true);
    expect(some((draw) => /^DELIVRD (UNDELIV|EXPIRED|DELETED|REJECTD)$/.test(states(draw)))).toBe(true);
    expect(some((draw) => states(draw) === 'ENROUTE')).toBe(true);
    expect(some((draw) => states(draw) === '')).toBe(true);
    const receipts = all.flatMap((draw) => draw.receipts ?? []);
    expect(new Set(receipts.map(({ content }) => content))).toEqual(new Set(['receipt', 'garbage', 'unknown-id']));
    expect(receipts.some(({ extraDelayMs }) => extraDelayMs === LATE_MS)).toBe(true);
    expect(receipts.some(({ hasOddForm }) => hasOddForm)).toBe(true);
  });

  test.each([
    ['DELIVRD', 'delivered'],
    ['UNDELIV', 'undelivered'],
    ['REJECTD', 'undelivered'],
    ['ENROUTE', 'unsettled'],
    ['UNKNOWN', 'unsettled'],
  ] as const)('%s alone leaves a segment %s', (state, truth) => {
    expect(truthOf([receipt(state)])).toBe(truth);
  });

  test('delivered stays, whichever receipt comes first', () => {
    expect(truthOf([receipt('DELIVRD'), receipt('UNDELIV')])).toBe('delivered-contradicted');
    expect(truthOf([receipt('UNDELIV'), receipt('DELIVRD')])).toBe('delivered-contradicted');
  });

  test('what is unreadable or for a foreign id says nothing', () => {
    expect(truthOf([{ ...receipt('DELIVRD'), content: 'garbage' }])).toBe('unsettled');
    expect(truthOf([{ ...receipt('DELIVRD'), content: 'unknown-id' }])).toBe('unsettled');
    expect(truthOf([])).toBe('unsettled');
  });

  test('the record of a submit says what its receipts will leave it as, and a foreign receipt names another id', async () => {
    const running = await simulator({ receiptMix: true, lateReceiptMs: 1, receiptDelayMs: 0, seed: 5 });
    const raw = await boundClient(running);
    const ids: string[] = [];
    for (let count = 0; count < 120; count += 1) {
      ids.push(messageIdOf(await raw.submit({ userData: Buffer.from(`text ${count}`) })));
    }
    expect(running.records.submits.map(({ messageId }) => messageId)).toEqual(ids);
    const truths = new Set(running.records.submits.map(({ truth }) => truth));
    expect(truths).toEqual(new Set(['delivered', 'delivered-contradicted', 'undelivered', 'unsettled']));
    await running.records.until(
      ({ receipts }) => receipts.some(({ aboutId, messageId }) => aboutId !== messageId && !ids.includes(aboutId)),
      10_000,
    );
    expect(raw.received.some(({ command }) => command === COMMAND.deliver)).toBe(true);
  });
});
