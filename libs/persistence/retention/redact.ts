import { isAccountId, unknownAccount } from '../accounts/accounts.js';
import { ownerOf, sandboxOf } from '../accounts/sandbox.js';
import type { Database, Queryable } from '../database/database.js';
import { isUuid } from '../database/is-uuid.js';
import { recordOperatorAction } from '../operators/operator-changes.js';

/** Of a number, in the transaction in which somebody asks for it; workers do the rest. */
const AT_ONCE_MAX = 500;

/** What became of a message that is to be redacted. `later`: as soon as it is final. */
export type RedactOutcome = 'redacted' | 'later';

/** What became of the messages of a number. */
export interface RedactedNumber {
  readonly sent: number;
  /** Messages that are still on their way: each is redacted as soon as it is final. */
  readonly later: number;
  readonly received: number;
  /** False: there are more, and workers go on. */
  readonly isOver: boolean;
}

/** What is not redacted yet, although somebody has asked for it or its time is over. */
export interface RedactionBacklog {
  /** Messages that are not final. */
  readonly messages: number;
  /** Requests for numbers that workers are at. */
  readonly requests: number;
}

/**
 * Redacts the text and the number of one message that was sent or received. It is recorded without either.
 *
 * @param accountId undefined: whoever's message it is
 * @returns undefined when there is no such message
 */
export function redactMessage(
  database: Database,
  accountId: string | undefined,
  id: string,
): Promise<RedactOutcome | undefined> {
  return database.transaction(async (transaction) => {
    const [row] = isUuid(id)
      ? await transaction.query<{ outcome: RedactOutcome | null; owner: string | null }>(
          'select * from redact_message($1, $2)',
          [accountId ?? null, id],
        )
      : [];
    if (row?.outcome == null) return undefined;
    await recordOperatorAction(transaction, {
      subject: 'message',
      subjectId: id,
      accountId: row.owner === null ? undefined : ownerOf(row.owner),
      action: 'redact',
      after: { outcome: row.outcome },
    });
    return row.outcome;
  });
}

/**
 * Redacts all messages that an account, or its sandbox, has sent to a number or received from it until now. It is
 * recorded without the number.
 *
 * @param e164 digits of a number, as `parseRecipient` returns them
 * @param by an operator also redacts messages from handsets that are nobody's
 * @throws OperatorError when there is no such account
 */
export async function redactNumber(
  database: Database,
  accountId: string,
  e164: string,
  by: 'client' | 'operator',
): Promise<RedactedNumber> {
  const owner = ownerOf(accountId);
  const requests = await database.transaction(async (transaction) => {
    const rows = isAccountId(owner)
      ? await transaction.query<{ account_id: string; request_id: string }>(
          `insert into redaction_request (account_id, number, is_operators, last_sequence, last_inbound)
           select b.account_id, $2, $3, b.last_sequence, coalesce(i.last_number, 0)
             from account_balance b left join inbox i using (account_id) where b.account_id = any($1)
           returning account_id, request_id`,
          [accountId === owner ? [owner, sandboxOf(owner)] : [accountId], e164, by === 'operator'],
        )
      : [];
    const [first] = rows;
    if (first === undefined) throw unknownAccount(owner);
    await recordOperatorAction(transaction, {
      subject: 'number',
      subjectId: `redaction ${first.request_id}`,
      accountId: owner,
      action: 'redact',
      after: { number: 'redacted' },
    });
    return rows;
  });
  const done = { sent: 0, later: 0, received: 0, isOver: true };
  for (const { account_id, request_id } of requests) {
    const [part] = await database.query<{ sent: number; later: number; received: number; is_over: boolean }>(
      'select * from redact_number($1, $2, $3)',
      [account_id, request_id, AT_ONCE_MAX],
    );
    done.sent += part?.sent ?? 0;
    done.later += part?.later ?? 0;
    done.received += part?.received ?? 0;
    done.isOver &&= part?.is_over ?? true;
  }
  return done;
}

/**
 * The next part of what is wanted: numbers that were asked for, and messages that were not final before.
 *
 * @returns how many messages it has looked at; `messagesMax`: there may be more
 */
export async function redactWanted(database: Queryable, messagesMax: number): Promise<number> {
  const [row] = await database.query<{ done: number }>('select redact_wanted($1) as done', [messagesMax]);
  return row?.done ?? 0;
}

export async function redactionBacklog(database: Queryable): Promise<RedactionBacklog> {
  const [row] = await database.query<{ messages: string; requests: string }>(
    'select (select count(*) from redaction_due) as messages, (select count(*) from redaction_request) as requests',
  );
  return { messages: Number(row?.messages ?? 0), requests: Number(row?.requests ?? 0) };
}
