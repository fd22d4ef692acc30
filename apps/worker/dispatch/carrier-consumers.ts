import { BullModule, Processor, type WorkerHost } from '@nestjs/bullmq';
import { type DynamicModule, Inject, Injectable, Module, type Type } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { Worker } from 'bullmq';
import type { Config } from '#config';
import { Database } from '#persistence';
import { CONSUMER_TIMES, carrierQueueName, consumerOptions, endConnections } from '#queue';
import { type Logger, nestLogger } from '#telemetry';
import { NoAnswerInTime, withinMs } from '#timing';
import { CarrierPool } from '../carriers/carrier-pool.js';
import type { PooledCarrier } from '../carriers/pooled-carrier.js';
import { CONFIG, LOG } from '../injected.js';
import { RepeatedFaults } from '../operations/repeated-faults.js';
import { DispatchProcessor, type SlotRequests } from './dispatch.processor.js';
import { DispatchOrders } from './dispatch-orders.js';
import { Feeder } from './feeder.js';

/** The processor of one carrier's queue, as a Nest module of its own: it starts when its carrier comes. */
@Module({})
class ConsumerModule {
  static of(queueName: string, config: Config, processor: WorkerHost): DynamicModule {
    return {
      module: ConsumerModule,
      // registerQueue() brings the part of BullModule that finds processors.
      imports: [BullModule.forRoot(consumerOptions(config, queueName)), BullModule.registerQueue()],
      providers: [{ provide: processor.constructor as Type<WorkerHost>, useValue: processor }],
    };
  }
}

/** How long a worker empties the queue of a removed carrier: gateways that have not heard of it yet still use it. */
const EMPTIED_FOR_MS = 10_000;

interface Consumer {
  readonly slots: SlotRequests;
  /** Resolves when it has started. */
  readonly close: Promise<() => Promise<void>>;
}

/** The consumers of the carriers' queues: one for each carrier that this worker may hand messages to. */
@Injectable()
export class CarrierConsumers {
  /** Whether this worker claims orders. */
  isStarted = false;
  private readonly running = new Map<PooledCarrier, Consumer>();
  private readonly stopping = new Map<PooledCarrier, Promise<void>>();

  constructor(
    @Inject(CONFIG) private readonly config: Config,
    @Inject(LOG) private readonly log: Logger,
    private readonly pool: CarrierPool,
    private readonly orders: DispatchOrders,
    private readonly database: Database,
    private readonly feeder: Feeder,
    private readonly faults: RepeatedFaults,
  ) {}

  start(): void {
    this.isStarted = true;
    this.follow();
  }

  /**
   * Works on the queues of these carriers: all but those that only other workers are bound to. What is on the queue of
   * a carrier that was removed goes back into the backlogs.
   */
  follow(): void {
    if (!this.isStarted) return;
    const wanted = this.pool.all().filter(({ readiness }) => readiness !== 'bound-elsewhere');
    for (const [carrier, consumer] of this.running) {
      if (wanted.includes(carrier)) continue;
      // Without slots, jobs put their orders back into the backlogs.
      if (this.isToBeEmptied(carrier)) consumer.slots.close();
      else this.end(carrier, consumer);
    }
    // One that still stops is started again at the next call.
    for (const carrier of wanted) {
      if (!this.running.has(carrier) && !this.stopping.has(carrier)) this.begin(carrier);
    }
  }

  /** Claims nothing more from this moment; resolves when the jobs that were begun are over. */
  async stop(): Promise<void> {
    this.isStarted = false;
    for (const [carrier, consumer] of this.running) this.end(carrier, consumer);
    await Promise.all(this.stopping.values());
  }

  /** A carrier that comes under the name of one that was removed has its queue. */
  private isToBeEmptied({ removedMs, stored }: PooledCarrier): boolean {
    const isTaken = this.pool.all().some((other) => other.stored.name === stored.name);
    return !isTaken && performance.now() - removedMs < EMPTIED_FOR_MS;
  }

  private begin(carrier: PooledCarrier): void {
    const queueName = carrierQueueName(carrier.stored.name);
    // A class for each queue: the decorator that names the queue belongs to a class.
    @Processor(queueName, { ...CONSUMER_TIMES, concurrency: this.config.WORKER_CONCURRENCY })
    class CarrierProcessor extends DispatchProcessor {}
    const { orders, database, feeder, faults } = this;
    const processor = new CarrierProcessor(carrier, orders, database, feeder, faults);
    const { slots } = processor;
    carrier.onSlotsFree = () => slots.mayBeFree();
    const close = this.consume(queueName, processor);
    close.catch((error: unknown) => {
      this.faults.queueUnreachable(error);
      this.running.delete(carrier);
    });
    this.running.set(carrier, { slots, close });
  }

  private async consume(queueName: string, processor: DispatchProcessor): Promise<() => Promise<void>> {
    const context = await NestFactory.createApplicationContext(ConsumerModule.of(queueName, this.config, processor), {
      logger: nestLogger(this.log),
      abortOnError: false,
    });
    return () => closeConsumer(processor.worker, this.config, () => context.close());
  }

  private end(carrier: PooledCarrier, { slots, close }: Consumer): void {
    this.running.delete(carrier);
    slots.close();
    const closed = close
      .then((closeNow) => closeNow())
      .catch((error: unknown) => this.faults.queueUnreachable(error))
      .finally(() => this.stopping.delete(carrier));
    this.stopping.set(carrier, closed);
  }
}

/** Of the grace of a shutdown: carriers give up on their answers after half of it, and the process needs a rest. */
export const GRACE_PART = 0.75;

/** Closes a consumer when its jobs are over. It waits for a part of the grace only: a dead connection never answers. */
export async function closeConsumer(
  consumer: Worker,
  { SHUTDOWN_GRACE_MS }: Config,
  close = () => consumer.close(),
): Promise<void> {
  try {
    await withinMs(close(), SHUTDOWN_GRACE_MS * GRACE_PART);
  } catch (error) {
    if (!(error instanceof NoAnswerInTime)) throw error;
    endConnections(consumer);
  }
}
