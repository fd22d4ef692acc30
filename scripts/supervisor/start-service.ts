import { randomBytes } from 'node:crypto';
import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { get as httpGet } from 'node:http';
import { get as httpsGet } from 'node:https';
import { connect } from 'node:net';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import {
  bareHost,
  type Config,
  makeSecretsKey,
  parseRedisUrl,
  parseSecretsKeys,
  processEnvironment,
  redisWords,
  type ServiceProcessName,
  secretsKeysOf,
  shellWord,
} from '#config';
import { SecretKeys } from '#persistence';
import { describeRedis } from '../redis/local-redis.js';
import { banner } from './banner.js';
import { claimDataDir } from './instance-lock.js';
import { keepSecret } from './kept-secret.js';
import { makeDataDir } from './make-data-dir.js';
import { readSetup } from './next-steps.js';
import { migrate, type SecretsKeys, seed } from './prepare-database.js';
import { ProcessLog } from './process-log.js';
import { hasReported } from './process-report.js';
import { checkDatabase, provideDatabase, withoutPassword } from './provide-database.js';
import { reservePorts } from './reserve-ports.js';
import { ServiceProcess } from './service-process.js';
import { StartupError } from './startup-error.js';
import type { Teardown } from './teardown.js';

const REDIS_ANSWER_TIMEOUT_MS = 5_000;
const READY_TIMEOUT_MS = 60_000;
const PROBE_TIMEOUT_MS = 2_000;
/** The extra time after a process's own grace before it is killed. */
const GRACE_MARGIN_MS = 5_000;
const LOOPBACK = '127.0.0.0/8,::1/128';
const DIST = fileURLToPath(new URL('../..', import.meta.url));

/**
 * Starts the whole service and returns when it is ready for messages.
 *
 * @param hasDemo whether to add a demo account and the carrier simulator
 * @returns the text for the terminal
 * @throws StartupError in one line when a part is missing or taken
 */
export async function startService(
  config: Config,
  hasDemo: boolean,
  teardown: Teardown,
  abort: AbortSignal,
  print: (line: string) => void,
  onProcesses: (kill: () => void) => void,
): Promise<string> {
  const dataDir = makeDataDir(config.DATA_DIR);
  teardown.add(claimDataDir(dataDir));
  const simulatorListener = { setting: 'SIMULATOR_PORT', host: config.SIMULATOR_HOST, port: config.SIMULATOR_PORT };
  const [port = 0, operatorPort = 0, simulatorPort = 0] = await reservePorts([
    { setting: 'PORT', host: config.HOST, port: config.PORT },
    { setting: 'OPERATOR_PORT', host: config.OPERATOR_HOST, port: config.OPERATOR_PORT },
    ...(hasDemo ? [simulatorListener] : []),
  ]);
  if (config.REDIS_URL !== undefined) {
    await describeRedis(config.REDIS_URL, REDIS_ANSWER_TIMEOUT_MS).catch((error: Error) => {
      throw new StartupError(`REDIS_URL: ${error.message}`);
    });
  }
  abort.throwIfAborted();

  print('Starting ...');
  const databaseUrl = await provideDatabase(config.DATABASE_URL, dataDir, teardown, print);
  abort.throwIfAborted();
  const simulatorHost = bareHost(reachable(config.SIMULATOR_HOST));
  const directUrl = config.DATABASE_DIRECT_URL ?? databaseUrl;
  if (directUrl !== databaseUrl) await checkDatabase(directUrl, 'DATABASE_DIRECT_URL');
  const secrets = provideSecretsKeys(config, dataDir);
  for (const line of await migrate(directUrl, secrets)) print(line);
  const simulatorAddress = { host: simulatorHost, port: simulatorPort };
  const keys = new SecretKeys(secrets.keys);
  const demo = hasDemo ? await seed(directUrl, simulatorAddress, join(dataDir, 'demo.json'), keys) : undefined;
  abort.throwIfAborted();

  const passwordFile = join(dataDir, 'operator-password');
  const isNewPassword = config.OPERATOR_PASSWORD === undefined && !existsSync(passwordFile);
  const operatorPassword =
    config.OPERATOR_PASSWORD ?? keepSecret(passwordFile, () => randomBytes(12).toString('base64url'));
  const given = {
    ...config,
    PORT: port,
    OPERATOR_PORT: operatorPort,
    SIMULATOR_PORT: simulatorPort,
    OPERATOR_PASSWORD: operatorPassword,
    DATABASE_URL: databaseUrl,
    ...(config.SECRETS_KEY === undefined && { SECRETS_KEY_FILE: secrets.place }),
    // A visitor's receiver runs on the same machine.
    ...(hasDemo && { WEBHOOK_ALLOW_NETWORKS: config.WEBHOOK_ALLOW_NETWORKS ?? LOOPBACK }),
  };
  const processOf = (name: string, app: ServiceProcessName): ServiceProcess => {
    const log = new ProcessLog(join(dataDir, 'logs'), name, print);
    const environment = processEnvironment(given, app);
    return new ServiceProcess(name, join(DIST, 'apps', app, 'main.js'), environment, log, print);
  };
  const simulator = hasDemo ? processOf('simulator', 'carrier-simulator') : undefined;
  const gateway = processOf('gateway', 'gateway');
  const worker = processOf('worker', 'worker');
  const webhooks = processOf('webhooks', 'webhooks');
  const stopAll = (processes: ServiceProcess[]) => async () => {
    await Promise.all(processes.map((each) => each.stop(config.SHUTDOWN_GRACE_MS + GRACE_MARGIN_MS)));
  };
  // The simulator runs until the worker has drained, because it must still answer the worker's submits.
  const simulators = simulator === undefined ? [] : [simulator];
  teardown.add(stopAll(simulators));
  teardown.add(stopAll([gateway, worker, webhooks]));
  const all = [...simulators, gateway, worker, webhooks];
  onProcesses(() => {
    for (const each of all) each.kill();
  });
  for (const each of all) each.start();

  const apiUrl = `${config.TLS_CERT_FILE === undefined ? 'http' : 'https'}://${reachable(config.HOST)}:${port}`;
  await Promise.all([
    simulator?.ready(() => accepts(simulatorHost, simulatorPort), READY_TIMEOUT_MS, abort),
    gateway.ready(() => answersReady(`${apiUrl}/readyz`), READY_TIMEOUT_MS, abort),
    worker.ready(() => hasReported(directUrl, 'worker', worker.pid), READY_TIMEOUT_MS, abort),
    webhooks.ready(() => hasReported(directUrl, 'webhooks', webhooks.pid), READY_TIMEOUT_MS, abort),
  ]);

  const runtimeFile = join(dataDir, 'runtime.json');
  const runtime = {
    pid: process.pid,
    databaseUrl: directUrl,
    replicaUrl: config.DATABASE_REPLICA_URL,
    redisUrl: config.REDIS_URL,
    port,
    operatorPort,
    ...(hasDemo && { simulatorPort }),
  };
  writeFileSync(runtimeFile, `${JSON.stringify(runtime, undefined, 2)}\n`, { mode: 0o600 });
  teardown.add(() => rmSync(runtimeFile, { force: true }));

  return banner({
    apiUrl,
    operatorUrl: `http://${reachable(config.OPERATOR_HOST)}:${operatorPort}`,
    operatorPassword: passwordWords(config, passwordFile, isNewPassword ? operatorPassword : undefined),
    database: config.DATABASE_URL === undefined ? 'PostgreSQL (bundled)' : withoutPassword(databaseUrl),
    queue: config.REDIS_URL === undefined ? 'PostgreSQL' : `Redis at ${redisWords(parseRedisUrl(config.REDIS_URL))}`,
    dataDir,
    demo: demo && { simulatorAddress: `${reachable(config.SIMULATOR_HOST)}:${simulatorPort}`, apiKey: demo.apiKey },
    setup: await readSetup(directUrl),
    smsctl: smsctlCommand(config.DATA_DIR),
  });
}

