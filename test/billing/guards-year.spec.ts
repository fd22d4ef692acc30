import { expect, jest, test } from '@jest/globals';
import { type GuardSettings, type Guards, GuardTrial, guardsOf, type TrialVerdict } from '#billing';
import { SeededRandom } from '../../tools/harness/seeded-random.js';
import { FUZZ_TIMEOUT_MS, fuzzRuns, fuzzSeed } from '../support/fuzz.js';
import { customers, normalDay, pumping } from './normal-traffic.js';

// `FUZZ_RUNS=365 npm test -- billing/guards-year` tries a whole year.
const DAYS = fuzzRuns(31);
const SEED = fuzzSeed();
jest.setTimeout(FUZZ_TIMEOUT_MS);

/** What docs/guards.md proposes to begin with. */
const SETTINGS: GuardSettings = {
  countries: ['GB', 'DE'],
  priceMax: '0.1',
  spendDayMax: '400',
  spendMonthMax: '2500',
  recipientHourMax: 10,
  rangeHourMax: 200,
};
const guards = guardsOf(SETTINGS, 1_000) as Guards;

test(`${DAYS} days of normal traffic, and no guard refuses a message`, () => {
  const random = SeededRandom.of(SEED, 'year');
  const numbers = customers(random);
  const trial = new GuardTrial();
  const refused: [number, TrialVerdict][] = [];
  let messages = 0;
  for (let day = 0; day < DAYS; day += 1) {
    for (const message of normalDay(random, numbers, day)) {
      messages += 1;
      const verdict = trial.judge(guards, message);
      if (verdict !== undefined) refused.push([day, verdict]);
    }
  }
  expect({ seed: SEED, refused }).toEqual({ seed: SEED, refused: [] });
  expect(messages).toBeGreaterThan(DAYS * 100);
});

test('pumping beside it is stopped at the configured number of messages, and nobody else is', () => {
  const random = SeededRandom.of(SEED, 'pumping');
  const numbers = customers(random);
  const trial = new GuardTrial();
  const fraud = pumping(19 * 86_400_000 + 3 * 3_600_000, 10_000);
  const fraudulent = new Set(fraud);
  const day = [...normalDay(random, numbers, 19), ...fraud].sort((one, other) => one.atMs - other.atMs);
  const accepted = day.filter((message) => trial.judge(guards, message) === undefined);
  expect(accepted.filter((message) => fraudulent.has(message))).toHaveLength(200);
  expect(accepted).toHaveLength(day.length - fraud.length + 200);
});
