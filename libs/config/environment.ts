import { Transform, Type } from 'class-transformer';
import { IsIn, IsInt, IsNumber, IsOptional, IsString, Matches, Max, Min, MinLength, ValidateBy } from 'class-validator';
import { DATABASE_URL_FORM } from './database-url-form.js';
import { isDecodable } from './decodable.js';
import { networksProblem, proxiesProblem } from './networks.js';
import { redisUrlProblem } from './redis-url.js';
import { secretsKeyProblem } from './secrets-key.js';
import { SENDER_FORM, SENDER_WORDS } from './sender-form.js';

const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const;
const ACCESS_LOGS = ['errors', 'all', 'off'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

function IsHttpUrl(): PropertyDecorator {
  return ValidateBy({
    name: 'httpUrl',
    validator: {
      validate: (url) => /^https?:\/\/[^\s/]\S*$/.test(url) && URL.canParse(url),
      defaultMessage: (given) => `${given?.property} must be an http:// or https:// URL`,
    },
  });
}

/** The driver tells of a URL that it cannot read without the name of a setting. The message has no value. */
function IsDatabaseUrl(): PropertyDecorator {
  return ValidateBy({
    name: 'databaseUrl',
    validator: {
      validate: (url) => DATABASE_URL_FORM.test(url) && isReadable(url),
      defaultMessage: (given) =>
        DATABASE_URL_FORM.test(given?.value)
          ? `${given?.property} cannot be read: a port is at most 65535, and user and password have %40 for @, %2F for /`
          : `${given?.property} must be a postgres:// URL`,
    },
  });
}

/** The driver also takes a URL with a user and without a host, for a socket of Unix. */
function isReadable(url: string): boolean {
  return URL.canParse(url) || URL.canParse(url.replace('@/', '@socket/'));
}

const HEADER_LIST = /^ *[\w-]+ *=(?:%[\dA-Fa-f]{2}|[^%,\r\n])*(?:, *[\w-]+ *=(?:%[\dA-Fa-f]{2}|[^%,\r\n])*)*$/;

/** `name=value,name=value`. The message has no value, which may be a secret. */
function IsHeaderList(): PropertyDecorator {
  return ValidateBy({
    name: 'headerList',
    validator: {
      validate: (list) => HEADER_LIST.test(list) && isDecodable(list),
      defaultMessage: (given) => `${given?.property} must be name=value pairs with commas between, values as in URLs`,
    },
  });
}

/** Every setting of every process, as it stands in the environment. `.env.example` documents each for operators. */
export class Environment {
  @Type(() => Number) @IsInt() @Min(0) @Max(65_535) PORT = 3000;
  @IsString() @MinLength(1) HOST = '0.0.0.0';
  /**
   * Certificate (with its chain) and private key of the API's listener, both PEM; without them it speaks plain HTTP.
   */
  @IsOptional() @IsString() TLS_CERT_FILE?: string;
  @IsOptional() @IsString() TLS_KEY_FILE?: string;
  @Type(() => Number) @IsInt() @Min(0) @Max(65_535) OPERATOR_PORT = 3001;
  @IsString() @MinLength(1) OPERATOR_HOST = '127.0.0.1';
  @IsOptional()
  @IsString()
  @MinLength(16, { message: 'OPERATOR_PASSWORD must have at least 16 characters' })
  OPERATOR_PASSWORD?: string;
  @IsOptional() @IsString() OPERATOR_PASSWORD_FILE?: string;
  /** Opens the metrics and nothing else. */
  @IsOptional()
  @IsString()
  @MinLength(16, { message: 'METRICS_PASSWORD must have at least 16 characters' })
  METRICS_PASSWORD?: string;
  @IsOptional() @IsString() METRICS_PASSWORD_FILE?: string;
  /** The first port that a worker tries for its metrics; it takes the next free one. 0: any. */
  @Type(() => Number) @IsInt() @Min(0) @Max(65_535) WORKER_METRICS_PORT = 3002;
  @IsString() @MinLength(1) WORKER_METRICS_HOST = '127.0.0.1';

  @IsOptional()
  @IsDatabaseUrl()
  DATABASE_URL?: string;
  @IsOptional() @IsString() DATABASE_URL_FILE?: string;
  /** The server itself, if DATABASE_URL leads to a connection pooler. */
  @IsOptional()
  @IsDatabaseUrl()
  DATABASE_DIRECT_URL?: string;
  @IsOptional() @IsString() DATABASE_DIRECT_URL_FILE?: string;
  /** A streaming replica, for reads. */
  @IsOptional()
  @IsDatabaseUrl()
  DATABASE_REPLICA_URL?: string;
  @IsOptional() @IsString() DATABASE_REPLICA_URL_FILE?: string;
  @Type(() => Number) @IsInt() @Min(2) @Max(200) DATABASE_POOL_SIZE = 8;
  @IsOptional()
  @ValidateBy({
    name: 'redisUrl',
    validator: {
      validate: (url) => redisUrlProblem(url) === undefined,
      defaultMessage: (given) => redisUrlProblem(given?.value) ?? '',
    },
  })
  REDIS_URL?: string;
  @IsOptional() @IsString() REDIS_URL_FILE?: string;

  /** Encrypts the secrets in the database. The first key encrypts, the others still decrypt. */
  @IsOptional()
  @ValidateBy({
    name: 'secretsKey',
    validator: {
      validate: (keys) => secretsKeyProblem(keys) === undefined,
      defaultMessage: (given) => secretsKeyProblem(given?.value) ?? '',
    },
  })
  SECRETS_KEY?: string;
  @IsOptional() @IsString() SECRETS_KEY_FILE?: string;
  /** Whether the texts of messages are stored encrypted; needs SECRETS_KEY. */
  @IsIn(['plain', 'encrypted']) TEXTS_AT_REST: 'plain' | 'encrypted' = 'plain';

  @IsString() @MinLength(1) DATA_DIR = './.data';

  @Type(() => Number) @IsInt() @Min(0) @Max(65_535) SIMULATOR_PORT = 2775;
  @IsString() @MinLength(1) SIMULATOR_HOST = '127.0.0.1';

  @IsIn(LOG_LEVELS) LOG_LEVEL: LogLevel = 'info';
  /** Which requests of the API are logged: the refused ones, all, or none. */
  @IsIn(ACCESS_LOGS) ACCESS_LOG: (typeof ACCESS_LOGS)[number] = 'errors';
  /** If ACCESS_LOG is `all`: one in so many successes is logged. */
  @Type(() => Number) @IsInt() @Min(1) @Max(1_000_000) ACCESS_LOG_SAMPLE = 1;

  /**
   * Where and how traces of messages are sent: the settings of OpenTelemetry's exporters (`otlp-target.ts`). Those with
   * TRACES go before the others. Without an endpoint there are no traces.
   */
  @IsOptional() @IsHttpUrl() OTEL_EXPORTER_OTLP_ENDPOINT?: string;
  @IsOptional() @IsHttpUrl() OTEL_EXPORTER_OTLP_TRACES_ENDPOINT?: string;
  @IsOptional() @IsHeaderList() OTEL_EXPORTER_OTLP_HEADERS?: string;
  @IsOptional() @IsString() OTEL_EXPORTER_OTLP_HEADERS_FILE?: string;
  @IsOptional() @IsHeaderList() OTEL_EXPORTER_OTLP_TRACES_HEADERS?: string;
  @IsOptional() @Type(() => Number) @IsInt() @Min(1) @Max(60_000) OTEL_EXPORTER_OTLP_TIMEOUT?: number;
  @IsOptional() @Type(() => Number) @IsInt() @Min(1) @Max(60_000) OTEL_EXPORTER_OTLP_TRACES_TIMEOUT?: number;
  @IsOptional() @IsIn(['none', 'gzip']) OTEL_EXPORTER_OTLP_COMPRESSION?: 'none' | 'gzip';
  @IsOptional() @IsIn(['none', 'gzip']) OTEL_EXPORTER_OTLP_TRACES_COMPRESSION?: 'none' | 'gzip';
  @IsOptional() @IsString() OTEL_EXPORTER_OTLP_CERTIFICATE?: string;
  @IsOptional() @IsString() OTEL_EXPORTER_OTLP_TRACES_CERTIFICATE?: string;
  @IsOptional() @IsString() OTEL_EXPORTER_OTLP_PROTOCOL?: string;
  @IsOptional() @IsString() OTEL_EXPORTER_OTLP_TRACES_PROTOCOL?: string;
  /** The part of the messages that is traced. */
  @Type(() => Number)
  @IsNumber({}, { message: 'TRACE_SAMPLE_RATIO must be a number' })
  @Min(0)
  @Max(1)
  TRACE_SAMPLE_RATIO = 0.01;

  /** Entries that one POST /v1/message/send-batch may hold. */
  @Type(() => Number) @IsInt() @Min(1) @Max(10_000) BATCH_MESSAGES_MAX = 1_000;
  /** Bytes of a batch's body for each entry that it may have: together they are the limit of the body. */
  @Type(() => Number) @IsInt() @Min(1_024) @Max(262_144) BATCH_ENTRY_BYTES = 4_096;
  /** Proxies whose X-Forwarded-For is believed: addresses and networks, with commas between. */
  @IsOptional()
  @ValidateBy({
    name: 'trustedProxies',
    validator: {
      validate: (list) => proxiesProblem(list) === undefined,
      defaultMessage: (given) => `TRUSTED_PROXIES ${proxiesProblem(given?.value) ?? ''}`,
    },
  })
  TRUSTED_PROXIES?: string;
  /** Free requests (reads, quotes, refused sends) that an account may make in a second at each gateway; 0: no limit. */
  @Type(() => Number) @IsInt() @Min(0) @Max(1_000_000) FREE_REQUESTS_PER_SECOND = 1_000;
  /** Requests that may wait for the accept path of one gateway before it sheds load with 503. */
  @Type(() => Number) @IsInt() @Min(1) @Max(100_000) ACCEPT_PENDING_MAX = 2_000;
  /**
   * How long a send may wait for its commit; after that the gateway answers 503. Nothing is charged then, unless the
   * database was asked and did not answer: the 503 says that nobody knows.
   */
  @Type(() => Number) @IsInt() @Min(50) @Max(60_000) ACCEPT_WAIT_MAX_MS = 3_000;
  /** As WORKER_NICENESS, of the gateways: a PostgreSQL server on the same machine goes first. */
  @Type(() => Number) @IsInt() @Min(0) @Max(19) GATEWAY_NICENESS = 3;
  /** How long a stored idempotency key is honoured. */
  @Type(() => Number) @IsInt() @Min(24) @Max(8_760) IDEMPOTENCY_KEY_HOURS = 48;

  /** How long after acceptance a message may still be handed to a carrier; after that it fails and is released. */
  @Type(() => Number) @IsInt() @Min(60) @Max(604_800) MESSAGE_VALIDITY_SECONDS = 86_400;
  /** How long a sent message may wait for its receipt before it becomes `unknown`. */
  @Type(() => Number) @IsInt() @Min(60) @Max(2_592_000) RECEIPT_DEADLINE_SECONDS = 259_200;
  /** How long a worker owns an order that it has claimed, by the database's clock; the worker renews it. */
  @Type(() => Number) @IsInt() @Min(3) @Max(3_600) CLAIM_LEASE_SECONDS = 15;
  /** How long an order may be on a queue, unclaimed, before the reconciler puts it back into its account's backlog. */
  @Type(() => Number) @IsInt() @Min(1) @Max(3_600) SWEEP_AFTER_SECONDS = 60;
  /** How long a submit may go unanswered before it is in doubt. */
  @Type(() => Number) @IsInt() @Min(100) @Max(300_000) SUBMIT_TIMEOUT_MS = 30_000;
  /** How long a segment in doubt waits for a receipt before the carrier's policy decides. */
  @Type(() => Number) @IsInt() @Min(1) @Max(3_600) IN_DOUBT_WAIT_SECONDS = 30;
  /** Whether a new timeline of the database sets a hold: after a failover the last writes may be lost. */
  @IsIn(['on', 'off']) HOLD_AFTER_FAILOVER: 'on' | 'off' = 'on';
  /** Whether a worker that starts without an active hold sets one on every existing order. */
  @IsIn(['on', 'off']) HOLD_AT_START: 'on' | 'off' = 'off';
  /** How often one of the workers verifies the ledger; 0: never. */
  @Type(() => Number) @IsInt() @Min(0) @Max(604_800) LEDGER_VERIFY_SECONDS = 3_600;
  /**
   * The nice value of a worker: other processes of its machine go first when the processor is short. 0: no lower
   * priority.
   */
  @Type(() => Number) @IsInt() @Min(0) @Max(19) WORKER_NICENESS = 10;
  /**
   * Jobs of one carrier's queue that one worker works on at a time; what waits in this worker cannot go by another one.
   */
  @Type(() => Number) @IsInt() @Min(1) @Max(1_000) WORKER_CONCURRENCY = 32;
  /** Messages that an account may have in flight at a time, over all workers; unset: no bound. */
  @IsOptional() @Type(() => Number) @IsInt() @Min(1) @Max(1_000_000) ACCOUNT_IN_FLIGHT_MAX?: number;
  /** How long a gateway still takes requests after it was told to stop, while it tells clients and load balancers. */
  @Type(() => Number) @IsInt() @Min(0) @Max(300_000) SHUTDOWN_NOTICE_MS = 1_000;
  /** How long SIGTERM waits for work in flight, the notice included. */
  @Type(() => Number) @IsInt() @Min(100) @Max(300_000) SHUTDOWN_GRACE_MS = 20_000;
  /** Networks that webhooks may reach although they are not public: addresses and networks, with commas between. */
  @IsOptional()
  @ValidateBy({
    name: 'webhookNetworks',
    validator: {
      validate: (list) => networksProblem(list) === undefined,
      defaultMessage: (given) => `WEBHOOK_ALLOW_NETWORKS ${networksProblem(given?.value) ?? ''}`,
    },
  })
  WEBHOOK_ALLOW_NETWORKS?: string;
  /** The first port that a webhooks process tries for its metrics; it takes the next free one. 0: any. */
  @Type(() => Number) @IsInt() @Min(0) @Max(65_535) WEBHOOKS_METRICS_PORT = 3102;
  @IsString() @MinLength(1) WEBHOOKS_METRICS_HOST = '127.0.0.1';
  /** As WORKER_NICENESS, of the webhooks processes. */
  @Type(() => Number) @IsInt() @Min(0) @Max(19) WEBHOOKS_NICENESS = 10;
  /** The sender shown on the handset. */
  @Transform(({ value }) => String(value).trim())
  @Matches(SENDER_FORM, { message: `SENDER must be ${SENDER_WORDS}` })
  SENDER = 'Heliograph';
}
