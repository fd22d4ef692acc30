import {
  type GuardSettings,
  type Guards,
  GuardTrial,
  guardsOf,
  type Micros,
  type OrderState,
  type TrialVerdict,
} from '#billing';
import { findAccount } from '../accounts/accounts.js';
import type { Queryable } from '../database/database.js';
import { ALL_ACCOUNTS, checkedChange, findGuards, type GuardChange } from './set-guards.js';

/** Orders in memory at a time. */
const SLICE = 10_000;
const DAY_MS = 86_400_000;

/** What a guard would have refused. */
export interface RefusedInTrial {
  readonly code: TrialVerdict;
  readonly messages: number;
  /** What they cost. */
  readonly amount: Micros;
  /** Those of them that were delivered: perhaps people waited for them. */
  readonly delivered: number;
}

/** What guards would have done to the messages of an account. */
export interface GuardSimulation {
  readonly accountId: string;
  readonly name: string;
  readonly currency: string;
  readonly messages: number;
  readonly amount: Micros;
  readonly refused: readonly RefusedInTrial[];
}

/**
 * Tries guards on the messages that were accepted in the last days: those that are set, with a change of them. Changes
 * nothing. Each message is judged as if it came alone, and at what it cost in the end. What was spent before, in the
 * day or the month in which the first of these days begins, counts as spent.
 *
 * @param accountId `0`: every account that is not closed and had messages
 * @throws OperatorError when there is no such account, or a value is not valid
 */
export async function simulateGuards(
  database: Queryable,
  accountId: string,
  days: number,
  change: GuardChange,
): Promise<GuardSimulation[]> {
  const wanted = checkedChange(change);
  const accountIds =
    accountId === ALL_ACCOUNTS
      ? (
          await database.query<{ id: string }>(
            `select a.account_id as id from account a join account_balance b using (account_id)
              where a.account_id > 0 and a.status <> 'closed' and b.last_sequence > 0 order by a.account_id`,
          )
        ).map(({ id }) => id)
      : [accountId];
  const simulations: GuardSimulation[] = [];
  for (const id of accountIds) {
    const { own, forAll } = await findGuards(database, id);
    // A change of those for all leaves an account its own.
    const settings = accountId === ALL_ACCOUNTS ? { ...forAll, ...wanted, ...own } : { ...forAll, ...own, ...wanted };
    const simulation = await simulateAccount(database, id, days, settings);
    if (accountId !== ALL_ACCOUNTS || simulation.messages > 0) simulations.push(simulation);
  }
  return simulations;
}

interface PastOrder {
  sequence: string;
  at_ms: number;
  /** It is of the last days; false: it was accepted before, and the counts of the guards begin with it. */
  is_counted: boolean;
  destination: string;
  unit_price: string;
  amount: string;
  state: OrderState;
}

async function simulateAccount(
  database: Queryable,
  accountId: string,
  days: number,
  settings: GuardSettings,
): Promise<GuardSimulation> {
  const { name, currency, createdAt } = await findAccount(database, accountId);
  const trial = new GuardTrial();
  const refused = new Map<TrialVerdict, { messages: number; amount: Micros; delivered: number }>();
  const guardsByAge = new Map<number, Guards | undefined>();
  const firstDay = Math.floor(createdAt.getTime() / DAY_MS);
  let [messages, total] = [0, 0n];
  for await (const order of pastOrders(database, accountId, days, settings.spendMonthMax == null ? 'day' : 'month')) {
    const amount = BigInt(order.amount);
    const ageDays = Math.max(0, Math.floor(order.at_ms / DAY_MS) - firstDay);
    if (!guardsByAge.has(ageDays)) guardsByAge.set(ageDays, guardsOf(settings, ageDays));
    const guards = guardsByAge.get(ageDays);
    const code =
      guards &&
      trial.judge(guards, {
        atMs: order.at_ms,
        destination: order.destination,
        unitPrice: BigInt(order.unit_price),
        price: amount,
      });
    if (!order.is_counted) continue;
    messages += 1;
    total += amount;
    if (code === undefined) continue;
    const sum = refused.get(code) ?? { messages: 0, amount: 0n, delivered: 0 };
    sum.messages += 1;
    sum.amount += amount;
    sum.delivered += order.state === 'delivered' ? 1 : 0;
    refused.set(code, sum);
  }
  return {
    accountId,
    name,
    currency,
    messages,
    amount: total,
    refused: [...refused].map(([code, sum]) => ({ code, ...sum })),
  };
}

/**
 * In the order in which they were accepted.
 *
 * @param period from whose beginning on the guards count
 */
async function* pastOrders(
  database: Queryable,
  accountId: string,
  days: number,
  period: 'day' | 'month',
): AsyncGenerator<PastOrder> {
  const [first] = await database.query<{ before: string; since: Date }>(
    `select first_sequence_at($1, date_trunc($3, t.since, 'UTC'), coalesce(r.last_sequence, 0), b.last_sequence) - 1
              as before, t.since
       from (select now() - make_interval(days => $2) as since) t
       join account_balance b on b.account_id = $1 left join account_retired r using (account_id)`,
    [accountId, days, period],
  );
  for (let after = first?.before ?? '0'; ; ) {
    const slice = await database.query<PastOrder>(
      `select o.sequence, extract(epoch from o.created_at)::float8 * 1000 as at_ms, o.created_at >= $4 as is_counted,
              o.destination, o.price / o.segments as unit_price, o.amount, o.state
         from message_order o where o.account_id = $1 and o.sequence > $2 order by o.sequence limit $3`,
      [accountId, after, SLICE, first?.since],
    );
    yield* slice;
    const last = slice.at(-1);
    if (last === undefined || slice.length < SLICE) return;
    after = last.sequence;
  }
}
