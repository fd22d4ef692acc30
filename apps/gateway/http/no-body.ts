/** The body of an endpoint that needs none. */
export class NoBody {
  static readonly mayBeMissing = true;
  static readonly fields: readonly string[] = [];

  static from(): NoBody {
    return new NoBody();
  }
}
