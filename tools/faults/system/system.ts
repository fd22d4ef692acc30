import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { makeSecretsKey } from '#config';
import { freePort } from '../../../scripts/postgres/embedded-postgres.js';
import { findRedisServer } from '../../../scripts/redis/local-redis.js';
import { RedisSentinels } from '../../../scripts/redis/redis-sentinels.js';
import { Teardown } from '../../../scripts/supervisor/teardown.js';
import { Smsctl } from '../../bench/service/smsctl.js';
import { CarrierControl } from './carrier-control.js';
import type { createFixtures, FaultAccount } from './fixtures.js';
import { Link } from './link.js';
import { PostgresServer } from './postgres-server.js';
import { RedisServer } from './redis-server.js';
import { SmallDisk } from './small-disk.js';
import { SupervisedProcess } from './supervised-process.js';

export type QueueBackEnd = 'redis' | 'postgres';

/** Both gateways share the links of `gateway-...`, both workers those of `worker-...`. */
export const LINK_NAMES = [
  'gateway-postgres',
  'worker-postgres',
  'gateway-redis',
  'worker-redis',
  'worker-carrier',
] as const;
export type LinkName = (typeof LINK_NAMES)[number];

export interface SystemOptions {
  /** Holds everything of the run; exists. */
  readonly dir: string;
  readonly queue: QueueBackEnd;
  readonly redisIsDurable: boolean;
  /** A master and a replica under three Sentinels; no links lead there. */
  readonly redisHasSentinels: boolean;
  /** Links that go through the harness; the others are direct. */
  readonly links: readonly LinkName[];
  /** Settings of the service that differ from their defaults. */
  readonly settings: Readonly<Record<string, string>>;
  /** Flags of the simulator, over its log. */
  readonly simulatorFlags: readonly string[];
  readonly carrierWindow: number;
  readonly messageIdFormat: 'as-is' | 'hex-dec' | 'dec-hex';
  /** Folder of the version that gateways and workers start as, and whose schema they find. */
  readonly version: string;
  /** Size of a file system of its own for the database; undefined: none. */
  readonly diskMegabytes: number | undefined;
}

/** Folder of the version that runs this. */
export const THIS_VERSION = fileURLToPath(new URL('../../../../', import.meta.url));
const GATEWAY = 'apps/gateway/main.js';
const WORKER = 'apps/worker/main.js';
const CARRIER = 'apps/carrier-simulator/main.js';
const MIGRATE_TIMEOUT_MS = 300_000;
const GATEWAYS = 2;
const WORKERS = 2;
/** Long enough that a window is rarely empty when a worker dies. */
const CARRIER_LATENCY_MS = '10';
/** A carrier tries a receipt for hours; the simulator's three tries are over before a database has recovered. */
const RECEIPT_TRIES = '1000';

/** The whole service, each part a process of its own, as an operator would run it. */
export class System {
  readonly gateways: SupervisedProcess[] = [];
  readonly workers: SupervisedProcess[] = [];
  readonly links = new Map<LinkName, Link>();
  readonly gatewayPorts: number[] = [];
  accounts: readonly FaultAccount[] = [];
  private simulator: SupervisedProcess | undefined;
  private environment: Record<string, string> = {};
  private simulatorPort = 0;
  private control: CarrierControl | undefined;

  private constructor(
    readonly options: SystemOptions,
    readonly postgres: PostgresServer,
    readonly redis: RedisServer | undefined,
    readonly sentinels: RedisSentinels | undefined,
    /** Where the database lies when the scenario asked for a small one. */
    readonly disk: SmallDisk | undefined,
    private readonly teardown: Teardown,
  ) {}

  /**
   * Starts everything and waits until it is ready.
   *
   * @param teardown gets a step for each part as soon as it runs, so that whoever interrupts the start can end it
   */
  static async start(options: SystemOptions, signal: AbortSignal, teardown: Teardown): Promise<System> {
    const folder = join(options.dir, 'postgres');
    const disk = options.diskMegabytes === undefined ? undefined : await SmallDisk.mount(folder, options.diskMegabytes);
    if (disk !== undefined) teardown.add(() => disk.unmount());
    const postgres = await PostgresServer.start(folder);
    teardown.add(() => postgres.stop());
    const isOnRedis = options.queue === 'redis';
    const redis = isOnRedis && !options.redisHasSentinels ? await startRedis(options) : undefined;
    if (redis !== undefined) teardown.add(() => redis.stop());
    const sentinels = isOnRedis && options.redisHasSentinels ? await startSentinels(options) : undefined;
    if (sentinels !== undefined) teardown.add(() => sentinels.stop());
    signal.throwIfAborted();
    await migrateWith(options.version, postgres.url, options.dir);
    const system = new System(options, postgres, redis, sentinels, disk, teardown);
    await system.startApps(signal);
    return system;
  }

  get carrierLogFile(): string {
    return join(this.options.dir, 'carrier.jsonl');
  }

  get processes(): readonly SupervisedProcess[] {
    return [...this.gateways, ...this.workers];
  }

  get smsctl(): Smsctl {
    return new Smsctl({ ...this.environment, DATABASE_URL: this.postgres.url });
  }

  /** @throws Error when the scenario did not ask for this link */
  link(name: LinkName): Link {
    const link = this.links.get(name);
    if (link === undefined) throw new Error(`the link ${name} is direct in this scenario`);
    return link;
  }

  /** The carrier's own process: it is never killed by accident, because it is the witness. */
  get carrier(): SupervisedProcess {
    if (this.simulator === undefined) throw new Error('the carrier has not been started');
    return this.simulator;
  }

