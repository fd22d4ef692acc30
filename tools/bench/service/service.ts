import { randomBytes } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { makeSecretsKey } from '#config';
import { migrateAll } from '../../../scripts/database/migrate-all.js';
import { startEmbeddedPostgres } from '../../../scripts/postgres/embedded-postgres.js';
import { findRedisServer, startLocalRedis } from '../../../scripts/redis/local-redis.js';
import { reservePorts } from '../../../scripts/supervisor/reserve-ports.js';
import { Teardown } from '../../../scripts/supervisor/teardown.js';
import type { BenchOptions, QueueBackEnd } from '../command-line.js';
import { awaitFact } from './await-fact.js';
import { MeasuredProcess } from './measured-process.js';
import { SimulatorControl } from './simulator-control.js';
import { Smsctl } from './smsctl.js';

const READY_TIMEOUT_MS = 60_000;
/** What the bench says about durability is only true with these. */
const POSTGRES_SETTINGS = { synchronous_commit: 'on', full_page_writes: 'on' };

/** A database that is there already: a server's URL, or the folder of a cluster that is started and stays afterwards. */
export type DatabasePlace = { readonly url: string } | { readonly folder: string };

/** The whole service, started for this run alone. */
export class Service {
  readonly operatorPassword = randomBytes(12).toString('base64url');
  readonly secretsKey = makeSecretsKey();
  private readonly teardown = new Teardown();
  private readonly processes = new Map<string, MeasuredProcess>();
  private environment: Record<string, string> = {};
  readonly dir: string;
  port = 0;
  operatorPort = 0;
  simulatorPort = 0;
  echoPort = 0;
  controlPort = 0;
  databaseUrl = '';
  postgresPid = 0;

  private constructor(
    readonly queue: QueueBackEnd,
    parentDir: string,
  ) {
    this.dir = mkdtempSync(join(parentDir, 'heliograph-bench-'));
    this.teardown.add(() => rmSync(this.dir, { recursive: true, force: true }));
  }

  /**
   * Starts everything but the worker.
   *
   * @param signal ends the start between two steps
   * @param own where the service is kept as soon as it exists, so that whoever interrupts the start can close it
   */
  static async start(
    options: BenchOptions,
    signal: AbortSignal,
    own: (service: Service) => void,
    place?: DatabasePlace,
    settings: Readonly<Record<string, string>> = {},
  ): Promise<Service> {
    const redis = findRedisServer();
    const queue = options.queue ?? (redis === undefined ? 'postgres' : 'redis');
    const service = new Service(queue, options.dir);
    own(service);
    if (queue === 'redis') {
      if (redis === undefined) throw new Error('--queue redis needs a redis-server or valkey-server on the PATH');
      mkdirSync(join(service.dir, 'redis'));
      await service.startRedis(redis);
    }
    signal.throwIfAborted();
    await service.startPostgres(place ?? { folder: join(service.dir, 'postgres') });
    signal.throwIfAborted();
    await service.startApps(options.simulatorPort, signal, settings);
    return service;
  }

  get simulator(): SimulatorControl {
    return new SimulatorControl(this.controlPort);
  }

  get smsctl(): Smsctl {
    return new Smsctl(this.environment);
  }

  /** @throws Error in the words of the process that has ended */
  assertAlive(): void {
    for (const process of this.processes.values()) if (process.hasEnded) throw new Error(process.describeEnd());
  }

  /** The processes of the service by pid; Redis and PostgreSQL with their children. */
  pids(): Map<number, string> {
    const pids = new Map([...this.processes].map(([name, { pid }]) => [pid, name]));
    return this.postgresPid > 0 ? pids.set(this.postgresPid, 'postgres') : pids;
  }

  get redisUrl(): string | undefined {
    return this.environment.REDIS_URL;
  }

  /** @param settings over the defaults */
  startWorker(name = 'worker', settings: Readonly<Record<string, string>> = {}): void {
    if (!this.processes.has(name)) this.launch(name, 'apps/worker/main.js', [], settings);
  }

  /** A carrier that takes its time, in place of the usual one. */
  async startSlowCarrier(latencyMs: number, window: number): Promise<void> {
    const [port = 0] = await reservePorts([{ setting: 'the port of the slow carrier', host: '127.0.0.1', port: 0 }]);
    const flags = ['--quiet', '--port', `${port}`, '--latency-ms', `${latencyMs}`];
    this.launch('slow-carrier', 'apps/carrier-simulator/main.js', flags);
    await this.smsctl.run('carrier', 'pause', 'bench');
    await this.smsctl.run('carrier', 'add', 'slow', `smpp://bench:bench@127.0.0.1:${port}`, '--window', `${window}`);
  }

