import type { Server } from 'node:http';
import { Server as TcpServer } from 'node:net';
import { setImmediate as afterPoll, setTimeout as delay } from 'node:timers/promises';
import { type BeforeApplicationShutdown, Inject, Injectable } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import type { Config } from '#config';
import { CONFIG } from '../injected.js';

/** For so long at most. Each turn of the loop takes one connection from the queue of the kernel, which may have 511. */
const ACCEPT_MAX_MS = 2_000;
/** In a longer turn the loop was busy with other things after it had looked at the queue. */
const SHORT_TURN_MS = 0.5;

/**
 * The time between SIGTERM and the end. Every answer says `Connection: close`, so that clients leave by themselves and
 * no request meets a connection that was just closed (RFC 9112 section 9.6). Load balancers need the same time, because
 * they rely on the last answer of /readyz.
 *
 * A connection that looks idle may have a request that was not read yet, because the loop was busy. The kernel resets
 * it when it is closed, and closing the listener resets all connections in its queue. So both are closed in one turn of
 * the loop, right after a short poll phase in which there was nothing left to accept.
 */
@Injectable()
export class Draining implements BeforeApplicationShutdown {
  private isOn = false;

  constructor(
    @Inject(CONFIG) private readonly config: Config,
    private readonly host: HttpAdapterHost,
  ) {}

  get isDraining(): boolean {
    return this.isOn;
  }

  /** Resolves when no new connection is possible and idle connections have ended. */
  async beforeApplicationShutdown(): Promise<void> {
    const server = this.host.httpAdapter.getHttpServer() as Server;
    this.isOn = true;
    await delay(this.config.SHUTDOWN_NOTICE_MS);
    await emptyQueue(server);
    // Not the close of the HTTP server, which also closes idle connections at once.
    if (server.listening) TcpServer.prototype.close.call(server);
    await afterPoll();
    server.closeIdleConnections();
  }
}

async function emptyQueue(server: Server): Promise<void> {
  let accepted = 0;
  const count = () => {
    accepted += 1;
  };
  server.on('connection', count);
  const endMs = performance.now() + ACCEPT_MAX_MS;
  for (let startMs = performance.now(); startMs < endMs; startMs = performance.now()) {
    const before = accepted;
    await afterPoll();
    if (accepted === before && performance.now() - startMs < SHORT_TURN_MS) break;
  }
  server.off('connection', count);
}
