import { ANY_CARRIER } from '#persistence';
import type { CarrierPool } from '../carriers/carrier-pool.js';
import type { FairSlots } from './fair-slots.js';
import type { SlotLines } from './slot-lines.js';

/**
 * What a worker does with the turns of a scope: `serve`: hands the orders to carriers; `route`: looks up where they are to go; `leave`: looks
 * for another carrier, because theirs takes nothing; `wait`: leaves them to others, or to later.
 */
export type TurnMode = 'serve' | 'route' | 'leave' | 'wait';

/** The orders that any carrier may take or that are not routed yet, or those of one carrier, as this worker can deal with them. */
export class TurnScope {
  readonly line: FairSlots;

  constructor(
    readonly carrierId: number,
    private readonly carriers: CarrierPool,
    lines: SlotLines,
  ) {
    this.line = carrierId === ANY_CARRIER ? lines.any : lines.of(carrierId);
  }

  /** @param mayLeave whether looking for other carriers has not just been in vain */
  mode(mayLeave: boolean): TurnMode {
    if (this.carrierId === ANY_CARRIER) {
      if (!this.carriers.routes.isEmpty) return 'route';
      return this.carriers.all().some(({ readiness }) => isBound(readiness)) ? 'serve' : 'wait';
    }
    if (mayLeave && this.carriers.isToBeLeft(this.carrierId)) return 'leave';
    return isBound(this.carriers.readinessOf(this.carrierId)) ? 'serve' : 'wait';
  }
}

/** One that throttles gives slots now and then. */
function isBound(readiness: string): boolean {
  return readiness === 'up' || readiness === 'throttled';
}
