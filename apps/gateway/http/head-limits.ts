/** How Node's server of a listener reads the head of a request. */
export const HEAD_LIMITS = {
  maxHeaderSize: 16 * 1024,
  headersTimeout: 10_000,
  /** How often Node looks for requests that take too long. By default it looks each 30 s only. */
  connectionsCheckingInterval: 1_000,
  /** `one-host.ts` refuses a request without one, with a problem document. */
  requireHostHeader: false,
};
