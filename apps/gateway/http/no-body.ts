import type { FieldFault } from './problem.js';

/** The body of an endpoint that needs none. */
export class NoBody {
  faults?: readonly FieldFault[];

  static readonly mayBeMissing = true;
  static readonly keepsFaults = true;
  static readonly fields: readonly string[] = [];

  static from(): NoBody {
    return new NoBody();
  }
}
