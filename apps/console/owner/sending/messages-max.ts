/** Messages of one request of the console, however many more the operator allows. */
export const MESSAGES_MAX = 1_000;

/** Fewer, if the operator allows fewer. A session from before an upgrade does not say how many. */
export function messagesMaxOf({ batchMessagesMax = MESSAGES_MAX }: { readonly batchMessagesMax?: number }): number {
  return Math.min(batchMessagesMax, MESSAGES_MAX);
}
