import { KeyedCoalescer } from '#batching';
import { isPoison } from '../database/database-errors.js';
import type { ReceiptToSettle } from './settle-receipts.js';

const ITEMS_MAX = 500;
/**
 * A write of receipts costs the database 1.4 ms before the first one and 0.08 ms for each: at full load it pays to
 * gather.
 */
const GATHER = { gatherMs: 10, gatherMaxMs: 60 };
const PENDING_MAX = 20_000;

/** Gathers receipts into common writes, a lane for each carrier. */
export class ReceiptLanes {
  private readonly lanes: KeyedCoalescer<number, ReceiptToSettle, undefined>;

  /** @param write makes receipts of one carrier durable, all or none */
  constructor(write: (carrierId: number, receipts: readonly ReceiptToSettle[]) => Promise<void>) {
    this.lanes = new KeyedCoalescer(
      async (carrierId, receipts) => {
        await write(carrierId, receipts);
        return receipts.map(() => undefined);
      },
      { itemsMax: ITEMS_MAX, ...GATHER, pendingMax: PENDING_MAX, isPoison },
    );
  }

  /**
   * Resolves once the receipt is durable.
   *
   * @throws Overloaded when too many wait
   */
  async add(carrierId: number, receipt: ReceiptToSettle): Promise<void> {
    await this.lanes.add(carrierId, receipt);
  }
}