/**
 * The command line for this folder: without DATABASE_URL `smsctl` finds the service of the default data folder by
 * itself.
 */
function smsctlCommand(dataDir: string): string {
  if (resolve(dataDir) === resolve('.data')) return 'bin/smsctl';
  return `DATA_DIR=${shellWord(dataDir)} bin/smsctl`;
}

/**
 * The keys of SECRETS_KEY; without it, those of a file in the data folder, made on the first start.
 *
 * @throws StartupError when the file does not hold keys
 */
function provideSecretsKeys(config: Config, dataDir: string): SecretsKeys {
  const given = secretsKeysOf(config);
  if (given.length > 0) return { keys: given, place: config.SECRETS_KEY_FILE ?? 'SECRETS_KEY' };
  const place = join(dataDir, 'secrets-key');
  try {
    return { keys: parseSecretsKeys(keepSecret(place, makeSecretsKey)), place };
  } catch (error) {
    throw new StartupError(`${place} ${error instanceof Error ? error.message : error}`);
  }
}

/** Prints a secret only when it is made: terminals are logged, and others may see them. */
function passwordWords(config: Config, file: string, made: string | undefined): string {
  if (config.OPERATOR_PASSWORD !== undefined) return 'password: OPERATOR_PASSWORD, as you set it';
  return made === undefined ? `password in ${file}` : `password: ${made} (shown once; kept in ${file})`;
}

/** The host of a URL that leads to an address to listen on. */
function reachable(host: string): string {
  if (host === '0.0.0.0' || host === '::') return 'localhost';
  return host.includes(':') ? `[${host}]` : host;
}

function accepts(host: string, port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host, port, timeout: PROBE_TIMEOUT_MS });
    const settle = (answer: boolean) => {
      socket.destroy();
      resolve(answer);
    };
    socket.once('connect', () => settle(true));
    socket.once('error', () => settle(false));
    socket.once('timeout', () => settle(false));
  });
}

/** Whether our own gateway answers. The name in its certificate does not matter here. */
function answersReady(url: string): Promise<boolean> {
  const get = url.startsWith('https:') ? httpsGet : httpGet;
  return new Promise((resolve) => {
    const request = get(url, { timeout: PROBE_TIMEOUT_MS, rejectUnauthorized: false }, (response) => {
      response.resume();
      resolve(response.statusCode === 200);
    });
    request.once('timeout', () => request.destroy());
    request.once('error', () => resolve(false));
  });
}
