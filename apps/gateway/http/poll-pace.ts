import { Injectable } from '@nestjs/common';
import type { FastifyInstance, FastifyRequest } from 'fastify';

/** What a page of a console sends with requests that no person has made. */
const BACKGROUND_HEADER = 'x-background';
/** How many times less often the page is to ask by itself; a page that gets none asks as often as it likes. */
const FACTOR_HEADER = 'x-poll-factor';
/** Polls of all open consoles that a gateway answers in a second: they cost at most a twentieth of a core. */
const POLLS_PER_SECOND = 50;
const WINDOW_MS = 2_000;
/** In one window. Pages hear of a new factor with their next poll, so that a quicker change would swing. */
const RISE_MAX = 1.1;
const FALL_MAX = 0.95;
const FACTOR_MAX = 20;

/** Nobody waits for the answer: a page has asked by itself. */
export function isBackground({ headers }: FastifyRequest): boolean {
  return headers[BACKGROUND_HEADER] !== undefined;
}

/**
 * Consoles that stay open ask again and again. With the answers to these polls the gateway tells them how often they
 * may: as often as they like while few are open, and less often the more there are, so that all of them together ask
 * for no more than `POLLS_PER_SECOND`. A page that a person opens, or comes back to, is never slowed.
 */
@Injectable()
export class PollPace {
  private polls = 0;
  private sinceMs = performance.now();
  private current = 1;

  /** Counts a poll; how many times less often its page is to ask from now on, 1 or more. */
  take(nowMs = performance.now()): number {
    const elapsedMs = nowMs - this.sinceMs;
    if (elapsedMs >= WINDOW_MS) {
      const windows = elapsedMs / WINDOW_MS;
      const share = (this.polls * 1_000) / elapsedMs / POLLS_PER_SECOND;
      const change = Math.max(FALL_MAX ** windows, Math.min(RISE_MAX ** windows, share));
      this.current = Math.max(1, Math.min(FACTOR_MAX, this.current * change));
      this.polls = 0;
      this.sinceMs = nowMs;
    }
    this.polls += 1;
    return this.current;
  }

  attach(server: FastifyInstance): void {
    server.addHook('onRequest', (request, reply, done) => {
      if (isBackground(request)) {
        const factor = this.take();
        if (factor > 1) void reply.header(FACTOR_HEADER, factor.toFixed(1));
      }
      done();
    });
  }
}
