import { randomBytes } from 'node:crypto';
import { hostname } from 'node:os';
import { NestFactory } from '@nestjs/core';
import { type Config, requireDatabaseUrl } from '#config';
import { ChangeListener, Database, KeepHeartbeat, liveProcesses } from '#persistence';
import { DispatchQueue, queueBackEnd, useQueueBackEnd } from '#queue';
import { type Logger, nestLogger } from '#telemetry';
import { CarrierPool } from './carriers/carrier-pool.js';
import { DispatchProcessor } from './dispatch/dispatch.processor.js';
import { DispatchJobOrders } from './dispatch/dispatch-job-orders.js';
import { DispatchJournal } from './dispatch/dispatch-journal.js';
import { DispatchSettings } from './dispatch/dispatch-settings.js';
import { OfferAgain } from './dispatch/offer-again.js';
import { OrdersInHand } from './dispatch/orders-in-hand.js';
import { WriteTurns } from './dispatch/write-turns.js';
import { WorkerMetrics } from './operations/worker-metrics.js';
import { ReceiptWait } from './receipts/receipt-wait.js';
import { SettleReceipts } from './receipts/settle-receipts.js';
import { checkClock, watchClock } from './recovery/clock-check.js';
import { Reconciler } from './recovery/reconciler.js';
import { holdAtStart, watchForRestore } from './recovery/restore-watch.js';
import { WorkerModule } from './worker.module.js';

export interface RunningWorker {
  readonly workerId: string;
  /** Stops taking orders, waits for the carriers' answers to what is under way, unbinds, closes. */
  close(): Promise<void>;
}

/** Builds and starts a worker from its settings; the one way that the process and the tests share. */
export async function startWorker(config: Config, log: Logger): Promise<RunningWorker> {
  const databaseUrl = requireDatabaseUrl(config);
  const database = await Database.open({
    url: databaseUrl,
    poolSize: config.DATABASE_POOL_SIZE,
    applicationName: 'heliograph-worker',
  });
  const sharesClock = queueBackEnd(config) === 'postgres';
  if (sharesClock) await checkClock(database);
  await holdAtStart(database, config, log);

  const workerId = `worker-${hostname()}-${process.pid}-${randomBytes(3).toString('hex')}`;
  const metrics = new WorkerMetrics(workerId);
  const receiptWait = new ReceiptWait(metrics);
  const turns = new WriteTurns();
  const receipts = new SettleReceipts(database, config, metrics, receiptWait, turns);
  const carriers = new CarrierPool(database, config, log, metrics, (carrier, receipt) =>
    receipts.settle(carrier, receipt),
  );
  let offerAgain: OfferAgain | undefined;
  const journal = new DispatchJournal(database, config, workerId, metrics, receiptWait, turns, (id, afterMs) =>
    offerAgain?.later(id, afterMs),
  );
  const inHand = new OrdersInHand(database, config, workerId, log);
  const orders = new DispatchJobOrders(carriers, journal, inHand);
  const settings = new DispatchSettings(
    config.WORKER_CONCURRENCY,
    warnOncePerSecond(log, 'the queue cannot be reached'),
    warnOncePerSecond(log, 'orders could not be dispatched; they are taken over when their lease ends'),
  );

  await carriers.start();
  useQueueBackEnd(config);
  const app = await NestFactory.createApplicationContext(WorkerModule.with(config, orders, settings), {
    logger: nestLogger(log),
    abortOnError: false,
  });
  const queue = app.get(DispatchQueue);
  offerAgain = new OfferAgain(queue);
  const reconciler = new Reconciler(database, queue, config, log);
  const alive = new KeepHeartbeat(
    database,
    async () => ({
      processId: workerId,
      role: 'worker',
      details: { carriers: carriers.states() },
      metrics: await metrics.registry.getMetricsAsJSON(),
    }),
    (error) => log.warn({ err: error }, 'could not report to the database'),
    async () => {
      carriers.shareRate((await liveProcesses(database, 'worker')).length);
      await watchForRestore(database, config, log);
    },
  );
  const changes = new ChangeListener(databaseUrl, (thing) => {
    if (thing === 'carriers' || thing === 'unknown') void carriers.refresh();
  });
  const stopWatchingClock = sharesClock ? watchClock(database, (error) => endOnDrift(log, error)) : () => undefined;
  inHand.start();
  reconciler.start();
  changes.start();
  await alive.start();

  return {
    workerId,
    close: async () => {
      const answersWaitMs = config.SHUTDOWN_GRACE_MS / 2;
      stopWatchingClock();
      await Promise.all([changes.close(), reconciler.stop()]);
      // The processor waits for its orders; closing the carriers bounds that wait: what has no answer by then is in doubt.
      await Promise.all([app.get(DispatchProcessor).stop(), afterMs(200).then(() => carriers.close(answersWaitMs))]);
      await journal.drain();
      inHand.stop();
      await alive.stop();
      await app.close();
      await database.close();
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

function afterMs(waitMs: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, waitMs));
}
