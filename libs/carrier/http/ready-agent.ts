import http from 'node:http';
import https from 'node:https';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { severalAddresses } from '../several-addresses.js';

/**
 * Shorter than servers usually keep a connection (5 s and more): a request on a connection that the server has just
 * closed would be in doubt.
 */
const IDLE_MAX_MS = 4_000;

type Created = (error: Error | null, stream: Duplex) => void;

class ConnectTimeout extends Error {
  readonly code = 'TIMEOUT';
}

interface AgentSettings {
  readonly tls: boolean;
  readonly tlsCaPem?: string | undefined;
  readonly windowSize: number;
  readonly connectTimeoutMs: number;
}

/**
 * Keeps connections for the next request, and hands out a new one only when it is ready: connected and, with TLS, with
 * a verified certificate. A request that fails before it has such a connection was certainly not written.
 */
export function readyAgent(settings: AgentSettings): http.Agent {
  const kept = {
    keepAlive: true,
    maxFreeSockets: settings.windowSize,
    timeout: IDLE_MAX_MS,
    scheduling: 'lifo' as const,
  };
  if (!settings.tls) return new ReadyHttpAgent(kept, settings.connectTimeoutMs);
  const ca = settings.tlsCaPem === undefined ? {} : { ca: settings.tlsCaPem };
  return new ReadyHttpsAgent({ ...kept, ...ca, rejectUnauthorized: true }, settings.connectTimeoutMs);
}

class ReadyHttpAgent extends http.Agent {
  constructor(
    options: http.AgentOptions,
    private readonly connectTimeoutMs: number,
  ) {
    super(options);
  }

  override createConnection(options: http.ClientRequestArgs, created?: Created): undefined {
    const tried = { ...options, ...severalAddresses(this.connectTimeoutMs) };
    handOutReady(super.createConnection(tried), 'connect', this.connectTimeoutMs, created);
  }
}

class ReadyHttpsAgent extends https.Agent {
  constructor(
    options: https.AgentOptions,
    private readonly connectTimeoutMs: number,
  ) {
    super(options);
  }

  override createConnection(options: https.RequestOptions, created?: Created): undefined {
    const tried = { ...options, ...severalAddresses(this.connectTimeoutMs) };
    handOutReady(super.createConnection(tried), 'secureConnect', this.connectTimeoutMs, created);
  }
}

function handOutReady(
  stream: Duplex | null | undefined,
  readyEvent: 'connect' | 'secureConnect',
  timeoutMs: number,
  created: Created | undefined,
): void {
  const socket = stream as Socket;
  const settle = (error: Error | null) => {
    clearTimeout(timer);
    socket.removeListener(readyEvent, ready);
    socket.removeListener('error', failed);
    socket.removeListener('close', closed);
    if (error !== null) {
      socket.on('error', () => undefined);
      socket.destroy();
    }
    created?.(error, socket);
  };
  const ready = () => settle(null);
  const failed = (error: Error) => settle(error);
  const closed = () => settle(new Error('closed while connecting'));
  const timer = setTimeout(() => settle(new ConnectTimeout(`not connected within ${timeoutMs} ms`)), timeoutMs);
  socket.once(readyEvent, ready);
  socket.once('error', failed);
  socket.once('close', closed);
}