  /** @throws Error when it does not end cleanly by itself */
  async stopWorker(name = 'worker'): Promise<void> {
    const worker = this.processes.get(name);
    if (worker === undefined) return;
    this.processes.delete(name);
    if (!(await worker.stop())) throw new Error(worker.describeEnd());
  }

  /** Stops everything in the reverse order of its start and removes its data. */
  async close(report: (error: unknown) => void): Promise<void> {
    for (const process of [...this.processes.values()].reverse()) await process.stop();
    this.processes.clear();
    await this.teardown.run(report);
  }

  private async startRedis(program: string): Promise<void> {
    const redis = await startLocalRedis(program, join(this.dir, 'redis'), true);
    this.teardown.add(() => redis.stop());
    this.environment.REDIS_URL = redis.url;
  }

  private async startPostgres(place: DatabasePlace): Promise<void> {
    if ('url' in place) {
      this.databaseUrl = place.url;
    } else {
      const settings = POSTGRES_SETTINGS;
      const postgres = await startEmbeddedPostgres({ dataDir: place.folder, fsync: true, settings });
      this.teardown.add(() => postgres.stop());
      this.databaseUrl = postgres.url;
      this.postgresPid = postgres.pid;
    }
    await migrateAll(this.databaseUrl);
  }

  private async startApps(
    simulatorPort: number,
    signal: AbortSignal,
    settings: Readonly<Record<string, string>>,
  ): Promise<void> {
    const listener = (setting: string, port = 0) => ({ setting, host: '127.0.0.1', port });
    const ports = await reservePorts([
      listener('--simulator-port', simulatorPort),
      ...['PORT', 'OPERATOR_PORT', 'the port of the echo', 'the control port'].map((setting) => listener(setting)),
    ]);
    [this.simulatorPort = 0, this.port = 0, this.operatorPort = 0, this.echoPort = 0, this.controlPort = 0] = ports;
    // Every setting that is not about where things are keeps its default: what is measured is what an operator gets.
    this.environment = {
      ...this.environment,
      PATH: process.env.PATH ?? '',
      HOME: this.dir,
      NODE_ENV: 'production',
      DATA_DIR: this.dir,
      DATABASE_URL: this.databaseUrl,
      HOST: '127.0.0.1',
      PORT: String(this.port),
      OPERATOR_PORT: String(this.operatorPort),
      OPERATOR_PASSWORD: this.operatorPassword,
      // More than can be: what is measured is how fast reads are, with what the counting costs.
      FREE_REQUESTS_PER_SECOND: '1000000',
      SIMULATOR_PORT: String(this.simulatorPort),
      SECRETS_KEY: this.secretsKey,
      ...settings,
    };
    this.launch('carrier-simulator', 'apps/carrier-simulator/main.js', [
      '--quiet',
      '--control-port',
      `${this.controlPort}`,
    ]);
    this.launch('gateway', 'apps/gateway/main.js');
    this.launch('echo', 'tools/bench/echo/main.js', [String(this.echoPort)]);
    await this.answers('the gateway', `http://127.0.0.1:${this.port}/readyz`, signal);
    await this.answers('the echo', `http://127.0.0.1:${this.echoPort}/readyz`, signal);
  }

  private launch(
    name: string,
    program: string,
    args: readonly string[] = [],
    settings: Readonly<Record<string, string>> = {},
  ): void {
    const path = fileURLToPath(new URL(`../../../${program}`, import.meta.url));
    const logFile = join(this.dir, `${name}.log`);
    const environment = { ...this.environment, ...settings };
    this.processes.set(name, new MeasuredProcess({ name, program: path, args, environment, logFile }));
  }

  private answers(name: string, url: string, signal: AbortSignal): Promise<boolean> {
    return awaitFact(`${name} is ready`, READY_TIMEOUT_MS, async () => {
      signal.throwIfAborted();
      this.assertAlive();
      const response = await fetch(url).catch(() => undefined);
      await response?.arrayBuffer();
      return response?.ok ? true : undefined;
    });
  }
}
