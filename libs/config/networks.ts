import { isIP } from 'node:net';

/** The fault of a list of addresses and networks (`10.0.0.0/8,192.0.2.7`); undefined if there is none. */
export function networksProblem(list: unknown): string | undefined {
  const wrong = String(list)
    .split(',')
    .find((one) => !isNetwork(one));
  return wrong === undefined
    ? undefined
    : `must be IP addresses or networks like 10.0.0.0/8, with commas between; not "${wrong}"`;
}

/** The same of a list of proxies. Fastify refuses a network of all addresses without naming a setting. */
export function proxiesProblem(list: unknown): string | undefined {
  const hasAll = String(list)
    .split(',')
    .some((one) => one.endsWith('/0'));
  return (
    networksProblem(list) ?? (hasAll ? 'must not name all addresses: any client could choose its own then' : undefined)
  );
}

/** Whether a text is an IP address or a network like `10.0.0.0/8`; an address with a zone is a link, not a place. */
export function isNetwork(text: string): boolean {
  const [address = '', bits, ...more] = text.split('/');
  const version = isIP(address);
  if (version === 0 || address.includes('%') || more.length > 0) return false;
  return bits === undefined || (/^(0|[1-9]\d{0,2})$/.test(bits) && Number(bits) <= (version === 4 ? 32 : 128));
}
