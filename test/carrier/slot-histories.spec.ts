import { afterEach, expect, jest, test } from '@jest/globals';
import fc from 'fast-check';
import { SubmitRate } from '../../libs/carrier/pace/submit-rate.js';
import { SubmitSlots } from '../../libs/carrier/pace/submit-slots.js';
import { FUZZ_TIMEOUT_MS, fuzz } from '../support/fuzz.js';
import { DEEDS, FORMAT, SlotHistory, type Step } from './slot-history.js';

/**
 * The slots of a carrier in any history of its bind, by a virtual clock: who takes, submits, waits, gives back, is
 * answered or not.
 */
afterEach(() => {
  jest.useRealTimers();
});

const WEIGHTS = { take: 6, submit: 10, release: 2, another: 4, answer: 8, record: 8, wait: 6, bound: 2 } as const;

const step: fc.Arbitrary<Step> = fc
  .oneof(
    ...DEEDS.map((deed) => ({ weight: { 'bind lost': 1, close: 0, ...WEIGHTS }[deed], arbitrary: fc.constant(deed) })),
  )
  .chain((deed) => fc.record({ do: fc.constant(deed), which: fc.nat(40) }));
const histories = fc
  .tuple(fc.array(step, { minLength: 5, maxLength: 80 }), fc.boolean(), fc.array(step, { maxLength: 10 }))
  .map(([steps, closes, after]): Step[] => (closes ? [...steps, { do: 'close', which: 0 }, ...after] : steps));

test(
  'the window and the pace hold, nobody is forgotten, and nothing leaves after the close, in whatever order things happen',
  async () => {
    await fc.assert(
      fc.asyncProperty(
        histories,
        fc.integer({ min: 1, max: 8 }),
        fc.constantFrom(0.5, 2, 10, 100, 10_000),
        async (steps, windowSize, perSecond) => {
          jest.useFakeTimers();
          const history = new SlotHistory(windowSize, perSecond);
          for (const wanted of steps) {
            await history.step(wanted);
            history.check();
            await history.checkNobodyIsForgotten();
          }
          await history.end();
          jest.useRealTimers();
        },
      ),
      fuzz(100),
    );
  },
  FUZZ_TIMEOUT_MS,
);

test('a wait for the pace ends as soon as the pace is raised, however long it would have been', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.double({ min: 0.01, max: 1, noNaN: true }),
      fc.integer({ min: 2, max: 500 }),
      fc.nat(900),
      async (slow, fast, afterMs) => {
        jest.useFakeTimers();
        const rate = new SubmitRate(slow, performance.now());
        let isTold = false;
        let isServed = false;
        const tell = () => {
          isTold = true;
        };
        const slots = new SubmitSlots(FORMAT, rate, () => performance.now(), tell, 300_000);
        const submit = () => Promise.resolve({ kind: 'accepted', carrierMessageId: '1' } as const);
        slots.open({ window: 10, slotsInUse: 0, submit });
        const [slot] = slots.take(10);
        expect(isTold).toBe(false);
        await jest.advanceTimersByTimeAsync(afterMs);
        rate.configure(fast, performance.now());
        slots.progress();
        await jest.advanceTimersByTimeAsync(Math.ceil(rate.waitMs(performance.now())) + 2);
        expect(isTold).toBe(true);
        slots.take(10);
        rate.configure(slow, performance.now());
        void slot?.another().then(() => {
          isServed = true;
        });
        await jest.advanceTimersByTimeAsync(afterMs);
        rate.configure(fast, performance.now());
        slots.progress();
        await jest.advanceTimersByTimeAsync(Math.ceil(rate.waitMs(performance.now())) + 2);
        expect(isServed).toBe(true);
        slots.close();
        jest.useRealTimers();
      },
    ),
    fuzz(100),
  );
});
