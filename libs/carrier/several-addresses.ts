/** If a host has several addresses, this many are tried within the timeout for connecting. */
const ADDRESSES_TRIED = 4;

/** How a socket tries the addresses of a name. */
export function severalAddresses(connectTimeoutMs: number) {
  return {
    autoSelectFamily: true,
    // Node's own 250 ms is less than a round trip to a far carrier.
    autoSelectFamilyAttemptTimeout: Math.max(10, Math.ceil(connectTimeoutMs / ADDRESSES_TRIED)),
  };
}
