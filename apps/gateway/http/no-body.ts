import type { JsonObject } from './json-body.js';
import type { FieldFault } from './problem.js';
import { unknownNames } from './unknown-fields.js';

/** The body of an endpoint that needs none. */
export class NoBody {
  static readonly mayBeMissing = true;

  static from(): NoBody {
    return new NoBody();
  }

  static unknownNames(sent: JsonObject): readonly FieldFault[] {
    return unknownNames(sent, [], 'field');
  }
}
