import { acceptMessages, type PricedMessage } from '../accept/accept-messages.js';
import type { AcceptVerdict } from '../accept/accept-verdict.js';
import { lockAccount } from '../accounts/lock-account.js';
import { announceChange } from '../database/changes.js';
import type { Database, Queryable } from '../database/database.js';
import { recordOperatorAction } from '../operators/operator-changes.js';

/** The account of `smsctl carrier test`, and its price list, in which everything is free. */
const TEST_ACCOUNT_NAME = 'Carrier tests';
const TEST_TARIFF_NAME = 'carrier-tests';
const TEST_CURRENCY = 'EUR';

/** Tests are stored for a day, for workers that look for new ones. */
const FORGET_AFTER = '1 day';

/** A message for one carrier, whatever routes say, even if the carrier is paused. */
interface CarrierTest {
  readonly carrierId: number;
  readonly accountId: string;
  readonly message: PricedMessage;
  /** After this it fails and is refunded, unless the carrier has taken it. */
  readonly validitySeconds: number;
}

/**
 * Accepts the message like any other of its account, binds it to its carrier, and notifies the workers. Guards do not
 * judge it: the operator decides about a test.
 *
 * @throws OperatorError when there is no such account, or it is closed
 */
export async function requestCarrierTest(database: Database, test: CarrierTest): Promise<AcceptVerdict> {
  await database.texts.ready(database);
  const { carrierId, accountId, message, validitySeconds } = test;
  return database.transaction(async (transaction) => {
    const settings = { validitySeconds, sweepAfterSeconds: validitySeconds };
    await lockAccount(transaction, accountId);
    const [account] = await transaction.query<{ version: number }>(
      'select guard_version as version from account where account_id = $1',
      [accountId],
    );
    const guards = { version: account?.version ?? 0 };
    const request = { messages: [message], total: message.price, inBacklog: false, guards };
    const [verdict] = await acceptMessages(transaction, [{ accountId, request }], settings);
    if (verdict === undefined) throw new Error('a request without a verdict');
    if (verdict.kind !== 'accepted') return verdict;
    await transaction.query('update message_order set only_carrier_id = $2 where id = $1', [message.id, carrierId]);
    await transaction.query('delete from carrier_test where valid_until < now() - $1::interval', [FORGET_AFTER]);
    await transaction.query(
      'insert into carrier_test (message_id, carrier_id, valid_until) select id, $2, valid_until from message_order where id = $1',
      [message.id, carrierId],
    );
    await recordOperatorAction(transaction, {
      subject: 'carrier test',
      subjectId: message.id,
      accountId,
      action: 'send',
      after: { carrier_id: carrierId, segments: message.segments },
    });
    await announceChange(transaction, 'carriers');
    return verdict;
  });
}

export interface DueCarrierTest {
  readonly id: string;
  readonly carrierId: number;
  readonly accountId: string;
}

/** Tests of these carriers that wait to be submitted. */
export async function dueCarrierTests(database: Queryable, carrierIds: readonly number[]): Promise<DueCarrierTest[]> {
  const rows = await database.query<{ id: string; carrier_id: number; account_id: string }>(
    // The tests first, which are few. The plan of a new database, which the session keeps, would read all orders first.
    `select o.id, t.carrier_id, o.account_id from carrier_test t
      cross join lateral (select * from message_order m where m.id = t.message_id offset 0) o
      where t.valid_until > now() and t.carrier_id = any($1::integer[])
        and o.state = 'queued' and (o.next_attempt_at is null or o.next_attempt_at <= now())`,
    [carrierIds],
  );
  return rows.map((row) => ({ id: row.id, carrierId: row.carrier_id, accountId: row.account_id }));
}

/** The account of the tests. The first call makes it, without a key, so that no client can send with it. */
export function carrierTestAccount(
  database: Database,
): Promise<{ readonly accountId: string; readonly tariffId: string }> {
  return database.transaction(async (transaction) => {
    // If two first tests run at a time, one waits for the other's account.
    await transaction.query("select pg_advisory_xact_lock(hashtext('heliograph.carrier_test_account'))");
    const [standing] = await transaction.query<{ account_id: string; tariff_id: string }>(
      'select account_id, tariff_id from account where internal',
    );
    if (standing !== undefined) return { accountId: standing.account_id, tariffId: standing.tariff_id };
    const [tariff] = await transaction.query<{ tariff_id: string }>(
      `with made as (
         insert into tariff (name, currency) values ($1, $2) returning tariff_id
       ), priced as (
         insert into tariff_rate (tariff_id, prefix, price) select tariff_id, p::text, 0 from made, generate_series(1, 9) p
       ) select tariff_id from made`,
      [await freeName(transaction, 'tariff', TEST_TARIFF_NAME), TEST_CURRENCY],
    );
    const tariffId = tariff?.tariff_id ?? '';
    const [account] = await transaction.query<{ account_id: string }>(
      `with made as (
         insert into account (name, currency, tariff_id, internal)
         values ($1, $2, $3, true) returning account_id
       ), balanced as (
         insert into account_balance (account_id) select account_id from made
       ), limited as (
         insert into credit_limit_change (account_id, after_entry, credit_limit) select account_id, 0, 0 from made
       ) select account_id from made`,
      [await freeName(transaction, 'account', TEST_ACCOUNT_NAME), TEST_CURRENCY, tariffId],
    );
    await announceChange(transaction, 'accounts');
    return { accountId: account?.account_id ?? '', tariffId };
  });
}

/** The name, with a number if an operator has used it for something else. */
async function freeName(transaction: Queryable, table: 'account' | 'tariff', name: string): Promise<string> {
  const rows = await transaction.query<{ name: string }>(
    `select name from ${table} where starts_with(lower(name), lower($1))`,
    [name],
  );
  const taken = new Set(rows.map((row) => row.name.toLowerCase()));
  for (let number = 1; ; number += 1) {
    const free = number === 1 ? name : `${name}-${number}`;
    if (!taken.has(free.toLowerCase())) return free;
  }
}
