import { acceptedOrders, batchFrom, type Database, findKeyedRequest, type KeyHolder } from '#persistence';
import type { IdempotencyKey } from './idempotency.js';
import type { Acceptance, Submission } from './submission.js';

/** The answer to the first time that a key was used; undefined: this is no repeat. */
export async function replayOf(
  database: Database,
  account: KeyHolder,
  submission: Submission,
  idempotencyKey: IdempotencyKey | undefined,
): Promise<Acceptance | undefined> {
  const known = idempotencyKey && (await findKeyedRequest(database, account.accountId, idempotencyKey));
  return known && replay(database, account, submission, known);
}

/** The answer to the request whose orders begin at `firstSequence`. */
export async function replay(
  database: Database,
  { accountId }: KeyHolder,
  submission: Submission,
  { firstSequence, orderCount }: { readonly firstSequence: bigint; readonly orderCount: number },
): Promise<Acceptance> {
  const accepted = await acceptedOrders(database, accountId, firstSequence, orderCount);
  const batchId = submission.isBatch ? await batchFrom(database, accountId, firstSequence) : undefined;
  // The request is the same; what is stored of its numbers may have been redacted since.
  const orders = accepted.map((order, index) => {
    const draft = submission.drafts[index];
    return { ...order, recipient: draft?.recipient ?? '', replacements: draft?.replacements };
  });
  return { orders, batchId, total: orders.reduce((sum, { price }) => sum + price, 0n), isReplay: true };
}
