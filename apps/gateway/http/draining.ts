import type { Server } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';

/** How long clients that hold a connection have to hear, with an answer, that it ends. */
const NOTICE_MS = 500;
const LOOK_EVERY_MS = 10;

/**
 * The time between SIGTERM and the end. Every answer then says `Connection: close`, so that clients leave by themselves
 * and nobody's request meets a connection that was just cut (RFC 9112 section 9.6).
 */
export class Draining {
  private isOn = false;

  get isDraining(): boolean {
    return this.isOn;
  }

  /** Resolves when the clients have left, or have had time to. */
  async begin(server: Server): Promise<void> {
    this.isOn = true;
    const deadlineMs = performance.now() + NOTICE_MS;
    while ((await connections(server)) > 0 && performance.now() < deadlineMs) await delay(LOOK_EVERY_MS);
  }
}

function connections(server: Server): Promise<number> {
  return new Promise((resolve) => server.getConnections((error, count) => resolve(error ? 0 : count)));
}
