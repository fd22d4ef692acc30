import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { statementFile } from '#operations';
import {
  adjustBalance,
  bookDeposit,
  type MonthlyStatement,
  monthlyStatement,
  openMonths,
  type PricedMessage,
  retainNextSlice,
  rollUpUsage,
  setFxRate,
  setRetention,
} from '#persistence';
import { SeededRandom } from '../../tools/harness/seeded-random.js';
import { fuzzSeed } from '../support/fuzz.js';
import { answer, batchOf, receiptFor, TestLedger } from '../support/test-ledger.js';

/**
 * A year of an account, drawn at random, with an account of its own kept in this spec. The steps are taken now, by the
 * statements of the product; then the rows get the times of the year.
 */
const YEAR = 2025;
const STEPS = 150;
const NUMBERS: Readonly<Record<string, string>> = { '46': '46700000001', '49': '491700000001', '1': '12425550100' };
const SMALL_CHUNKS =
  'create or replace function usage_chunk_size() returns bigint language sql immutable as $$ select 10::bigint $$';

/** What happened to the balance. */
interface Movement {
  readonly kind: 'deposit' | 'adjustment' | 'charge' | 'refund';
  readonly at: Date;
  readonly change: bigint;
  /** Of a charge: its line of the statement. */
  readonly line?: string;
}

/** A range of rows, and when they were written. */
interface Written {
  readonly at: Date;
  readonly entries: readonly [number, number];
  readonly messages: readonly [number, number];
}

const seed = fuzzSeed();
const drawn = new SeededRandom(seed);
/** A whole number below a bound. */
const draw = (below: number): number => drawn.between(0, below - 1);
const movements: Movement[] = [];
const written: Written[] = [];
let ledger: TestLedger;
let accountId: string;
beforeAll(async () => {
  ledger = await TestLedger.create();
  await ledger.database.query(SMALL_CHUNKS);
  await setFxRate(ledger.database, 'USD', 'EUR', '0.921537');
  accountId = await ledger.account(0, { creditLimit: 1_000_000_000n });
  await liveAYear();
  await giveTimes();
}, 170_000);
afterAll(() => ledger.close());

test('each month of a random year adds up to the micro-unit, line after line, from where the one before it ended', async () => {
  let closing = 0n;
  for (const statement of await year()) {
    const { month, opening, totals, deposits, charges, refunds, notItemised } = statement;
    const own = movements.filter(({ at }) => at.toISOString().startsWith(month));
    const expected = {
      deposits: sumOf(own, 'deposit'),
      adjustments: sumOf(own, 'adjustment'),
      charges: -sumOf(own, 'charge'),
      refunds: sumOf(own, 'refund'),
    };
    expect({ seed, month, opening, totals, notItemised }).toEqual({
      seed,
      month,
      opening: closing,
      totals: expected,
      notItemised: 0n,
    });
    expect({ seed, month, lines: charges.map(lineOf) }).toEqual({ seed, month, lines: linesOf(own) });
    expect(sum(refunds.map(({ amount }) => amount))).toBe(expected.refunds);
    for (const days of [refunds.map(({ day }) => day), deposits.map(({ at }) => at.toISOString())]) {
      expect({ seed, month, days }).toEqual({ seed, month, days: [...days].sort() });
    }
    closing += sum(own.map(({ change }) => change));
    expect({ seed, month, closing: statement.closing, isFinal: statement.isFinal }).toEqual({
      seed,
      month,
      closing,
      isFinal: true,
    });
  }
  expect(closing).toBe((await ledger.figures(accountId)).available);
});

test('messages that were refunded in a later month stay charged in theirs', async () => {
  const crossed = movements.filter(({ kind, at }) => kind === 'refund' && at.getUTCDate() === 1);
  expect(crossed.length).toBeGreaterThan(0);
  const [{ at } = { at: new Date(0) }] = crossed;
  const { refunds } = await monthlyStatement(ledger.database, accountId, at.toISOString().slice(0, 7));
  expect(refunds.map(({ day }) => day)).toContain(at.toISOString().slice(0, 10));
});

test('statements stay the same when usage is rolled up, and when retention drops the messages', async () => {
  const before = await year();
  while ((await rollUpUsage(ledger.database, 5)) > 0);
  expect(sameParts(await year())).toEqual(sameParts(before));
  await setRetention(ledger.database, { rowDays: 30 });
  for (let after = '0'; ; ) {
    const slice = await retainNextSlice(ledger.database, after, 50);
    if (slice.accountId === undefined) break;
    if (slice.messages < 50) after = slice.accountId;
  }
  const left = await ledger.database.query('select from message_order');
  expect(left.length).toBeLessThan(movements.filter(({ kind }) => kind === 'charge').length);
  expect(sameParts(await year())).toEqual(sameParts(before));
});

