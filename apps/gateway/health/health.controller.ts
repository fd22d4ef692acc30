import { Controller, Get, Res } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { VERSION } from '#config';
import { carriersInSum, Database, findHold, listCarriers, liveProcesses } from '#persistence';
import { DispatchQueue } from '#queue';
import { Draining } from '../http/draining.js';

const CHECK_TIMEOUT_MS = 2_000;
const LOOK_KEPT_MS = 1_000;

/** `/healthz`: the process runs. `/readyz`: it can accept messages: it is not stopping, and its database answers. */
@ApiExcludeController()
@Controller()
export class HealthController {
  private lastLook: { readonly readiness: Promise<Readiness>; readonly untilMs: number } | undefined;

  constructor(
    private readonly database: Database,
    private readonly queue: DispatchQueue,
    private readonly draining: Draining,
  ) {}

  @Get('healthz')
  alive(): { status: string; version: string } {
    return { status: 'ok', version: VERSION };
  }

  /**
   * A queue that is away does not make the gateway unready: orders are accepted and announced later. Neither does a hold,
   * which keeps back what was open at a restore, nor carriers that are down: what is for them waits.
   */
  @Get('readyz')
  async ready(@Res({ passthrough: true }) reply: FastifyReply): Promise<Record<string, string>> {
    const { isUp, ...parts } = await this.look();
    const isReady = isUp && !this.draining.isDraining;
    if (!isReady) void reply.status(503);
    return { status: isReady ? 'ready' : 'unready', ...parts };
  }

  /** One look for everybody who asks within a second: anybody may ask, and each look is four queries. */
  private look(): Promise<Readiness> {
    const nowMs = performance.now();
    if (this.lastLook === undefined || this.lastLook.untilMs <= nowMs) {
      this.lastLook = { readiness: this.readiness(), untilMs: nowMs + LOOK_KEPT_MS };
    }
    return this.lastLook.readiness;
  }

  private async readiness(): Promise<Readiness> {
    const hold = findHold(this.database);
    const carriers = Promise.all([listCarriers(this.database), liveProcesses(this.database, 'worker')]);
    const [database, queue] = await Promise.all([answers(Promise.all([hold, carriers])), answers(this.queue.depth())]);
    return {
      isUp: database,
      database: word(database),
      queue: word(queue),
      ...(database && { carriers: carriersInSum(...(await carriers)) }),
      ...(database && (await hold) !== undefined && { hold: 'active' }),
    };
  }
}

interface Readiness {
  readonly isUp: boolean;
  readonly database: string;
  readonly queue: string;
  readonly carriers?: string;
  readonly hold?: string;
}

async function answers(check: Promise<unknown>): Promise<boolean> {
  const late = new Promise<boolean>((resolve) => setTimeout(() => resolve(false), CHECK_TIMEOUT_MS).unref());
  return Promise.race([check.then(() => true).catch(() => false), late]);
}

function word(isUp: boolean): string {
  return isUp ? 'up' : 'down';
}
