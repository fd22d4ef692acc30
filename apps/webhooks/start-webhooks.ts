import { randomBytes } from 'node:crypto';
import { hostname } from 'node:os';
import { type Config, processDetails, requireDatabaseUrl, secretsKeysOf } from '#config';
import { checkSessions, Database, KeepHeartbeat, SecretKeys } from '#persistence';
import { type Logger, serveMetrics } from '#telemetry';
import { ReceiverAddresses } from '#webhooks';
import { Deliverer } from './deliverer.js';
import { WebhookMetrics } from './webhook-metrics.js';

const TIMEOUT_MS = 15_000;
/** The part of a shutdown's grace that is for the open requests. */
const STOP_PART = 0.8;

export interface RunningWebhooks {
  readonly processId: string;
  /** Of its own `/metrics`; undefined when no port was free. */
  readonly metricsPort: number | undefined;
  close(): Promise<void>;
}

/** What tests change. */
export interface WebhookBounds {
  /** Milliseconds since 1970, by which pauses are counted. */
  readonly now?: () => number;
  readonly timeoutMs?: number;
}

/** Builds and starts a webhooks process; the one way that the process and the tests share. */
export async function startWebhooks(config: Config, log: Logger, bounds: WebhookBounds = {}): Promise<RunningWebhooks> {
  const database = await Database.open({
    url: requireDatabaseUrl(config),
    poolSize: config.DATABASE_POOL_SIZE,
    applicationName: 'heliograph-webhooks',
    secretKeys: new SecretKeys(secretsKeysOf(config)),
  });
  await checkSessions(config, database, false, (advice) => log.warn(advice));
  const processId = `webhooks-${hostname()}-${process.pid}-${randomBytes(3).toString('hex')}`;
  const metrics = new WebhookMetrics();
  const { now = Date.now, timeoutMs = TIMEOUT_MS } = bounds;
  const addresses = new ReceiverAddresses(config.WEBHOOK_ALLOW_NETWORKS);
  const deliverer: Deliverer = new Deliverer(
    { owner: processId, database, log, metrics, addresses, timeoutMs, now },
    () => heartbeat.isHeard,
  );
  metrics.observe(() => deliverer.counts);
  const listener = await serveMetrics(metrics, log, {
    host: config.WEBHOOKS_METRICS_HOST,
    firstPort: config.WEBHOOKS_METRICS_PORT,
    setting: 'WEBHOOKS_METRICS_PORT',
    password: config.METRICS_PASSWORD,
    identity: { processId },
    isReady: () => heartbeat.isHeard,
  });
  const heartbeat: KeepHeartbeat = new KeepHeartbeat(
    database,
    async () => ({
      processId,
      role: 'webhooks',
      details: {
        ...deliverer.counts,
        ...(listener !== undefined && { metricsAddress: listener.address }),
        secretKeys: database.secretKeys.ids,
        ...processDetails(config, 'webhooks'),
      },
    }),
    (error) => log.warn({ err: error }, 'could not report to the database'),
  );
  await heartbeat.start();
  deliverer.start();
  return {
    processId,
    metricsPort: listener?.port,
    close: async () => {
      await deliverer.stop(config.SHUTDOWN_GRACE_MS * STOP_PART);
      await heartbeat.stop();
      listener?.close();
      await database.close();
    },
  };
}