  /** Tells the carrier at run time how to behave. */
  get carrierControl(): CarrierControl {
    if (this.control === undefined) throw new Error('the carrier has not been started');
    return this.control;
  }

  /** Brings the schema of a running service to this version, by the command that operators use. */
  async migrate(): Promise<void> {
    await migrateWith(THIS_VERSION, this.postgres.url, this.options.dir);
  }

  /** Gateways and workers are of this version from their next lives on. */
  upgrade(victim: SupervisedProcess): void {
    victim.setProgram(programOf(THIS_VERSION, this.gateways.includes(victim) ? GATEWAY : WORKER));
  }

  private async startApps(signal: AbortSignal): Promise<void> {
    const { dir, settings, simulatorFlags } = this.options;
    this.simulatorPort = await freePort();
    const secretsKey = makeSecretsKey();
    this.environment = {
      PATH: process.env.PATH ?? '',
      HOME: dir,
      NODE_ENV: 'production',
      DATA_DIR: dir,
      HOST: '127.0.0.1',
      OPERATOR_PASSWORD: randomBytes(12).toString('base64url'),
      SIMULATOR_PORT: String(this.simulatorPort),
      SECRETS_KEY: secretsKey,
      ...settings,
    };
    const usual = ['--latency-ms', CARRIER_LATENCY_MS, '--receipt-tries', RECEIPT_TRIES];
    const controlPort = await freePort();
    this.control = new CarrierControl(controlPort);
    const flags = ['--log', this.carrierLogFile, '--control-port', `${controlPort}`, ...usual, ...simulatorFlags];
    this.simulator = this.launch('carrier', programOf(THIS_VERSION, CARRIER), 'listening', {}, flags);
    const carrierPort = await this.portOf('worker-carrier', this.simulatorPort);
    const { carrierWindow, messageIdFormat, version } = this.options;
    const createFixtures = await fixturesOf(version);
    this.accounts = await createFixtures(this.postgres.url, carrierPort, carrierWindow, messageIdFormat, secretsKey);
    const gatewayServers = await this.servers('gateway');
    for (let index = 0; index < GATEWAYS; index += 1) {
      const [port, operatorPort] = [await freePort(), await freePort()];
      this.gatewayPorts.push(port);
      const own = { ...gatewayServers, PORT: String(port), OPERATOR_PORT: String(operatorPort) };
      this.gateways.push(this.launch(`gateway-${index + 1}`, programOf(version, GATEWAY), 'gateway ready', own));
    }
    const workerServers = await this.servers('worker');
    for (let index = 0; index < WORKERS; index += 1) {
      this.workers.push(this.launch(`worker-${index + 1}`, programOf(version, WORKER), 'worker ready', workerServers));
    }
    await Promise.all(this.processes.map((started) => started.ready(signal)));
  }

  /** Addresses of the servers as a role sees them: direct, or through its links. */
  private async servers(role: 'gateway' | 'worker'): Promise<Record<string, string>> {
    const database = new URL(this.postgres.url);
    database.port = String(await this.portOf(`${role}-postgres`, this.postgres.port));
    if (this.sentinels !== undefined) return { DATABASE_URL: database.href, REDIS_URL: this.sentinels.url };
    if (this.redis === undefined) return { DATABASE_URL: database.href };
    const redisPort = await this.portOf(`${role}-redis`, this.redis.port);
    return { DATABASE_URL: database.href, REDIS_URL: `redis://127.0.0.1:${redisPort}` };
  }

  private async portOf(name: LinkName, directPort: number): Promise<number> {
    if (!this.options.links.includes(name)) return directPort;
    const link = await Link.open(name, directPort);
    this.teardown.add(() => link.close());
    this.links.set(name, link);
    return link.port;
  }

  private launch(
    name: string,
    program: string,
    readyText: string,
    own: Readonly<Record<string, string>>,
    args: readonly string[] = [],
  ): SupervisedProcess {
    const environment = { ...this.environment, ...own };
    const options = { name, program, args, environment, dir: this.options.dir, readyText };
    const launched = new SupervisedProcess(options);
    this.teardown.add(() => launched.stop());
    return launched;
  }
}

function programOf(version: string, program: string): string {
  return join(version, 'dist', program);
}

async function migrateWith(version: string, databaseUrl: string, dir: string): Promise<void> {
  const env = { PATH: process.env.PATH ?? '', HOME: dir, DATA_DIR: dir, DATABASE_URL: databaseUrl };
  const program = programOf(version, 'scripts/migrate.js');
  await promisify(execFile)(process.execPath, [program], { env, timeout: MIGRATE_TIMEOUT_MS });
}

/** Only that version knows its schema. Up to 0.2.0 the harness lay among the scripts. */
async function fixturesOf(version: string): Promise<typeof createFixtures> {
  const places = ['tools', 'scripts'].map((folder) => programOf(version, `${folder}/faults/system/fixtures.js`));
  const file = places.find(existsSync);
  if (file === undefined) throw new Error(`there is no fault harness in ${version}`);
  return ((await import(pathToFileURL(file).href)) as { createFixtures: typeof createFixtures }).createFixtures;
}

async function startSentinels({ dir, redisIsDurable }: SystemOptions): Promise<RedisSentinels> {
  const program = findRedisServer();
  if (program === undefined) throw new Error('this needs a redis-server or valkey-server on the PATH');
  const folder = join(dir, 'redis');
  mkdirSync(folder);
  return RedisSentinels.start(program, folder, redisIsDurable);
}

async function startRedis({ dir, redisIsDurable }: SystemOptions): Promise<RedisServer> {
  const folder = join(dir, 'redis');
  mkdirSync(folder);
  return RedisServer.start(folder, redisIsDurable);
}
