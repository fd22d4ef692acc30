import type { Queryable } from '../database/database.js';
import { plainArrays } from '../database/plain-array.js';
import { learnTextKeys } from '../texts/text-keys.js';
import type {
  ClaimedOrder,
  DispatchOwner,
  DispatchWrite,
  DispatchWritten,
  Intent,
  OrderMove,
} from './dispatch-write.js';

/**
 * Claims orders, records intents and the carriers' answers, and moves the orders, all in one transaction.
 *
 * @throws after 50 ms when another transaction holds one of the rows; then nothing is written
 */
export async function writeDispatch(
  database: Queryable,
  { claims, intents, results }: DispatchWrite,
  owner: DispatchOwner,
): Promise<DispatchWritten> {
  const rows = await database.query<ClaimedOrder & Intent & OrderMove>(
    `select id, epoch, destination, message, segments, concatenation_reference as "concatenationReference",
            open_positions as "openPositions", sender, whole, format, validity_seconds as "validitySeconds",
            waited_seconds as "waitedSeconds", position, state
       from write_dispatch($1, $2, make_interval(secs => $3), $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16,
                           $17, $18)`,
    [
      owner.workerId,
      owner.leaseSeconds,
      owner.inDoubtWaitSeconds,
      ...plainArrays(claims, 'id', 'carrierId', 'whole'),
      claims.map(({ format }) => format),
      ...plainArrays(intents, 'id', 'position', 'epoch', 'carrierId'),
      ...plainArrays(results, 'id', 'position', 'epoch', 'kind'),
      results.map(({ answer }) => answer),
      ...plainArrays(results, 'done', 'retryAfterMs'),
    ],
  );
  const claimed = rows.filter(({ epoch }) => epoch !== null);
  const stored = claimed.map(({ message }) => message);
  // The orders are claimed by now. If this fails, `claimedText` does, and its message is tried again.
  await learnTextKeys(database, stored).catch(() => undefined);
  return {
    claimed,
    intended: rows.filter(({ position }) => position !== null),
    moves: rows.filter(({ state }) => state !== null),
  };
}

/**
 * The text of a claimed order. One that cannot be read keeps no other message from being sent.
 *
 * @throws TextUnreadable when this process cannot read it
 */
export function claimedText(database: Queryable, { id, message }: ClaimedOrder): string {
  return database.texts.open(message, `message:${id}`);
}
