import { lookup as lookupInDns } from 'node:dns';
import type { LookupFunction } from 'node:net';

/** Asks the system for all addresses of a host. */
export const systemLookup: LookupFunction = (host, options, answer) =>
  lookupInDns(host, { ...options, all: true }, answer);

/**
 * A lookup whose answer begins with another address at every attempt. A carrier with several may have one that takes
 * connections and refuses every bind; beginning with the same one each time would never get past it.
 */
export function rotated(lookup: LookupFunction, attempt: number): LookupFunction {
  return (host, options, answer) =>
    lookup(host, { ...options, all: true }, (error, addresses, family) => {
      if (!Array.isArray(addresses) || addresses.length === 0) {
        answer(error, addresses, family);
        return;
      }
      const first = attempt % addresses.length;
      const inTurn = [...addresses.slice(first), ...addresses.slice(0, first)];
      const [chosen] = inTurn;
      if (options.all === true) answer(error, inTurn);
      else answer(error, chosen?.address ?? '', chosen?.family);
    });
}
