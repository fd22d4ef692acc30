import type { WorkerHost } from '@nestjs/bullmq';
import { BullModule, Processor } from '@nestjs/bullmq';
import { type DynamicModule, Module, type Type } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { Config } from '#config';
import { carrierQueueName, consumerOptions, endConnections, queueOptions } from '#queue';
import { NoAnswerInTime, withinMs } from '#timing';
import type { PooledCarrier } from '../carriers/pooled-carrier.js';
import { type DispatchDependencies, DispatchProcessor } from './dispatch.processor.js';
import { SlotRequests } from './slot-requests.js';

/** Of the grace of a shutdown: carriers give up on their answers after half of it, and the process needs a rest. */
export const GRACE_PART = 0.75;

/** One queue with its processor, as a Nest module that is started when its carrier comes and closed when it goes. */
@Module({})
class ConsumerModule {
  static of(queueName: string, config: Config, processor: WorkerHost): DynamicModule {
    return {
      module: ConsumerModule,
      imports: [
        BullModule.forRoot(queueOptions(config, 'consumer', queueName)),
        // Brings the part that finds processors; producers have the queue itself.
        BullModule.registerQueue(),
      ],
      providers: [{ provide: processor.constructor as Type<WorkerHost>, useValue: processor }],
    };
  }
}

export interface RunningConsumer {
  /** Waits so long for the jobs that were begun; a dead connection answers never. */
  close(waitMaxMs: number): Promise<void>;
}

interface Consumer {
  readonly slots: SlotRequests;
  readonly consumer: Promise<RunningConsumer>;
}

/** The consumers of the carriers' queues, one for each carrier that this worker may hand messages to. */
export class CarrierConsumers {
  private readonly running = new Map<number, Consumer>();
  private readonly stopping = new Map<number, Promise<void>>();
  private isStarted = false;

  constructor(
    private readonly config: Config,
    private readonly shared: DispatchDependencies,
  ) {}

  start(): void {
    this.isStarted = true;
  }

  /** Works on the queues of these carriers from now on, and of no others. */
  follow(carriers: readonly PooledCarrier[]): void {
    if (!this.isStarted) return;
    const wanted = new Set(carriers.map(({ id }) => id));
    for (const [carrierId, consumer] of this.running) if (!wanted.has(carrierId)) this.end(carrierId, consumer);
    // One that still stops is started again at the next call.
    for (const carrier of carriers) {
      if (!this.running.has(carrier.id) && !this.stopping.has(carrier.id)) this.begin(carrier);
    }
  }

  /** Starts no further job and claims nothing more; resolves when the jobs that were begun are over. */
  async stop(): Promise<void> {
    this.isStarted = false;
    for (const [carrierId, consumer] of this.running) this.end(carrierId, consumer);
    await Promise.all(this.stopping.values());
  }

  private begin({ id, stored: { name } }: PooledCarrier): void {
    const { pool, onQueueError } = this.shared;
    const slots = new SlotRequests({
      take: (max) => pool.takeSlotsOf(id, max),
      changed: (timeoutMs) => pool.slotsChangedOf(id, timeoutMs),
    });
    const queueName = carrierQueueName(name);
    const options = { ...consumerOptions(this.config, queueName), concurrency: this.config.WORKER_CONCURRENCY };
    // A class for each queue: the decorator that names the queue and its options belongs to a class.
    @Processor(queueName, options)
    class CarrierProcessor extends DispatchProcessor {}
    const consumer = startConsumer(queueName, this.config, new CarrierProcessor(id, slots, this.shared));
    consumer.catch((error: unknown) => {
      onQueueError(error);
      this.running.delete(id);
    });
    this.running.set(id, { slots, consumer });
  }

  private end(carrierId: number, { slots, consumer }: Consumer): void {
    this.running.delete(carrierId);
    slots.close();
    const closed = consumer
      .then((running) => running.close(this.config.SHUTDOWN_GRACE_MS * GRACE_PART))
      .catch(this.shared.onQueueError)
      .finally(() => this.stopping.delete(carrierId));
    this.stopping.set(carrierId, closed);
  }
}

/** Starts the consumer of one queue. */
export async function startConsumer(
  queueName: string,
  config: Config,
  processor: WorkerHost,
): Promise<RunningConsumer> {
  const context = await NestFactory.createApplicationContext(ConsumerModule.of(queueName, config, processor), {
    logger: false,
    abortOnError: false,
  });
  return {
    close: async (waitMaxMs) => {
      try {
        await withinMs(context.close(), waitMaxMs);
      } catch (error) {
        if (!(error instanceof NoAnswerInTime)) throw error;
        endConnections(processor.worker);
      }
    },
  };
}
