import type { Micros, OrderState } from '#billing';
import { expectCarrierOfLists } from '../carriers/carriers.js';
import type { Queryable } from '../database/database.js';
import { inTime } from '../database/in-time.js';
import { OperatorError } from '../operators/operator-error.js';
import { learnTextKeys } from '../texts/text-keys.js';
import { isAccountId, unknownAccount } from './accounts.js';
import { sandboxOf } from './sandbox.js';

export interface ListedMessage {
  readonly id: string;
  readonly accountId: string;
  readonly currency: string;
  readonly recipient: string;
  readonly state: OrderState;
  readonly carrierCode: string | undefined;
  readonly carrier: string | undefined;
  readonly segmentCount: number;
  /** Its cost now. */
  readonly amount: Micros;
  readonly createdAt: Date;
  readonly sentAt: Date | undefined;
  readonly finalAt: Date | undefined;
  /** Its text; undefined unless it was asked for. */
  readonly message: string | undefined;
}

/** Which messages; all real ones if it is empty. */
interface MessageSelection {
  /** Those of test keys instead. */
  readonly isTest?: boolean | undefined;
  readonly accountId?: string | undefined;
  /** In E.164 form. */
  readonly destination?: string | undefined;
  readonly state?: OrderState | undefined;
  /** The carrier that has the message, or had it last; also removed carriers of that name. */
  readonly carrier?: string | undefined;
  /** What the client sent with them; only of one account. */
  readonly reference?: string | undefined;
  readonly tag?: string | undefined;
  /** Accepted at or after. */
  readonly since?: Date | undefined;
  /** Accepted before. */
  readonly until?: Date | undefined;
  /** Only those that the list has behind this message. */
  readonly before?: string | undefined;
  readonly withText?: boolean | undefined;
}

/** Ids begin with the time of the gateway that made them, which may differ by at most this from the database's. */
const CLOCKS_DIFFER_MAX_MS = 3_600_000;
const IN_SCHEDULE = 'select s.account_id, generate_series(s.first_sequence, s.last_sequence) from order_schedule s';

/**
 * The newest messages first: of one account by its own index, of all accounts by the time in their ids. Other
 * conditions are checked message by message, so a search for a rare one takes long; the caller's statement timeout
 * limits it.
 *
 * @throws OperatorError when there is no such account or carrier, a reference or a tag is asked for without an account,
 *   or it took longer than the statement timeout
 * @throws TextUnreadable when texts were asked for and this process cannot read one
 */
export async function listMessages(
  database: Queryable,
  selection: MessageSelection,
  limit: number,
): Promise<ListedMessage[]> {
  const { isTest = false, accountId, destination, state, carrier, reference, tag, since, until, before } = selection;
  if (accountId === undefined && (reference ?? tag) !== undefined) {
    throw new OperatorError('references and tags belong to an account: give --account as well');
  }
  const parameters: unknown[] = [];
  const conditions: string[] = [];
  const where = (condition: (parameter: string) => string, value: unknown): void => {
    parameters.push(value);
    conditions.push(condition(`$${parameters.length}`));
  };
  if (accountId !== undefined) {
    await expectAccount(database, accountId);
    where((p) => `o.account_id = ${p}::bigint`, isTest ? sandboxOf(accountId) : accountId);
  } else {
    conditions.push(isTest ? 'o.account_id < 0' : 'o.account_id > 0');
  }
  if (carrier !== undefined) {
    await expectCarrierOfLists(database, carrier);
    where((p) => `o.carrier_id in (select carrier_id from carrier where name = ${p})`, carrier);
  }
  for (const [column, label] of Object.entries({ reference, tag })) {
    const labelled = `select sequence from order_label where account_id = $1 and ${column} =`;
    if (label !== undefined) where((p) => `o.sequence in (${labelled} ${p})`, label);
  }
  if (destination !== undefined) where((p) => `o.destination = ${p}`, destination);
  if (state !== undefined) {
    where((p) => `o.state = ${p}::order_state`, state);
    if (['queued', 'sending', 'sent'].includes(state)) conditions.push('o.due_at is not null');
    if (state === 'scheduled') conditions.push(`(o.account_id, o.sequence) in (${IN_SCHEDULE})`);
  }
  if (since !== undefined) {
    where((p) => `o.created_at >= ${p}::timestamptz`, since);
    if (accountId === undefined) where((p) => `o.id >= ${p}::uuid`, idAt(since.getTime() - CLOCKS_DIFFER_MAX_MS));
  }
  if (until !== undefined) {
    where((p) => `o.created_at < ${p}::timestamptz`, until);
    if (accountId === undefined) where((p) => `o.id <= ${p}::uuid`, idAt(until.getTime() + CLOCKS_DIFFER_MAX_MS));
  }
  if (before !== undefined) {
    const behind = `(select sequence from message_order where id =`;
    where((p) => (accountId === undefined ? `o.id < ${p}::uuid` : `o.sequence < ${behind} ${p}::uuid)`), before);
  }
  parameters.push(limit);
  const rows = await inTime('narrow it with --account, or with --since and --until', () =>
    database.query<Omit<ListedMessage, 'amount'> & { amount: string }>(
      `select o.id, o.account_id as "accountId", a.currency, o.recipient, o.state, o.carrier_code as "carrierCode",
              c.name as carrier, o.segments as "segmentCount", o.amount, o.created_at as "createdAt", o.sent_at as "sentAt",
              o.final_at as "finalAt", ${selection.withText === true ? 'o.message' : 'null as message'}
         from (select * from message_order o where ${conditions.join(' and ')}
                order by ${accountId === undefined ? 'o.id' : 'o.sequence'} desc limit $${parameters.length}) o
         join account a using (account_id) left join carrier c using (carrier_id)
        order by ${accountId === undefined ? 'o.id' : 'o.sequence'} desc`,
      parameters,
    ),
  );
  await learnTextKeys(
    database,
    rows.flatMap(({ message }) => message ?? []),
  );
  return rows.map((row) => ({
    ...row,
    amount: BigInt(row.amount),
    carrier: row.carrier ?? undefined,
    carrierCode: row.carrierCode ?? undefined,
    sentAt: row.sentAt ?? undefined,
    finalAt: row.finalAt ?? undefined,
    message: row.message == null ? undefined : database.texts.open(row.message, `message:${row.id}`),
  }));
}

async function expectAccount(database: Queryable, accountId: string): Promise<void> {
  const [row] = isAccountId(accountId)
    ? await database.query('select from account where account_id = $1', [accountId])
    : [];
  if (row === undefined) throw unknownAccount(accountId);
}

/** The lowest id of version 7 (RFC 9562 section 5.7) of a moment. */
function idAt(unixMs: number): string {
  const hex = Math.max(0, unixMs).toString(16).padStart(12, '0');
  return `${hex.slice(0, 8)}-${hex.slice(8)}-0000-0000-000000000000`;
}
