import { Inject, Injectable } from '@nestjs/common';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Config } from '#config';
import { LineLimit, type Logger } from '#telemetry';
import { CONFIG, LOG } from '../injected.js';
import type { AuthenticatedRequest } from './authenticate.js';
import type { Problem } from './problem.js';

/**
 * Lines of refusals a second: of accounts, and of requests without a valid key, so that strangers cannot hide the
 * refusals of accounts.
 */
const ACCOUNT_REFUSALS_PER_SECOND = 100;
const OTHER_REFUSALS_PER_SECOND = 20;

declare module 'fastify' {
  interface FastifyReply {
    /** The code of the problem document in the answer. */
    problemCode?: Problem['code'];
  }
}

type AccessLogConfig = Pick<Config, 'ACCESS_LOG' | 'ACCESS_LOG_SAMPLE'>;

/**
 * One line for a request: the account, the route and the outcome; never a text, a number or a key. Refusals are written
 * unless the log is off, up to a limit. Successes are written if it is `all`, one in ACCESS_LOG_SAMPLE. A line costs 14
 * µs of processor time, a quarter of a core at 20,000 requests a second, so successes are off by default.
 */
@Injectable()
export class AccessLog {
  private readonly ofAccounts: LineLimit;
  private readonly ofOthers: LineLimit;
  private untilNextSample = 0;

  constructor(
    @Inject(CONFIG) private readonly config: AccessLogConfig,
    @Inject(LOG) private readonly log: Logger,
  ) {
    const limit = (linesPerSecond: number, whose: string) =>
      new LineLimit(linesPerSecond, (leftOut) => log.warn({ leftOut, whose }, 'refused requests were not logged'));
    this.ofAccounts = limit(ACCOUNT_REFUSALS_PER_SECOND, 'accounts');
    this.ofOthers = limit(OTHER_REFUSALS_PER_SECOND, 'others');
  }

  /** Writes a line for every request of the gateway when it is answered. */
  attach(fastify: FastifyInstance): void {
    if (this.config.ACCESS_LOG === 'off') return;
    fastify.addHook('onResponse', (request, reply, done) => {
      this.answered(request, reply);
      done();
    });
  }

  /** Writes a line for data that could not be read as a request. */
  readonly unreadable = (requestId: string, { code, status }: Problem): void => {
    if (this.config.ACCESS_LOG !== 'off' && this.ofOthers.admits())
      this.log.info({ requestId, status, code }, 'request');
  };

  private answered(request: FastifyRequest, reply: FastifyReply): void {
    const isRefused = reply.statusCode >= 400;
    if (isRefused ? !this.admitsRefusal(request) : !this.admitsSuccess()) return;
    const fields = lineOf(request, reply);
    if (reply.statusCode >= 500) this.log.warn(fields, 'request');
    else this.log.info(fields, 'request');
  }

  private admitsRefusal(request: AuthenticatedRequest): boolean {
    return (request.account === undefined ? this.ofOthers : this.ofAccounts).admits();
  }

  private admitsSuccess(): boolean {
    if (this.config.ACCESS_LOG !== 'all') return false;
    if (this.untilNextSample > 0) {
      this.untilNextSample -= 1;
      return false;
    }
    this.untilNextSample = this.config.ACCESS_LOG_SAMPLE - 1;
    return true;
  }
}

/** Logs the route and not the path, because a path that nothing serves may contain anything. */
function lineOf(request: AuthenticatedRequest, reply: FastifyReply): Record<string, unknown> {
  return {
    requestId: request.id,
    accountId: request.account?.accountId,
    method: request.method,
    route: request.routeOptions?.url,
    status: reply.statusCode,
    code: reply.problemCode,
    durationMs: Math.round(reply.elapsedTime * 10) / 10,
    bytes: Number(reply.getHeader('content-length') ?? 0),
  };
}
