import { afterAll, beforeAll, expect, jest, test } from '@jest/globals';
import type { GuardSettings } from '#billing';
import { setGuards, simulateGuards } from '#persistence';
import { SeededRandom } from '../../tools/harness/seeded-random.js';
import { FUZZ_TIMEOUT_MS, fuzzRuns, fuzzSeed } from '../support/fuzz.js';
import { TestGateway } from '../support/gateway.js';

const RUNS = fuzzRuns(4);
const SEED = fuzzSeed();
const MESSAGES = 60;
jest.setTimeout(FUZZ_TIMEOUT_MS);

/** Numbers of three countries, two of each range; 0.05, 0.0174 and 0.01 EUR a segment. */
const NUMBERS = ['+447700900123', '+447700900124', '+4915112345678', '+4915112345679', '+14155550100', '+14155550199'];

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await TestGateway.start();
});
afterAll(() => gateway.close());

test.each(Array.from({ length: RUNS }, (_, run) => run))(
  'what a trial says of guards is what they then do to the same messages (%i)',
  async (run) => {
    const random = SeededRandom.of(SEED, `trial ${run}`);
    const settings = guards(random);
    const messages = Array.from({ length: MESSAGES }, () => ({
      recipient: random.pick(NUMBERS),
      message: random.chance(0.2) ? 'x'.repeat(200) : 'hi',
    }));
    // The counts of an hour begin anew with it, so both have to be in the same one.
    for (;;) {
      const hour = await hourNow();
      const [said, done] = [await tried(settings, messages), await refused(settings, messages)];
      if ((await hourNow()) !== hour) continue;
      expect({ seed: SEED, settings, refused: done }).toEqual({ seed: SEED, settings, refused: said });
      return;
    }
  },
);

test('a trial counts what was spent earlier on the day, or in the month, in which its days begin', async () => {
  const message = { recipient: '+447700900123', message: 'hi' };
  const trial = async (...spent: readonly string[]) => {
    const account = await gateway.account();
    for (const at of [...spent, "now() - interval '1 day' + interval '5 s'"]) {
      expect((await account.send(message)).status).toBe(201);
      await gateway.database.query(
        `update message_order set created_at = ${at} where account_id = $1 and created_at > now() - interval '1 hour'`,
        [account.accountId],
      );
    }
    return simulateGuards(gateway.database, account.accountId, 1, settings);
  };
  let settings: GuardSettings = { spendDayMax: '0.05' };
  expect(await trial("date_trunc('day', now() - interval '1 day', 'UTC')")).toMatchObject([
    { messages: 1, refused: [{ code: 'spend_limit', messages: 1 }] },
  ]);
  settings = { spendMonthMax: '0.05' };
  expect(await trial("date_trunc('month', now() - interval '1 day', 'UTC')")).toMatchObject([
    { messages: 1, refused: [{ code: 'spend_limit', messages: 1 }] },
  ]);
  expect(await trial()).toMatchObject([{ messages: 1, refused: [] }]);
});

type Messages = readonly { readonly recipient: string; readonly message: string }[];

/** Each guard perhaps, with a limit that some of the messages reach. */
function guards(random: SeededRandom): GuardSettings {
  const amount = (micros: number) => (micros / 1_000_000).toFixed(6);
  const all: GuardSettings = {
    countries: random.pick([
      ['GB', 'DE'],
      ['GB', 'US'],
      ['DE', 'US'],
    ]),
    priceMax: random.pick(['0.01', '0.02', '0.05']),
    spendDayMax: amount(random.between(0, 2_000_000)),
    spendMonthMax: amount(random.between(0, 2_000_000)),
    recipientHourMax: random.between(1, 12),
    rangeHourMax: random.between(1, 24),
    rampDays: 3,
    rampSpendDay: amount(random.between(0, 2_000_000)),
  };
  const isLeftOut = new Map(
    ['countries', 'priceMax', 'spend', 'recip', 'range', 'ramp'].map((of) => [of, random.chance(0.5)]),
  );
  return Object.fromEntries(
    Object.entries(all).filter(([name]) => ![...isLeftOut].some(([of, out]) => out && name.startsWith(of))),
  );
}

/** What would have been refused of the messages of an account without guards, by code. */
async function tried(settings: GuardSettings, messages: Messages): Promise<Record<string, number>> {
  const account = await gateway.account();
  for (const message of messages) expect((await account.send(message)).status).toBe(201);
  const [simulation] = await simulateGuards(gateway.database, account.accountId, 1, settings);
  return Object.fromEntries((simulation?.refused ?? []).map(({ code, messages: count }) => [code, count]));
}

/** What is refused of the messages of an account that has the guards. */
async function refused(settings: GuardSettings, messages: Messages): Promise<Record<string, number>> {
  const account = await gateway.account();
  await setGuards(gateway.database, account.accountId, settings);
  const counts: Record<string, number> = {};
  for (const message of messages) {
    const reply = await account.send(message);
    if (reply.status === 201) continue;
    const { code } = reply.as<{ code: string }>();
    counts[code] = (counts[code] ?? 0) + 1;
  }
  return counts;
}

async function hourNow(): Promise<number> {
  const [row] = await gateway.database.query<{ hour: number }>(
    `select floor(extract(epoch from now()) / 3600)::float8 as hour`,
  );
  return row?.hour ?? 0;
}
