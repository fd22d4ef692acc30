import type { LimitViolation } from './errors.js';
import { formatMicros, type Micros } from './money.js';
import type { MessageQuote } from './pricing.js';

/** The most that a client wants to pay for a message, and in how many segments it may go. */
interface MessageLimits {
  readonly maxPrice?: Micros | undefined;
  readonly maxSegments?: number | undefined;
}

/** The limits of its client that a priced message exceeds. */
export function exceededLimits({ price, segments }: MessageQuote, limits: MessageLimits): LimitViolation[] {
  const { maxPrice, maxSegments } = limits;
  const exceeded: LimitViolation[] = [];
  if (maxPrice !== undefined && price > maxPrice) {
    exceeded.push({
      code: 'price_above_max',
      field: 'maxPrice',
      detail: `The message costs ${formatMicros(price)}, more than the maxPrice of ${formatMicros(maxPrice)}.`,
    });
  }
  if (maxSegments !== undefined && segments > maxSegments) {
    exceeded.push({
      code: 'too_many_segments',
      field: 'maxSegments',
      detail: `The message has ${segments} segments, more than the maxSegments of ${maxSegments}.`,
    });
  }
  return exceeded;
}
