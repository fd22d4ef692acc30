/** `missing`: what it names is not there; `unusual`: it is probably a mistake, and can be asked for again as meant. */
export type OperatorErrorKind = 'refused' | 'missing' | 'unusual';

/** An operator's request that cannot be done; nothing was changed. The message is one line with the reason. */
export class OperatorError extends Error {
  constructor(
    reason: string,
    readonly kind: OperatorErrorKind = 'refused',
  ) {
    super(reason);
    this.name = 'OperatorError';
  }
}
