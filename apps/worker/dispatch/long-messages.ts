import { Injectable } from '@nestjs/common';
import { Coalescer } from '#batching';
import type { SubmitSlot } from '#carrier';
import { assignConcatenationReferences, type ClaimedOrder, Database, type SubmitResult } from '#persistence';
import { NOT_SENT_BACK_OFF_MS } from './back-off.js';
import { DispatchWrites } from './dispatch-writes.js';

const ITEMS_MAX = 500;

/** Submits the segment at a position; gives what is to be recorded of it if it is the only one. */
export type Submit = (slot: SubmitSlot, position: number) => Promise<SubmitResult>;

/** What a message of several segments needs beside what every message does: references, intents, and turns of slots. */
@Injectable()
export class LongMessages {
  private readonly references: Coalescer<string, number>;

  constructor(
    database: Database,
    private readonly writes: DispatchWrites,
  ) {
    this.references = new Coalescer(
      async (ids) => {
        const references = await assignConcatenationReferences(database, ids);
        return ids.map((id) => references.get(id) ?? 0);
      },
      { itemsMax: ITEMS_MAX },
    );
  }

  /** What joins the segments on a handset. The database is asked once for each message. */
  async concatenationReference(order: ClaimedOrder): Promise<number> {
    return order.concatenationReference ?? (await this.references.add(order.id));
  }

  /** Submits as many segments at once as the window has room for, until the carrier does not take one. */
  async submit(order: ClaimedOrder, firstSlot: SubmitSlot, carrierId: number, submit: Submit): Promise<void> {
    let outstanding = 0;
    let isOver = false;
    let hasToStop = false;
    let isConcluded = false;
    // The longest back-off that any segment asks for: the message returns as a whole.
    let retryAfterMs = 0;
    const recorded: Promise<unknown>[] = [];
    const faults: unknown[] = [];
    const take = (slot: SubmitSlot, position: number) => {
      outstanding += 1;
      const work = submit(slot, position).then((result) => {
        outstanding -= 1;
        if (result.kind !== 'accepted') hasToStop = true;
        // The last answer also says that nothing more comes from this owner.
        isConcluded = isOver && outstanding === 0;
        retryAfterMs = Math.max(retryAfterMs, result.retryAfterMs);
        return this.writes.record({ ...result, done: isConcluded, retryAfterMs }, slot);
      });
      // Caught here, because nothing else awaits it while the next segment waits for its slot.
      const caught = work.catch((fault: unknown) => void faults.push(fault));
      recorded.push(caught.finally(() => slot.release()));
    };

    take(firstSlot, order.openPositions[0] ?? 1);
    for (const position of order.openPositions.slice(1)) {
      const slot = hasToStop ? undefined : await firstSlot.another();
      if (slot === undefined) break;
      let isOurs = false;
      try {
        // False: the order is no longer ours, and nothing may be written to the wire.
        isOurs = !hasToStop && (await this.writes.intend({ id: order.id, position, epoch: order.epoch, carrierId }));
      } catch (fault) {
        faults.push(fault);
      }
      if (!isOurs) {
        slot.release();
        break;
      }
      take(slot, position);
    }
    isOver = true;
    await Promise.all(recorded);
    if (!isConcluded) {
      await this.writes.record(nothingSubmitted(order, '', Math.max(retryAfterMs, NOT_SENT_BACK_OFF_MS)));
    }
    if (faults.length > 0) throw faults[0];
  }
}

/** Records that this owner submits nothing more now; no segment has position 0. */
export function nothingSubmitted(order: ClaimedOrder, answer: string, retryAfterMs: number): SubmitResult {
  return { id: order.id, position: 0, epoch: order.epoch, kind: 'pending', answer, done: true, retryAfterMs };
}
