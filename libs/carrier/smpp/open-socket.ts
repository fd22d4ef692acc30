import { connect as connectTcp, type LookupFunction, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import type { CompleteSettings } from './settings.js';
import { tlsOptions } from './tls.js';

/** If a host has several addresses, this many are tried within the timeout for connecting. */
const ADDRESSES_TRIED = 4;

/** A socket that connects to a carrier, with or without TLS. */
export function openSocket(settings: CompleteSettings, lookup: LookupFunction): Socket {
  const { host, port, tls, connectTimeoutMs } = settings;
  const endpoint = {
    host,
    port,
    lookup,
    autoSelectFamily: true,
    // Node's own 250 ms is less than a round trip to a far carrier.
    autoSelectFamilyAttemptTimeout: Math.max(10, Math.ceil(connectTimeoutMs / ADDRESSES_TRIED)),
  };
  const socket = tls ? connectTls({ ...endpoint, ...tlsOptions(settings) }) : connectTcp(endpoint);
  // Without it, Nagle's algorithm and delayed ACKs limit a small window to 80 submits a second instead of 11,000.
  socket.setNoDelay(true);
  socket.setKeepAlive(true, 30_000);
  return socket;
}
