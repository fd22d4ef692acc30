/** What an operator asked for cannot be done; nothing was changed. The message is one line that says why. */
export class OperatorError extends Error {
  constructor(reason: string) {
    super(reason);
    this.name = 'OperatorError';
  }
}
