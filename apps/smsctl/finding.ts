/** One thing that was looked at. `warn`: it works, but somebody should know. */
export interface Finding {
  readonly check: string;
  readonly state: 'ok' | 'warn' | 'fail';
  readonly detail: string;
}
