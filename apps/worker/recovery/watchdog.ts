import { type Database, hasStaleOrders } from '#persistence';
import type { DispatchJob, DispatchQueue, QueueConsumer } from '#queue';
import type { Logger } from '#telemetry';
import type { CarrierPool } from '../carriers/carrier-pool.js';
import type { QueueConsumers } from '../dispatch/queue-consumers.js';
import type { WorkerMetrics } from '../operations/worker-metrics.js';
import type { Reconciler } from './reconciler.js';

type Consumer = QueueConsumer<DispatchJob>;

export interface WatchdogSettings {
  readonly checkEveryMs: number;
  /** How long a consumer may have room and start no job while there are some. */
  readonly idleMaxMs: number;
  /** Orders that wait longer than this, and could go, are a sign that something is wrong. */
  readonly staleAfterSeconds: number;
}

export const WATCHDOG: WatchdogSettings = { checkEveryMs: 5_000, idleMaxMs: 30_000, staleAfterSeconds: 15 };
/** Times in a row that a consumer is found dead: it is made anew, then the process is. */
const DEAD_MAX = 2;

/**
 * Notices a consumer that has died without a word: its connection is gone, or open to nobody, and BullMQ waits on it for
 * ever. It is dead when orders wait, its queue has jobs, its carrier has free slots and it starts none.
 */
export class Watchdog {
  private timer: NodeJS.Timeout | undefined;
  private checking: Promise<void> = Promise.resolve();
  private readonly deaths = new Map<Consumer, { count: number; startedJobs: number }>();
  private isStopped = false;

  constructor(
    private readonly database: Database,
    private readonly queue: DispatchQueue,
    private readonly carriers: CarrierPool,
    private readonly consumers: QueueConsumers,
    private readonly reconciler: Reconciler,
    private readonly metrics: WorkerMetrics,
    private readonly log: Logger,
    private readonly endProcess: () => void,
    private readonly settings: WatchdogSettings = WATCHDOG,
  ) {}

  start(): void {
    this.timer = setTimeout(() => {
      // What cannot be asked now is asked again; outages are logged by those who need what is away.
      this.checking = this.check().catch(() => undefined);
      void this.checking.then(() => {
        if (!this.isStopped) this.start();
      });
    }, this.settings.checkEveryMs);
  }

  async stop(): Promise<void> {
    this.isStopped = true;
    clearTimeout(this.timer);
    await this.checking;
  }

  private async check(): Promise<void> {
    const idle = this.consumers.all().filter(({ consumer }) => consumer.idleMs >= this.settings.idleMaxMs);
    if (idle.length === 0 || !(await hasStaleOrders(this.database, this.settings.staleAfterSeconds))) return;
    for (const { carrierId, consumer } of idle) {
      if (this.isStopped) return;
      if (await this.isDead(carrierId, consumer)) await this.revive(consumer);
    }
  }

  private async isDead(carrierId: number | undefined, consumer: Consumer): Promise<boolean> {
    if (carrierId !== undefined) {
      return this.carriers.hasFreeSlotOf(carrierId) && (await this.queue.readyJobs(carrierId)) > 0;
    }
    if (!this.carriers.hasFreeSlot) return false;
    if ((await this.queue.readyJobs(undefined)) > 0) return true;
    // What this worker alone could have taken has left the queue without being worked on.
    const hasOffered = this.reconciler.offeredWithinMs(consumer.idleMs);
    if (!hasOffered || this.carriers.workers > 1) return false;
    const { waiting, active } = await this.queue.depth();
    return waiting + active === 0;
  }

  private async revive(consumer: Consumer): Promise<void> {
    const before = this.deaths.get(consumer);
    const isInARow = before !== undefined && before.startedJobs === consumer.startedJobs;
    const count = isInARow ? before.count + 1 : 1;
    this.deaths.set(consumer, { count, startedJobs: consumer.startedJobs });
    const facts = { queue: consumer.queueName, idleSeconds: Math.round(consumer.idleMs / 1_000) };
    if (count >= DEAD_MAX) {
      this.log.fatal(
        facts,
        'the consumer of the queue takes no jobs although it was made anew; the process ends to be started again',
      );
      this.isStopped = true;
      this.endProcess();
      return;
    }
    this.log.error(facts, 'the consumer of the queue takes no jobs although messages wait; making it anew');
    this.metrics.restartedConsumers.inc();
    await consumer.restart();
  }
}
