import { Coalescer } from '#batching';
import { isPoison } from '../database/database-errors.js';
import type { InboundDelivery, InboundOutcome } from './store-inbound.js';

const ITEMS_MAX = 100;
const PENDING_MAX = 5_000;

/**
 * Gathers messages from handsets into common writes, those of each carrier by themselves. What is added is durable when
 * it resolves; it throws Overloaded when too many wait.
 *
 * @param write makes deliveries of one carrier durable, all or none
 */
export function inboundWrites(
  write: (deliveries: readonly InboundDelivery[], carrierId: number) => Promise<readonly InboundOutcome[]>,
): Coalescer<InboundDelivery, InboundOutcome, number> {
  return new Coalescer(write, { keysApart: true, itemsMax: ITEMS_MAX, pendingMax: PENDING_MAX, isPoison });
}