test('the CSV adds up to its last line, and the page to print shows the same balance', async () => {
  const statement = await monthlyStatement(ledger.database, accountId, `${YEAR}-06`);
  const { name, text } = statementFile(statement, 'csv');
  expect(name).toBe(`statement-${accountId}-${YEAR}-06.csv`);
  const [head = '', ...lines] = text.trimEnd().split('\r\n');
  const column = head.split(',').indexOf('change');
  // No cell before it has a comma of its own: countries and texts of this account have none.
  const changes = lines.map((line) => microsOf(line.split(',')[column] ?? ''));
  const last = changes.pop();
  expect(sum(changes)).toBe(last);
  expect(last).toBe(statement.closing);
  const page = statementFile({ ...statement, name: '<b>"Acme" & Sons</b>' }, 'html').text;
  expect(page).toContain('&lt;b&gt;&quot;Acme&quot; &amp; Sons&lt;/b&gt;');
  expect(page).not.toMatch(/<script|<b>|https?:/);
  expect(page).toContain(`Closing balance on ${YEAR}-07-01`);
});

test('every month since the opening has a statement, and the month that goes on is provisional', async () => {
  const months = await openMonths(ledger.database, accountId);
  expect(months.at(-1)).toEqual({ month: `${YEAR}-01`, isFinal: true });
  const [current] = months;
  const { isFinal, closing, month } = await monthlyStatement(ledger.database, accountId, current?.month ?? '');
  expect({ isFinal, month, closing }).toEqual({
    isFinal: false,
    month: current?.month,
    closing: (await ledger.figures(accountId)).available,
  });
  await expect(monthlyStatement(ledger.database, accountId, '2999-01')).rejects.toThrow(/has not begun/);
  // `Date.UTC` takes the year 99 for 1999.
  for (const before of [`${YEAR - 1}-12`, '0099-12']) {
    await expect(monthlyStatement(ledger.database, accountId, before)).rejects.toThrow(/was opened after/);
  }
  await expect(monthlyStatement(ledger.database, '999999', `${YEAR}-01`)).rejects.toThrow(/no account/);
});

async function liveAYear(): Promise<void> {
  const open: PricedMessage[] = [];
  for (const at of moments()) {
    const before = await position();
    const what = draw(10);
    if (what < 2) {
      const isDollars = draw(2) === 0;
      const amount = BigInt(1 + draw(90_000_000));
      const booking = { amount, currency: isDollars ? 'USD' : 'EUR' };
      const { deposit } = await bookDeposit(ledger.database, accountId, booking);
      movements.push({ kind: 'deposit', at, change: deposit.accountAmount });
    } else if (what === 2) {
      const amount = BigInt(draw(2) === 0 ? 1 + draw(900_000) : -1 - draw(900_000));
      await adjustBalance(ledger.database, accountId, { amount, reason: 'a correction', isMeant: true });
      movements.push({ kind: 'adjustment', at, change: amount });
    } else if (what < 7 || open.length === 0) {
      const messages = Array.from({ length: 1 + draw(4) }, () => drawnMessage());
      expect(await ledger.accept(accountId, [batchOf(messages)])).toEqual([{ kind: 'accepted' }]);
      for (const message of messages) movements.push(chargeOf(message, at));
      open.push(...messages);
    } else await end(open.splice(0, 1 + draw(5)), at);
    const after = await position();
    written.push({
      at,
      entries: [before.entries + 1, after.entries],
      messages: [before.messages + 1, after.messages],
    });
  }
}

/** Each message is delivered, or refused by the carrier and refunded; the carrier cuts messages itself. */
async function end(messages: readonly PricedMessage[], at: Date): Promise<void> {
  const orders = await ledger.claim(
    messages.map(({ id }) => id),
    { whole: true },
  );
  expect(orders).toHaveLength(messages.length);
  const refused = messages.filter(() => draw(3) === 0);
  for (const { price } of refused) movements.push({ kind: 'refund', at, change: price });
  const isRefused = (id: string) => refused.some((one) => one.id === id);
  await ledger.record(orders.map((order) => answer(order, 1, isRefused(order.id) ? 'refused' : 'accepted')));
  const sent = messages.filter(({ id }) => !isRefused(id));
  if (sent.length > 0) await ledger.settle(sent.map((one) => receiptFor(one, 1, 'delivered')));
}

