import type { Config } from '#config';
import { carrierQueueName, DISPATCH_QUEUE, type DispatchJob, QueueConsumer, TURNS_QUEUE, type TurnJob } from '#queue';
import type { DispatchCarrierOrders } from './dispatch-carrier-orders.js';
import type { DispatchJobOrders } from './dispatch-job-orders.js';
import { HandedBack } from './dispatch-run.js';
import { carrierConcurrency } from './slot-lines.js';
import type { Turns } from './turns.js';

/** A carrier's queue is one of several, and its jobs wait for the slots of one window; jobs of turns end at once. */
const CARRIER_CONNECTIONS_MAX = 2;
/** A job of a turn only wakes this worker. */
const TURN_CONCURRENCY = 4;

/** Consumers of the common queue, of the queue of turns, and of the queues of the carriers that this worker can hand messages to. */
export class QueueConsumers {
  private readonly common: QueueConsumer<DispatchJob>;
  private readonly turnJobs: QueueConsumer<TurnJob>;
  private readonly ofCarriers = new Map<number, QueueConsumer<DispatchJob>>();
  private readonly stopping = new Map<number, Promise<void>>();
  private isStarted = false;

  constructor(
    private readonly config: Config,
    private readonly orders: DispatchJobOrders,
    private readonly carrierOrders: DispatchCarrierOrders,
    private readonly turns: Turns,
    private readonly onQueueError: (error: unknown) => void,
    private readonly onJobError: (error: unknown) => void,
  ) {
    this.common = this.consumer(DISPATCH_QUEUE, config.WORKER_CONCURRENCY, undefined, (job: DispatchJob) =>
      orders.dispatch(job),
    );
    this.turnJobs = this.consumer(TURNS_QUEUE, TURN_CONCURRENCY, CARRIER_CONNECTIONS_MAX, async () => turns.wake());
  }

  start(): void {
    this.isStarted = true;
    this.common.start();
    this.turnJobs.start();
    this.turns.start();
  }

  /** Works on the queues of these carriers from now on, and of no others. */
  follow(carriers: readonly { readonly carrierId: number; readonly windowSize: number }[]): void {
    if (!this.isStarted) return;
    const wanted = new Set(carriers.map(({ carrierId }) => carrierId));
    for (const [carrierId, consumer] of this.ofCarriers) {
      if (wanted.has(carrierId)) continue;
      this.ofCarriers.delete(carrierId);
      const stopped = consumer.stop(this.config.SHUTDOWN_GRACE_MS).catch(this.onQueueError);
      this.stopping.set(carrierId, stopped);
      void stopped.then(() => this.stopping.delete(carrierId));
    }
    for (const { carrierId, windowSize } of carriers) {
      // One that still stops is followed again at the next call.
      if (this.ofCarriers.has(carrierId) || this.stopping.has(carrierId)) continue;
      const concurrency = carrierConcurrency(this.config.WORKER_CONCURRENCY, windowSize);
      const consumer = this.consumer(
        carrierQueueName(carrierId),
        concurrency,
        CARRIER_CONNECTIONS_MAX,
        (job: DispatchJob) => this.carrierOrders.dispatch(carrierId, job),
      );
      this.ofCarriers.set(carrierId, consumer);
      consumer.start();
    }
  }

  /** Each consumer of orders with the carrier whose queue it works on; undefined: the common one. */
  all(): { readonly carrierId: number | undefined; readonly consumer: QueueConsumer<DispatchJob> }[] {
    const ofCarriers = [...this.ofCarriers].map(([carrierId, consumer]) => ({ carrierId, consumer }));
    return [{ carrierId: undefined, consumer: this.common }, ...ofCarriers];
  }

  /** Stops taking jobs and waits for those under way. */
  async stop(): Promise<void> {
    this.isStarted = false;
    this.orders.stop();
    this.carrierOrders.stop();
    // The carriers have given up on their answers by then (half of the grace), and the rest of the process needs its part.
    const waitMaxMs = this.config.SHUTDOWN_GRACE_MS * 0.75;
    const consumers = [this.turnJobs, ...this.all().map(({ consumer }) => consumer)];
    await Promise.all([
      this.turns.stop(waitMaxMs),
      ...consumers.map((consumer) => consumer.stop(waitMaxMs)),
      ...this.stopping.values(),
    ]);
  }

  private consumer<Data>(
    queueName: string,
    concurrency: number,
    connectionsMax: number | undefined,
    work: (job: Data) => Promise<void>,
  ): QueueConsumer<Data> {
    return new QueueConsumer(this.config, {
      queueName,
      concurrency,
      ...(connectionsMax !== undefined && { connectionsMax }),
      work,
      onQueueError: this.onQueueError,
      onJobError: (error) => {
        if (!(error instanceof HandedBack)) this.onJobError(error);
      },
    });
  }
}
