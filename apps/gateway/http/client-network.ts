import { isIPv6 } from 'node:net';
import type { Config } from '#config';

/** For Fastify: the proxies whose X-Forwarded-For is believed; none unless the operator sets some. */
export function trustedProxies({ TRUSTED_PROXIES }: Config): { readonly trustProxy?: string[] } {
  return TRUSTED_PROXIES === undefined ? {} : { trustProxy: TRUSTED_PROXIES.split(',') };
}

/** A closed connection has no address, whatever Fastify's types say; all of them count as one client. */
const HUNG_UP = 'hung up';

/**
 * The client that an address counts as: an IPv4 address is one client; for IPv6 it is everybody in the same /64,
 * because one client gets at least that.
 */
export function clientNetwork(address: string | undefined): string {
  if (address === undefined) return HUNG_UP;
  const plain = plainAddress(address);
  if (!isIPv6(plain)) return plain;
  const [head = '', tail] = plain.split('::');
  const groups = head === '' ? [] : head.split(':');
  const rest = tail === undefined || tail === '' ? [] : tail.split(':');
  const zeros = tail === undefined ? 0 : Math.max(0, 8 - groups.length - rest.length);
  const all = [...groups, ...Array<string>(zeros).fill('0'), ...rest];
  return `${all
    .slice(0, 4)
    .map((group) => Number.parseInt(group, 16).toString(16))
    .join(':')}::/64`;
}

/** An address without its zone; an IPv4 address in the form of IPv6 as what it is. */
export function plainAddress(address: string): string {
  return address.replace(/^::ffff:(?=\d+\.)/i, '').replace(/%.*$/, '');
}
