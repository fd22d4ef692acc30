/** An operator's request that cannot be done; nothing was changed. The message is one line with the reason. */
export class OperatorError extends Error {
  constructor(reason: string) {
    super(reason);
    this.name = 'OperatorError';
  }
}
