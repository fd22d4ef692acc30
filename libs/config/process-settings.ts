import type { Environment } from './environment.js';
import { FILE_SETTINGS } from './setting-files.js';

type Setting = keyof Environment;
export type ServiceProcessName = 'gateway' | 'worker' | 'webhooks' | 'carrier-simulator';

/** Variables of the machine, not of the service. */
const MACHINE_VARIABLES =
  /^(PATH|HOME|USER|LANG|LC_[A-Z]+|TZ|TMPDIR|SystemRoot|NODE_[A-Z0-9_]+|SSL_CERT_(FILE|DIR)|OPENSSL_CONF)$/;

/** How a server of PostgreSQL is reached, in every process alike. */
const POSTGRES_VARIABLES = /^PG(SSLMODE|PASSFILE)$/;

const OTLP_SETTINGS = [
  'OTEL_EXPORTER_OTLP_ENDPOINT',
  'OTEL_EXPORTER_OTLP_HEADERS',
  'OTEL_EXPORTER_OTLP_TIMEOUT',
  'OTEL_EXPORTER_OTLP_COMPRESSION',
  'OTEL_EXPORTER_OTLP_CERTIFICATE',
  'OTEL_EXPORTER_OTLP_PROTOCOL',
  'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT',
  'OTEL_EXPORTER_OTLP_TRACES_HEADERS',
  'OTEL_EXPORTER_OTLP_TRACES_TIMEOUT',
  'OTEL_EXPORTER_OTLP_TRACES_COMPRESSION',
  'OTEL_EXPORTER_OTLP_TRACES_CERTIFICATE',
  'OTEL_EXPORTER_OTLP_TRACES_PROTOCOL',
] as const satisfies readonly Setting[];

const OF_GATEWAYS_AND_WORKERS = [
  'ACCOUNT_IN_FLIGHT_MAX',
  'DATABASE_URL',
  'DATABASE_DIRECT_URL',
  'DATABASE_POOL_SIZE',
  'REDIS_URL',
  'SECRETS_KEY',
  'TEXTS_AT_REST',
  'LOG_LEVEL',
  'METRICS_PASSWORD',
  ...OTLP_SETTINGS,
  'TRACE_SAMPLE_RATIO',
  'MESSAGE_VALIDITY_SECONDS',
  'IDEMPOTENCY_KEY_HOURS',
  'IN_DOUBT_WAIT_SECONDS',
  'SWEEP_AFTER_SECONDS',
  'HOLD_AFTER_FAILOVER',
  'SHUTDOWN_NOTICE_MS',
  'SHUTDOWN_GRACE_MS',
] as const satisfies readonly Setting[];

/** The settings of each process, and no more: somebody who breaks into one gets the passwords of that process only. */
export const PROCESS_SETTINGS: Readonly<Record<ServiceProcessName, readonly Setting[]>> = {
  gateway: [
    ...OF_GATEWAYS_AND_WORKERS,
    'DATABASE_REPLICA_URL',
    'PORT',
    'HOST',
    'TLS_CERT_FILE',
    'TLS_KEY_FILE',
    'OPERATOR_PORT',
    'OPERATOR_HOST',
    'OPERATOR_PASSWORD',
    'ACCESS_LOG',
    'ACCESS_LOG_SAMPLE',
    'BATCH_MESSAGES_MAX',
    'BATCH_ENTRY_BYTES',
    'TRUSTED_PROXIES',
    'WEBHOOK_ALLOW_NETWORKS',
    'FREE_REQUESTS_PER_SECOND',
    'ACCEPT_PENDING_MAX',
    'ACCEPT_WAIT_MAX_MS',
    'GATEWAY_NICENESS',
    'SENDER',
  ],
  worker: [
    ...OF_GATEWAYS_AND_WORKERS,
    'WORKER_METRICS_PORT',
    'WORKER_METRICS_HOST',
    'WORKER_NICENESS',
    'WORKER_CONCURRENCY',
    'CLAIM_LEASE_SECONDS',
    'RECEIPT_DEADLINE_SECONDS',
    'SUBMIT_TIMEOUT_MS',
    'HOLD_AT_START',
    'LEDGER_VERIFY_SECONDS',
    'SENDER',
  ],
  webhooks: [
    'DATABASE_URL',
    'DATABASE_DIRECT_URL',
    'DATABASE_POOL_SIZE',
    'SECRETS_KEY',
    'LOG_LEVEL',
    'METRICS_PASSWORD',
    'SHUTDOWN_NOTICE_MS',
    'SHUTDOWN_GRACE_MS',
    'WEBHOOK_ALLOW_NETWORKS',
    'WEBHOOKS_METRICS_PORT',
    'WEBHOOKS_METRICS_HOST',
    'WEBHOOKS_NICENESS',
  ],
  'carrier-simulator': ['SIMULATOR_PORT', 'SIMULATOR_HOST', 'LOG_LEVEL'],
};

/**
 * The environment with which a process is started. A secret from a file is passed on as the name of that file.
 *
 * @param inherited the environment of the process that starts it
 */
export function processEnvironment(
  settings: Readonly<Environment>,
  name: ServiceProcessName,
  inherited: Readonly<Record<string, string | undefined>> = process.env,
): Record<string, string> {
  const environment = Object.entries(inherited).filter(
    ([variable]) => MACHINE_VARIABLES.test(variable) || POSTGRES_VARIABLES.test(variable),
  );
  for (const setting of PROCESS_SETTINGS[name]) {
    const given = FILE_SETTINGS.some((one) => one === setting) ? (`${setting}_FILE` as Setting) : setting;
    const passed = settings[given] === undefined ? setting : given;
    if (settings[passed] !== undefined) environment.push([passed, String(settings[passed])]);
  }
  return Object.fromEntries(environment.map(([variable, value]) => [variable, value ?? '']));
}
