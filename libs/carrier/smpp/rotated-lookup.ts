import type { LookupFunction } from 'node:net';

/**
 * A lookup whose answer begins with another address at every attempt. One address of a carrier may accept connections
 * and refuse every bind; an attempt that always began with it would never succeed.
 */
export function rotatedLookup(lookup: LookupFunction, attempt: number): LookupFunction {
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
