import { connect as connectTcp, type LookupFunction, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { severalAddresses } from '../several-addresses.js';
import type { CompleteSettings } from './settings.js';
import { tlsOptions } from './tls.js';

/** A socket that connects to a carrier, with or without TLS. */
export function openSocket(settings: CompleteSettings, lookup: LookupFunction): Socket {
  const { host, port, tls, connectTimeoutMs } = settings;
  const endpoint = { host, port, lookup, ...severalAddresses(connectTimeoutMs) };
  const socket = tls ? connectTls({ ...endpoint, ...tlsOptions(settings) }) : connectTcp(endpoint);
  // Without it, Nagle's algorithm and delayed ACKs limit a small window to 80 submits a second instead of 11,000.
  socket.setNoDelay(true);
  socket.setKeepAlive(true, 30_000);
  return socket;
}
