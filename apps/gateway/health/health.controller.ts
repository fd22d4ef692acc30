import { Controller, Get, Res } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { VERSION } from '#config';
import { carriersInSum, Database, findHold, listCarriers, liveProcesses, takesWrites } from '#persistence';
import { DispatchQueues } from '#queue';
import { KeptAnswer, withinMs } from '#timing';
import { Draining } from '../http/draining.js';

const CHECK_TIMEOUT_MS = 2_000;
const LOOK_KEPT_MS = 1_000;

/**
 * `/healthz`: the process runs. `/readyz`: it can accept messages: it is not stopping, and its database takes writes.
 */
@ApiExcludeController()
@Controller()
export class HealthController {
  /** One reading for all requests within a second: anybody may ask, and each reading is five queries. */
  private readonly look = new KeptAnswer(LOOK_KEPT_MS, () => this.readiness());

  constructor(
    private readonly database: Database,
    private readonly queues: DispatchQueues,
    private readonly draining: Draining,
  ) {}

  @Get('healthz')
  alive(): { status: string; version: string } {
    return { status: 'ok', version: VERSION };
  }

  /**
   * A gateway stays ready while the queue is away (it accepts orders and enqueues them later), while a hold keeps back
   * the orders of a restored database, and while carriers are down (their messages wait).
   */
  @Get('readyz')
  async ready(@Res({ passthrough: true }) reply: FastifyReply): Promise<Record<string, string>> {
    const { isUp, ...parts } = await this.look.get();
    const isReady = isUp && !this.draining.isDraining;
    if (!isReady) void reply.status(503);
    return { status: isReady ? 'ready' : 'unready', ...parts };
  }

  private async readiness(): Promise<Readiness> {
    const hold = findHold(this.database);
    const carriers = Promise.all([listCarriers(this.database), liveProcesses(this.database, 'worker')]);
    const writes = takesWrites(this.database);
    const [database, queue] = await Promise.all([
      answers(Promise.all([hold, carriers, writes])),
      answers(this.queues.ping()),
    ]);
    const isReadOnly = database && !(await writes);
    return {
      isUp: database && !isReadOnly,
      database: isReadOnly ? 'read-only' : word(database),
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
  return withinMs(check, CHECK_TIMEOUT_MS).then(
    () => true,
    () => false,
  );
}

function word(isUp: boolean): string {
  return isUp ? 'up' : 'down';
}
