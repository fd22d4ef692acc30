import { isIPv6 } from 'node:net';
import type { Config } from '#config';

/** For Fastify: whose X-Forwarded-For is believed; nobody's unless the operator says so. */
export function trustedProxies({ TRUSTED_PROXIES }: Config): { readonly trustProxy?: string[] } {
  return TRUSTED_PROXIES === undefined ? {} : { trustProxy: TRUSTED_PROXIES.split(',') };
}

/** The address of a connection is gone with it, whatever Fastify's types say; all that hung up count as one. */
const HUNG_UP = 'hung up';

/**
 * Whom an address counts as: an IPv4 address is one client, of IPv6 everybody in the same /64, which is what one
 * client gets at the least.
 */
export function clientNetwork(address: string | undefined): string {
  if (address === undefined) return HUNG_UP;
  const plain = address.replace(/^::ffff:(?=\d+\.)/i, '');
  if (!isIPv6(plain)) return plain;
  const [head = '', tail] = (plain.split('%')[0] ?? '').split('::');
  const groups = head === '' ? [] : head.split(':');
  const rest = tail === undefined || tail === '' ? [] : tail.split(':');
  const zeros = tail === undefined ? 0 : Math.max(0, 8 - groups.length - rest.length);
  const all = [...groups, ...Array<string>(zeros).fill('0'), ...rest];
  return `${all
    .slice(0, 4)
    .map((group) => Number.parseInt(group, 16).toString(16))
    .join(':')}::/64`;
}
