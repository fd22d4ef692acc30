import { randomBytes } from 'node:crypto';
import { hostname } from 'node:os';
import { NestFactory } from '@nestjs/core';
import { type Config, encryptsTexts, requireDatabaseUrl, secretsKeysOf } from '#config';
import { checkSessions, Database, SecretKeys } from '#persistence';
import { queueBackEnd, useQueueBackEnd } from '#queue';
import { type Logger, MessageTraces, nestLogger } from '#telemetry';
import { waitAtMost } from '#timing';
import { MetricsListener } from './operations/metrics-listener.js';
import { checkClock, watchClock } from './recovery/clock-check.js';
import { holdAtStart } from './recovery/hold-at-start.js';
import { type WorkerBounds, WorkerModule } from './worker.module.js';

export interface RunningWorker {
  readonly workerId: string;
  /** Of its own `/metrics`; undefined when no port was free. */
  readonly metricsPort: number | undefined;
  /** Stops taking orders, waits for the carriers' answers to what is in flight, unbinds, closes. */
  close(): Promise<void>;
}

/** Of the grace of a shutdown: a consumer whose queue is dead never closes, and the process still ends in order. */
const CLOSE_PART = 0.9;

/** Builds and starts a worker from its settings; the one way that the process and the tests share. */
export async function startWorker(config: Config, log: Logger, bounds: WorkerBounds = {}): Promise<RunningWorker> {
  const sharesClock = queueBackEnd(config) === 'postgres';
  const database = await openDatabase(config, log);
  // An operator's fault is one line here; from a part of the module Nest would log it a second time.
  if (sharesClock) await checkClock(database);
  await holdAtStart(database, config, log);
  useQueueBackEnd(config);
  const traces = await MessageTraces.open(config, 'worker', log);
  const workerId = `worker-${hostname()}-${process.pid}-${randomBytes(3).toString('hex')}`;
  const app = await NestFactory.createApplicationContext(
    WorkerModule.with({ config, log, database, traces, workerId, bounds }),
    { logger: nestLogger(log), abortOnError: false },
  );
  const clock = sharesClock ? watchClock(database, (error) => endOnDrift(log, error)) : undefined;
  return {
    workerId,
    metricsPort: app.get(MetricsListener).port,
    close: async () => {
      await clock?.stop();
      await waitAtMost(config.SHUTDOWN_GRACE_MS * CLOSE_PART, app.close());
      await traces.close();
      await database.close();
    },
  };
}

async function openDatabase(config: Config, log: Logger): Promise<Database> {
  const database = await Database.open({
    url: requireDatabaseUrl(config),
    poolSize: config.DATABASE_POOL_SIZE,
    applicationName: 'heliograph-worker',
    secretKeys: new SecretKeys(secretsKeysOf(config)),
    encryptsTexts: encryptsTexts(config),
  });
  await checkSessions(config, database, queueBackEnd(config) === 'postgres', (advice) => log.warn(advice));
  return database;
}

/** A process that is started again refuses to start until the clock is right; that is what operators will see. */
function endOnDrift(log: Logger, error: Error): void {
  log.fatal(error.message);
  process.kill(process.pid, 'SIGTERM');
}
