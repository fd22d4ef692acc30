/** One result of the examination. `warn`: it works, but a person should know. */
export interface Finding {
  readonly check: string;
  readonly state: 'ok' | 'warn' | 'fail';
  readonly detail: string;
}
