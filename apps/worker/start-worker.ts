import { randomBytes } from 'node:crypto';
import { hostname } from 'node:os';
import { Processor } from '@nestjs/bullmq';
import { NestFactory } from '@nestjs/core';
import { type Config, processDetails, requireDatabaseUrl, secretsKeysOf, sessionDatabaseUrl } from '#config';
import { ChangeListener, checkSessions, Database, KeepHeartbeat, liveProcesses, SecretKeys } from '#persistence';
import {
  consumerOptions,
  DispatchQueues,
  DispatchQueuesModule,
  FEEDER_QUEUE,
  PREVIOUS_DISPATCH_QUEUE,
  queueBackEnd,
  useQueueBackEnd,
} from '#queue';
import { type Logger, nestLogger } from '#telemetry';
import { waitAtMost } from '#timing';
import { type BindLeaseSettings, BindLeases } from './carriers/bind-leases.js';
import { CarrierCosts } from './carriers/carrier-costs.js';
import { CarrierPool } from './carriers/carrier-pool.js';
import { CarrierConsumers, GRACE_PART, startConsumer } from './dispatch/carrier-consumers.js';
import { CarrierTests } from './dispatch/carrier-tests.js';
import { DispatchJournal } from './dispatch/dispatch-journal.js';
import { Feeder } from './dispatch/feeder.js';
import { FeederProcessor } from './dispatch/feeder.processor.js';
import { LeasedOrders } from './dispatch/leased-orders.js';
import { PreviousQueueProcessor } from './dispatch/previous-queue.processor.js';
import { listenForMetrics } from './operations/metrics-listener.js';
import { WorkerMetrics } from './operations/worker-metrics.js';
import { ReceiptWait } from './receipts/receipt-wait.js';
import { SettleReceipts } from './receipts/settle-receipts.js';
import { checkClock, watchClock } from './recovery/clock-check.js';
import { Reconciler } from './recovery/reconciler.js';
import { holdAtStart, watchForRestore } from './recovery/restore-watch.js';
import { RETENTION, Retention, type RetentionBounds } from './recovery/retention.js';

export interface RunningWorker {
  readonly workerId: string;
  /** Of its own `/metrics`; undefined when no port was free. */
  readonly metricsPort: number | undefined;
  /** Stops taking orders, waits for the carriers' answers to what is under way, unbinds, closes. */
  close(): Promise<void>;
}

/** What tests shorten. */
export interface WorkerBounds {
  readonly bindLease?: BindLeaseSettings;
  readonly retention?: RetentionBounds;
}

