import { findAccount } from '../accounts/accounts.js';
import { lockAccount } from '../accounts/lock-account.js';
import type { Database } from '../database/database.js';
import { isUuid } from '../database/is-uuid.js';
import { recordOperatorAction } from '../operators/operator-changes.js';
import { OperatorError } from '../operators/operator-error.js';
import type { InboundKeyword } from './find-inbound.js';
import { cancelForKeywords, hashFor, obeyKeywords } from './obey-keywords.js';

/**
 * Gives a message that is nobody's to an account: it enters the account's inbox, its event is written, and a STOP or
 * START in it is obeyed, unless the account has a later STOP or START of the handset.
 *
 * @throws OperatorError when there is no such message or account, it is somebody's already, or the account is closed
 */
export async function assignInbound(database: Database, inboundId: string, accountId: string): Promise<void> {
  const keyword = await keywordOf(database, inboundId);
  const hash = await hashFor(database, [keyword]);
  await findAccount(database, accountId);
  const obeyed = await database.transaction(async (transaction) => {
    const [row] = await transaction.query<{ account_id: string | null; source: string }>(
      'select account_id, source from inbound_message where inbound_id = $1 for update',
      [inboundId],
    );
    if (row === undefined) throw unknownInbound(inboundId);
    if (row.account_id !== null) throw new OperatorError(`message ${inboundId} is in the inbox of ${row.account_id}`);
    await transaction.query('select enter_inboxes($1, $2, $3)', [[inboundId], [accountId], [null]]);
    await lockAccount(transaction, accountId);
    // Operators assign in the order of the list, the newest first; what the person said last counts.
    const [later] = await transaction.query(
      `select from inbound_message
        where account_id = $1 and source = $2 and inbound_id > $3 and keyword in ('stop', 'start') limit 1`,
      [accountId, row.source, inboundId],
    );
    const message = { accountId, source: row.source, keyword: later === undefined ? keyword : undefined };
    await obeyKeywords(transaction, hash, [message]);
    const change = {
      subject: 'inbound_message',
      subjectId: inboundId,
      accountId,
      action: 'assign',
      after: { accountId },
    };
    await recordOperatorAction(transaction, change);
    return [message];
  });
  await cancelForKeywords(database, obeyed);
}

async function keywordOf(database: Database, inboundId: string): Promise<InboundKeyword | undefined> {
  const [row] = isUuid(inboundId)
    ? await database.query<{ keyword: InboundKeyword | null }>(
        'select keyword from inbound_message where inbound_id = $1',
        [inboundId],
      )
    : [];
  if (row === undefined) throw unknownInbound(inboundId);
  return row.keyword ?? undefined;
}

function unknownInbound(inboundId: string): OperatorError {
  return new OperatorError(`there is no message from a handset ${inboundId}`, 'missing');
}
