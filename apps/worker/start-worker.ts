import { randomBytes } from 'node:crypto';
import { hostname } from 'node:os';
import { NestFactory } from '@nestjs/core';
import { type Config, processDetails, requireDatabaseUrl, secretsKeysOf, sessionDatabaseUrl } from '#config';
import { ChangeListener, checkSessions, Database, KeepHeartbeat, liveProcesses, SecretKeys } from '#persistence';
import { DispatchQueue, DispatchQueueModule, queueBackEnd, useQueueBackEnd } from '#queue';
import { type Logger, nestLogger } from '#telemetry';
import { type BindLeaseSettings, BindLeases } from './carriers/bind-leases.js';
import { CarrierCosts } from './carriers/carrier-costs.js';
import { CarrierPool } from './carriers/carrier-pool.js';
import { AccountsInFlight, UNKNOWN_ACCOUNT } from './dispatch/accounts-in-flight.js';
import { DatabaseBacklogs } from './dispatch/backlog-store.js';
import { CarrierLanes } from './dispatch/carrier-lanes.js';
import { CarrierTests } from './dispatch/carrier-tests.js';
import { DispatchCarrierOrders } from './dispatch/dispatch-carrier-orders.js';
import { DispatchJobOrders } from './dispatch/dispatch-job-orders.js';
import { DispatchJournal } from './dispatch/dispatch-journal.js';
import { OfferAgain } from './dispatch/offer-again.js';
import { OrdersInHand } from './dispatch/orders-in-hand.js';
import { PutInBacklog } from './dispatch/put-in-backlog.js';
import { QueueConsumers } from './dispatch/queue-consumers.js';
import { RouteOrders } from './dispatch/route-orders.js';
import { SlotLines } from './dispatch/slot-lines.js';
import { Turns } from './dispatch/turns.js';
import { listenForMetrics } from './operations/metrics-listener.js';
import { WorkerMetrics } from './operations/worker-metrics.js';
import { ReceiptWait } from './receipts/receipt-wait.js';
import { SettleReceipts } from './receipts/settle-receipts.js';
import { checkClock, watchClock } from './recovery/clock-check.js';
import { Reconciler } from './recovery/reconciler.js';
import { holdAtStart, watchForRestore } from './recovery/restore-watch.js';
import { RETENTION, Retention, type RetentionBounds } from './recovery/retention.js';
import { Watchdog, type WatchdogSettings } from './recovery/watchdog.js';

export interface RunningWorker {
  readonly workerId: string;
  /** Of its own `/metrics`; undefined when no port was free. */
  readonly metricsPort: number | undefined;
  /** Stops taking orders, waits for the carriers' answers to what is under way, unbinds, closes. */
  close(): Promise<void>;
}

/** What tests shorten. */
export interface WorkerBounds {
  readonly watchdog?: WatchdogSettings;
  readonly bindLease?: BindLeaseSettings;
  readonly retention?: RetentionBounds;
  /** What the watchdog does when nothing else helps. */
  readonly endProcess?: () => void;
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
  const app = await NestFactory.createApplicationContext(DispatchQueueModule.with(config), {
    logger: nestLogger(log),
    abortOnError: false,
  });
  const queue = app.get(DispatchQueue);
  const store = new DatabaseBacklogs(database, workerId);
  const backlog = new PutInBacklog(store, metrics);
  const offerAgain = new OfferAgain(queue, backlog);
  const carrierLanes = new CarrierLanes(queue);
  const inHand = new OrdersInHand(database, config, workerId, log);
  const journal = new DispatchJournal(
    database,
    config,
    workerId,
    metrics,
    receiptWait,
    (id, waitMs) => {
      const { account, lane } = inHand.find(id) ?? { account: UNKNOWN_ACCOUNT, lane: 'interactive' };
      offerAgain.later(id, waitMs, account, lane);
    },
    // What cannot be put there is found by the sweeper.
    (carrierId, ids) => void backlog.put(ids, carrierId, 'single').catch(() => undefined),
  );
  const receipts = new SettleReceipts(database, config, metrics, receiptWait, journal);
  const carriers = new CarrierPool(database, { config, log, metrics, receipts });
  const inFlight = new AccountsInFlight(config.ACCOUNT_IN_FLIGHT_MAX);
  carriers.onWorkers = (workers, place) => inFlight.noteWorkers(workers, place);
  const lines = new SlotLines(carriers, inFlight, config.WORKER_CONCURRENCY);
  const routing = new RouteOrders(
    database,
    config,
    carriers,
    carrierLanes,
    lines,
    backlog,
    metrics,
    (id, waitMs, account) => offerAgain.later(id, waitMs, account, 'interactive'),
  );
  const onJobError = warnOncePerSecond(
    log,
    'orders could not be dispatched; they are taken over when their lease ends',
  );
  const means = { journal, costs: new CarrierCosts(carriers, metrics), inHand, inFlight };
  const turns = new Turns(database, carriers, lines, backlog, {
    ...means,
    store,
    routing,
    metrics,
    onFault: onJobError,
  });
  const consumers = new QueueConsumers(
    config,
    new DispatchJobOrders(carriers, means, routing, lines, backlog, carrierLanes),
    new DispatchCarrierOrders(carriers, means, routing, lines, backlog),
    turns,
    warnOncePerSecond(log, 'the queue cannot be reached'),
    onJobError,
  );
  const tests = new CarrierTests(database, carriers, means, onJobError);
  const leases = new BindLeases(database, carriers, workerId, log, bounds.bindLease);
  carriers.onRead = () => {
    void leases.renew();
    queue.followCarriers(carriers.carriersWithQueues);
    consumers.follow(carriers.queuesToWorkOn);
    tests.look();
  };
  await carriers.start();
  leases.start();
  const reconciler = new Reconciler(database, queue, config, log);
  const retention = new Retention(database, metrics, log, bounds.retention ?? RETENTION);
  const watchdog = new Watchdog(
    database,
    queue,
    carriers,
    consumers,
    reconciler,
    metrics,
    log,
    bounds.endProcess ?? (() => process.exit(1)),
    bounds.watchdog,
  );
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
        carriers: await carriers.reports(async (id) => (await queue.depthOf(id)).waiting),
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
    if (thing === 'accounts' || thing === 'unknown') turns.forgetCaps();
  });
  const stopWatchingClock = sharesClock ? watchClock(database, (error) => endOnDrift(log, error)) : () => undefined;
  inHand.start();
  reconciler.start();
  retention.start();
  changes.start();
  // Before the first order is claimed: what a worker holds that nobody has heard of is taken over only when it is due.
  await alive.start();
  consumers.start();
  carriers.onRead();
  watchdog.start();
  isWorking = true;

  return {
    workerId,
    metricsPort: listener?.port,
    close: async () => {
      isWorking = false;
      const answersWaitMs = config.SHUTDOWN_GRACE_MS / 2;
      stopWatchingClock();
      leases.stop();
      await Promise.all([changes.close(), reconciler.stop(), retention.stop(), watchdog.stop()]);
      // The consumers wait for their orders; closing the carriers bounds that wait: what has no answer by then is in doubt.
      await Promise.all([consumers.stop(), afterMs(200).then(() => carriers.close(answersWaitMs))]);
      await journal.drain();
      inHand.stop();
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

function afterMs(waitMs: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, waitMs));
}