function drawnMessage(): PricedMessage {
  const codes = Object.keys(NUMBERS);
  const destination = NUMBERS[codes[draw(codes.length)] ?? ''] ?? '';
  const segments = 1 + draw(3);
  return ledger.message(segments, { destination, price: BigInt(segments) * BigInt(70_001 + 13 * draw(3)) });
}

function chargeOf({ destination, segments, price }: PricedMessage, at: Date): Movement {
  const code = Object.keys(NUMBERS).find((one) => NUMBERS[one] === destination);
  const line = `${at.toISOString().slice(0, 10)} +${code} ${price / BigInt(segments)}`;
  return { kind: 'charge', at, change: -price, line };
}

/** Ordered moments of the year, among them the first and the last of each month. */
function moments(): Date[] {
  const begins = Array.from({ length: 13 }, (_, month) => Date.UTC(YEAR, month));
  const edges = begins.flatMap((begin, n) => [...(n < 12 ? [begin, begin + 1] : []), ...(n > 0 ? [begin - 1] : [])]);
  const span = Date.UTC(YEAR + 1, 0) - Date.UTC(YEAR, 0);
  const others = Array.from(
    { length: STEPS },
    () => Date.UTC(YEAR, 0) + Math.floor((draw(1_000_000) / 1_000_000) * span),
  );
  // Refused messages at the first moments of a month were accepted in the month before.
  return [...edges, ...others].sort((a, b) => a - b).map((at) => new Date(at));
}

async function position(): Promise<{ readonly entries: number; readonly messages: number }> {
  const [row] = await ledger.database.query<{ last_entry: string; last_sequence: string }>(
    'select last_entry, last_sequence from account_balance where account_id = $1',
    [accountId],
  );
  return { entries: Number(row?.last_entry ?? 0), messages: Number(row?.last_sequence ?? 0) };
}

async function giveTimes(): Promise<void> {
  const ends = (range: 'entries' | 'messages', end: 0 | 1) => written.map((one) => one[range][end]);
  const columns = (range: 'entries' | 'messages') => [ends(range, 0), ends(range, 1), written.map(({ at }) => at)];
  const times =
    'from unnest($2::bigint[], $3::bigint[], $4::timestamptz[]) as w(first, last, at) where account_id = $1';
  await ledger.database.query(
    `update journal_entry set created_at = w.at ${times} and entry between w.first and w.last`,
    [accountId, ...columns('entries')],
  );
  await ledger.database.query(
    `update message_order set created_at = w.at, final_at = case when final_at is not null then w.at end
       ${times} and sequence between w.first and w.last`,
    [accountId, ...columns('messages')],
  );
  await ledger.database.query('update account set created_at = $2 where account_id = $1', [
    accountId,
    new Date(Date.UTC(YEAR, 0)),
  ]);
}

async function year(): Promise<MonthlyStatement[]> {
  const months = Array.from({ length: 12 }, (_, n) => `${YEAR}-${String(n + 1).padStart(2, '0')}`);
  return ledger.database.transaction(async (transaction) => {
    // A plan that keeps no order.
    await transaction.query('set local enable_nestloop = off; set local enable_mergejoin = off');
    const made: MonthlyStatement[] = [];
    for (const month of months) made.push(await monthlyStatement(transaction, accountId, month));
    return made;
  });
}

const sameParts = (statements: readonly MonthlyStatement[]) => statements.map(({ madeAt: _madeAt, ...same }) => same);

function lineOf({
  day,
  destination,
  unitPrice,
  messages,
  segments,
  amount,
}: MonthlyStatement['charges'][number]): string {
  expect(amount).toBe(unitPrice * BigInt(segments));
  return `${day} +${destination} ${unitPrice}: ${messages} ${amount}`;
}

function linesOf(own: readonly Movement[]): string[] {
  const lines = new Map<string, { messages: number; amount: bigint }>();
  for (const { line, change } of own) {
    if (line === undefined) continue;
    const before = lines.get(line) ?? { messages: 0, amount: 0n };
    lines.set(line, { messages: before.messages + 1, amount: before.amount - change });
  }
  return [...lines].map(([line, { messages, amount }]) => `${line}: ${messages} ${amount}`).sort();
}

function sumOf(own: readonly Movement[], kind: Movement['kind']): bigint {
  return sum(own.filter((one) => one.kind === kind).map(({ change }) => change));
}

function sum(amounts: readonly bigint[]): bigint {
  return amounts.reduce((total, amount) => total + amount, 0n);
}

function microsOf(text: string): bigint {
  const [whole = '0', decimals = ''] = text.replace('-', '').split('.');
  return BigInt(`${text.startsWith('-') ? '-' : ''}${whole}${decimals.padEnd(6, '0')}`);
}