/** Builds and starts a worker from its settings; the one way that the process and the tests share. */
export async function startWorker(config: Config, log: Logger, bounds: WorkerBounds = {}): Promise<RunningWorker> {
  const databaseUrl = requireDatabaseUrl(config);
  const database = await Database.open({
    url: databaseUrl,
    poolSize: config.DATABASE_POOL_SIZE,
    applicationName: 'heliograph-worker',
    secretKeys: new SecretKeys(secretsKeysOf(config)),
  });
  await checkSessions(config, database, queueBackEnd(config) === 'postgres', (advice) => log.warn(advice));
  const sharesClock = queueBackEnd(config) === 'postgres';
  if (sharesClock) await checkClock(database);
  await holdAtStart(database, config, log);

  const workerId = `worker-${hostname()}-${process.pid}-${randomBytes(3).toString('hex')}`;
  const metrics = new WorkerMetrics();
  const receiptWait = new ReceiptWait(metrics);
  useQueueBackEnd(config);
  const app = await NestFactory.createApplicationContext(DispatchQueuesModule.with(config), {
    logger: nestLogger(log),
    abortOnError: false,
  });
  const queues = app.get(DispatchQueues);
  const onQueueError = warnOncePerSecond(log, 'the queue cannot be reached');
  const onJobError = warnOncePerSecond(
    log,
    'orders could not be dispatched; they are taken over when their lease ends',
  );
  const leased = new LeasedOrders(database, config, workerId, log);
  const journal = new DispatchJournal(database, config, workerId, metrics, receiptWait);
  const receipts = new SettleReceipts(database, config, metrics, receiptWait, journal);
  const carriers = new CarrierPool(database, { config, log, metrics, receipts });
  const feeder = new Feeder(database, config, carriers, queues, metrics, onJobError);
  const costs = new CarrierCosts(carriers, metrics);
  const consumers = new CarrierConsumers(config, {
    database,
    pool: carriers,
    journal,
    leases: leased,
    onTaken: (carrierId, destination, segments) => {
      carriers.find(carrierId)?.pace.note(segments);
      costs.count(carrierId, destination, segments);
    },
    onRoom: () => feeder.roomMade(),
    onQueueError,
    onJobError,
    isStopping: () => !isWorking,
  });
  const tests = new CarrierTests(database, carriers, queues, onJobError);
  const leases = new BindLeases(database, carriers, workerId, log, bounds.bindLease);
  carriers.onRead = () => {
    void leases.renew();
    consumers.follow(carriers.queuesToWorkOn);
    tests.look();
  };
  await carriers.start();
  leases.start();
  const reconciler = new Reconciler(database, queues, config, log, () => feeder.wake());
  const retention = new Retention(database, metrics, log, bounds.retention ?? RETENTION);
  metrics.showCarriers(() => carriers.all());
  let isWorking = false;
  const health = { workerId, isReady: () => isWorking && alive.isHeard };
  const listener = await listenForMetrics(config, metrics, health, log);
  const alive = new KeepHeartbeat(
    database,
    async () => ({
      processId: workerId,
      role: 'worker',
      details: {
        carriers: await carriers.reports((carrier) => waitingJobs(queues, carrier)),
        ...(listener && { metricsAddress: listener.address }),
        secretKeys: database.secretKeys.ids,
        // Last, because it tells the time.
        ...processDetails(config, 'worker'),
      },
    }),
    (error) => log.warn({ err: error }, 'could not report to the database'),
    async () => {
      carriers.noteWorkers(await liveProcesses(database, 'worker'), workerId);
      await watchForRestore(database, config, log);
    },
  );
  const changes = new ChangeListener(sessionDatabaseUrl(config), (thing) => {
    if (thing === 'carriers' || thing === 'unknown') void carriers.refresh();
    if (thing === 'accounts' || thing === 'unknown') feeder.wake();
  });
  const stopWatchingClock = sharesClock ? watchClock(database, (error) => endOnDrift(log, error)) : () => undefined;
  leased.start();
  reconciler.start();
  retention.start();
  changes.start();
  // Before the first order is claimed: what a worker holds that nobody has heard of is taken over only when it is due.
  await alive.start();
  isWorking = true;
  consumers.start();
  carriers.onRead();
  feeder.start();
  @Processor(FEEDER_QUEUE, consumerOptions(config, FEEDER_QUEUE))
  class Waker extends FeederProcessor {}
  @Processor(PREVIOUS_DISPATCH_QUEUE, consumerOptions(config, PREVIOUS_DISPATCH_QUEUE))
  class PreviousQueue extends PreviousQueueProcessor {}
  const wakers = await Promise.all([
    startConsumer(FEEDER_QUEUE, config, new Waker(feeder, onQueueError)),
    startConsumer(PREVIOUS_DISPATCH_QUEUE, config, new PreviousQueue(database, feeder, onQueueError)),
  ]);

  return {
    workerId,
    metricsPort: listener?.port,
    close: async () => {
      isWorking = false;
      const answersWaitMs = config.SHUTDOWN_GRACE_MS / 2;
      const stopMaxMs = config.SHUTDOWN_GRACE_MS * GRACE_PART;
      stopWatchingClock();
      leases.stop();
      await Promise.all([changes.close(), reconciler.stop(), retention.stop(), feeder.stop()]);
      // The consumers wait for their orders; closing the carriers bounds that wait: what has no answer by then is in doubt.
      const stopped = Promise.all([consumers.stop(), ...wakers.map((waker) => waker.close(stopMaxMs))]).then(() =>
        leased.settled(),
      );
      await Promise.all([waitAtMost(stopMaxMs, stopped), afterMs(200).then(() => carriers.close(answersWaitMs))]);
      await journal.drain();
      leased.stop();
      await alive.stop();
      await leases.close();
      await app.close();
      await database.close();
      listener?.close();
    },
  };
}

/** An outage makes an error at every attempt. */
function warnOncePerSecond(log: Logger, message: string): (error: unknown) => void {
  let lastMs = Number.NEGATIVE_INFINITY;
  return (error) => {
    if (performance.now() - lastMs < 1_000) return;
    lastMs = performance.now();
    log.warn({ err: error }, message);
  };
}

/** A process that is started again refuses to start until the clock is right; that is what operators will see. */
function endOnDrift(log: Logger, error: Error): void {
  log.fatal(error.message);
  process.kill(process.pid, 'SIGTERM');
}

async function waitingJobs(queues: DispatchQueues, carrier: string): Promise<number> {
  const { interactive, bulk, delayed } = await queues.depthOf(carrier);
  return interactive + bulk + delayed;
}

function afterMs(waitMs: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, waitMs));
}
