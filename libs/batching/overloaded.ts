/** Refused without a try, because too many items wait already. Nothing was written. */
export class Overloaded extends Error {
  constructor(readonly retryAfterSeconds: number) {
    super('too much work is waiting');
  }
}
