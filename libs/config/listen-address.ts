import { networkInterfaces } from 'node:os';
import { ConfigError } from './config-error.js';

/** What a process listens on. */
export interface Listener {
  /** The setting that chooses the port; that of its host has HOST in place of PORT. */
  readonly setting: string;
  readonly host: string;
  /** 0 takes a free one. */
  readonly port: number;
}

/** Why a process cannot listen, in one line that names the setting to change. */
export function listenFault({ setting, host, port }: Listener, error: unknown): ConfigError {
  const { code, message } = error as NodeJS.ErrnoException;
  if (code === 'EADDRINUSE') return new ConfigError(`port ${port} on ${host} is taken: set ${setting} to a free one`);
  if (code === 'EACCES') return new ConfigError(`port ${port} needs more rights: set ${setting} to one above 1023`);
  const hostSetting = setting.replace('PORT', 'HOST');
  return new ConfigError(`cannot listen on ${host}:${port} (${hostSetting}, ${setting}): ${message}`);
}

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
