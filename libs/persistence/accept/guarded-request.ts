import type { Micros } from '#billing';

/** What the commit checks of a request besides its price. */
export interface GuardedRequest {
  /** As `KeyHolder.guardVersion`; the request is refused if it is no longer the version of the account. */
  readonly version: number;
  readonly spendDayMax?: Micros | undefined;
  readonly spendMonthMax?: Micros | undefined;
  /** Of the numbers of its messages, in their order, if the account has a suppression list. */
  readonly numberHashes?: readonly string[] | undefined;
  /** What the database counts in this hour: a number or a range of numbers, so many messages to it, and their most. */
  readonly counted?: readonly { readonly hash: string; readonly messages: number; readonly max: number }[] | undefined;
}
