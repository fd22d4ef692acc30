import type { Server } from 'node:http';
import { Server as TcpServer } from 'node:net';
import { setImmediate as afterPoll, setTimeout as delay } from 'node:timers/promises';
import { type BeforeApplicationShutdown, Inject, Injectable } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import type { Config } from '#config';
import { CONFIG } from '../injected.js';

/** Turns of the loop, each of which takes one connection off the kernel's queue. */
const ACCEPT_TURNS_MAX = 1_000;

/**
 * The time between SIGTERM and the end. Every answer then says `Connection: close`, so that clients leave by themselves
 * and nobody's request meets a connection that was just cut (RFC 9112 section 9.6). The notice is as long for those who
 * are not connected: whoever shares out requests goes by what /readyz said last.
 *
 * A connection that looks idle may hold a request that was not read yet, because the loop was busy; the kernel resets
 * it when it is closed, and with the listener all connections that were not taken off its queue. So both are closed in
 * the turn of the loop, and right after the poll phase, in which there was nothing left to take.
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

  /** Resolves when nobody can connect any more, and idle connections have ended. */
  async beforeApplicationShutdown(): Promise<void> {
    const server = this.host.httpAdapter.getHttpServer() as Server;
    this.isOn = true;
    await delay(this.config.SHUTDOWN_NOTICE_MS);
    await emptyQueue(server);
    // Not the close of the HTTP server, which cuts idle connections in the same breath.
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
  for (let turns = 0, before = -1; accepted > before && turns < ACCEPT_TURNS_MAX; turns += 1) {
    before = accepted;
    await afterPoll();
  }
  server.off('connection', count);
}
