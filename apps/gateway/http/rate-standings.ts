import { Injectable } from '@nestjs/common';
import type { FastifyInstance, FastifyReply } from 'fastify';
import { Coalescer } from '#batching';
import { Database, rateLimitAhead } from '#persistence';
import { withinMs } from '#timing';
import type { AuthenticatedRequest } from './authenticate.js';

/** Accounts of which the last standing is remembered. */
const ACCOUNTS_MAX = 10_000;
/** An answer waits for the standing no longer than this, and then goes out without it. */
const READ_WAIT_MAX_MS = 250;
const READS = { itemsMax: 500, pendingMax: 5_000, waitMaxMs: READ_WAIT_MAX_MS };

interface Standing {
  /** How far the messages of the account are ahead of their pace. */
  readonly aheadMs: number;
  /** When that was so, by `performance.now()`. */
  readonly atMs: number;
}

/**
 * What remains of the limit of messages of each account that has one. All gateways share the limit, and only the commit
 * of a send knows it. So an answer tells what the commit said, if that was after its request came; otherwise it asks
 * the database, in one query for all answers that ask at the same time. Accounts without a limit never come here.
 */
@Injectable()
export class RateStandings {
  private readonly known = new Map<string, Standing>();
  private readonly reads: Coalescer<string, number>;

  constructor(database: Database) {
    this.reads = new Coalescer((accountIds) => rateLimitAhead(database, accountIds), READS);
  }

  /** The commit of a send said so. */
  note(accountId: string, aheadMs: number): void {
    this.known.delete(accountId);
    if (this.known.size >= ACCOUNTS_MAX) {
      const [oldest = ''] = this.known.keys();
      this.known.delete(oldest);
    }
    this.known.set(accountId, { aheadMs, atMs: performance.now() });
  }

  /** Sets the headers of draft-ietf-httpapi-ratelimit-headers-11 on every answer of an account with a limit. */
  attach(fastify: FastifyInstance): void {
    fastify.addHook('onSend', (request: AuthenticatedRequest, reply, payload, done) => {
      const { account } = request;
      if (account?.rateLimitPerSecond === undefined) {
        done(null, payload);
        return;
      }
      const go = () => done(null, payload);
      this.tell(account.accountId, account.rateLimitPerSecond, reply).then(go, go);
    });
  }

  private async tell(accountId: string, perSecond: number, reply: FastifyReply): Promise<void> {
    addTo(reply, 'ratelimit-policy', `"messages";q=${perSecond};w=1;heliograph-unit="messages"`);
    const aheadMs = await this.aheadMs(accountId, reply);
    if (aheadMs === undefined) return;
    const { remaining, windowSeconds } = standingOf(perSecond, aheadMs);
    addTo(reply, 'ratelimit', `"messages";r=${remaining};t=${windowSeconds}`);
    const retryAfter = Number(reply.getHeader('retry-after'));
    if (retryAfter < windowSeconds) void reply.header('retry-after', String(windowSeconds));
  }

  /** As of a moment after the request came; undefined if it is not known and must not be asked for, or not in time. */
  private async aheadMs(accountId: string, reply: FastifyReply): Promise<number | undefined> {
    const nowMs = performance.now();
    const known = this.known.get(accountId);
    if (known !== undefined && known.atMs >= nowMs - reply.elapsedTime) return known.aheadMs - (nowMs - known.atMs);
    // A refusal that protects the database, or tells that it is away, asks it for nothing.
    if (reply.statusCode === 429 || reply.statusCode >= 500) return undefined;
    return withinMs(this.reads.add(accountId), READ_WAIT_MAX_MS).catch(() => undefined);
  }
}

function addTo(reply: FastifyReply, name: string, item: string): void {
  const others = reply.getHeader(name);
  void reply.header(name, others === undefined ? item : `${String(others)}, ${item}`);
}

/**
 * The standing in the words of the draft: the messages that may be sent now, and the seconds in which there are no more
 * than these. The limit is a GCRA with a burst of one second, as `accept_messages()` has it.
 */
export function standingOf(perSecond: number, aheadMs: number): { remaining: number; windowSeconds: number } {
  const messageMs = 1_000 / perSecond;
  const ahead = Math.max(0, aheadMs);
  const remaining = Math.floor((1_000 + messageMs / 2 - ahead) / messageMs);
  if (remaining > 0) return { remaining: Math.min(remaining, perSecond), windowSeconds: 1 };
  return { remaining: 0, windowSeconds: Math.max(1, Math.ceil((ahead + messageMs - 1_000) / 1_000)) };
}
