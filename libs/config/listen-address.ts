import { networkInterfaces } from 'node:os';

/** Whether only this machine can reach a listener on this address. */
export function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || /^127(\.\d{1,3}){3}$/.test(host);
}

/**
 * How others reach a listener, as `host:port`. If it listens on all addresses: the first one that other machines can
 * reach.
 *
 * @param host the address of the listener
 */
export function reachableAddress(host: string, port: number): string {
  const isAny = host === '0.0.0.0' || host === '::';
  const outward = isAny ? Object.values(networkInterfaces()).flatMap((all) => all ?? []) : [];
  const found = outward.find(({ internal, family }) => !internal && family === 'IPv4')?.address;
  const name = found ?? (isAny ? '127.0.0.1' : host);
  return name.includes(':') ? `[${name}]:${port}` : `${name}:${port}`;
}
