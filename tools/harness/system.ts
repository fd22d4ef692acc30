import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { makeSecretsKey } from '#config';
import { freePort } from '../../scripts/process/free-port.js';
import { RedisSentinels } from '../../scripts/redis/redis-sentinels.js';
import { reservePorts } from '../../scripts/supervisor/reserve-ports.js';
import type { Teardown } from '../../scripts/supervisor/teardown.js';
import { type Host, Network } from './hosts.js';
import type { Link } from './link.js';
import { type LinkName, Links } from './links.js';
import type { QueueBackEnd } from './queue.js';
import { PostgresServer, RedisServer, redisProgram } from './servers.js';
import { type ProcessOptions, ServiceProcess } from './service-process.js';
import { SimulatorControl } from './simulator-control.js';
import { Smsctl } from './smsctl.js';
import { programOf, THIS_VERSION } from './version.js';

/** A database that is there already: a server's URL, or the folder of a cluster, which is started. */
export type DatabasePlace = { readonly url: string } | { readonly folder: string };

export interface SystemOptions {
  /** Holds everything of the run; exists. */
  readonly dir: string;
  readonly queue: QueueBackEnd;
  /** Unset: a cluster of its own in `dir`. */
  readonly place?: DatabasePlace;
  /** Unset: 1 gateway, and no worker before it is started. */
  readonly gateways?: number;
  readonly workers?: number;
  /** Processes that deliver events; unset: none. They may deliver to this machine. */
  readonly webhooks?: number | undefined;
  /** Whether gateways, workers and webhooks are started again whatever ends them; unset: their end is a fault. */
  readonly isSupervised?: boolean;
  /** Unset: it keeps its append-only file. */
  readonly redisIsDurable?: boolean;
  /** A master and a replica under three Sentinels; no links lead there. */
  readonly redisHasSentinels?: boolean;
  /** Links that go through the harness; the others are direct. */
  readonly links?: readonly LinkName[];
  /** Each gateway and each worker on a host of its own; then all links go through the harness. */
  readonly hasHosts?: boolean;
  /** Settings of the service that differ from their defaults. */
  readonly settings?: Readonly<Record<string, string>>;
  readonly simulatorFlags: readonly string[];
  /** Unset or 0: a free one. */
  readonly simulatorPort?: number;
  /** Folder of the version that gateways and workers start as, and whose schema they find; unset: this one. */
  readonly version?: string | undefined;
}

type Role = 'gateway' | 'worker' | 'webhooks';

const CARRIER = 'apps/carrier-simulator/main.js';
const MIGRATE_TIMEOUT_MS = 300_000;

/** The whole service, each part a process of its own on free ports, as an operator would run it. */
export class System {
  readonly gateways: ServiceProcess[] = [];
  readonly workers: ServiceProcess[] = [];
  readonly webhooks: ServiceProcess[] = [];
  readonly gatewayPorts: number[] = [];
  readonly operatorPassword = randomBytes(12).toString('base64url');
  readonly secretsKey = makeSecretsKey();
  operatorPort = 0;
  /** On which each gateway hears clients on its host. */
  readonly clientPorts = new Map<ServiceProcess, number>();
  /** Tells the carrier at run time how to behave. */
  readonly simulator: SimulatorControl;
  simulatorPort = 0;
  /** Where workers find the simulator: itself, or its link; host and port. */
  carrierAddress = '';
  private readonly links: Links;
  private readonly others: ServiceProcess[] = [];
  private readonly hosts = new Map<ServiceProcess, Host>();
  private schemaVersion = THIS_VERSION;
  private environment: Readonly<Record<string, string>> = {};
  private readonly servers = new Map<'gateway' | 'worker', Readonly<Record<string, string>>>();

  private constructor(
    readonly options: SystemOptions,
    readonly postgres: PostgresServer,
    readonly redis: RedisServer | undefined,
    readonly sentinels: RedisSentinels | undefined,
    readonly network: Network | undefined,
    private readonly controlPort: number,
    private readonly teardown: Teardown,
  ) {
    this.simulator = new SimulatorControl(controlPort);
    this.links = new Links(options.links ?? [], network?.address, teardown);
  }

  /**
   * Starts the servers and the simulator, and migrates; `startApps` starts the rest.
   *
   * @param teardown gets a step for each part as soon as it runs, so that whoever interrupts the start can end it
   */
  static async start(options: SystemOptions, signal: AbortSignal, teardown: Teardown): Promise<System> {
    const { dir, queue, place = { folder: join(dir, 'postgres') }, redisIsDurable = true } = options;
    const postgres = 'url' in place ? PostgresServer.at(place.url) : await PostgresServer.start(place.folder);
    teardown.add(() => postgres.stop());
    const redisDir = join(dir, 'redis');
    if (queue === 'redis') mkdirSync(redisDir);
    const hasSentinels = queue === 'redis' && options.redisHasSentinels === true;
    const sentinels = hasSentinels ? await RedisSentinels.start(redisProgram(), redisDir, redisIsDurable) : undefined;
    if (sentinels !== undefined) teardown.add(() => sentinels.stop());
    const redis = queue === 'redis' && !hasSentinels ? await RedisServer.start(redisDir, redisIsDurable) : undefined;
    if (redis !== undefined) teardown.add(() => redis.stop());
    const network = options.hasHosts === true ? await Network.make() : undefined;
    if (network !== undefined) teardown.add(() => network.close());
    signal.throwIfAborted();
    const system = new System(options, postgres, redis, sentinels, network, await freePort(), teardown);
    await system.migrate(options.version);
    await system.startSimulator();
    return system;
  }

  get port(): number {
    return this.gatewayPorts[0] ?? 0;
  }

  get dir(): string {
    return this.options.dir;
  }

  /** Gateways, workers and what delivers webhooks. */
  get processes(): readonly ServiceProcess[] {
    return [...this.gateways, ...this.workers, ...this.webhooks];
  }

  /** Of the version that the schema has. */
  get smsctl(): Smsctl {
    return new Smsctl({ ...this.environment, DATABASE_URL: this.postgres.url }, this.schemaVersion);
  }

  /** @throws Error when the run did not ask for this link */
  link(name: LinkName): Link {
    return this.links.get(name);
  }

  /** @throws Error when the run did not ask for hosts */
  hostOf(process: ServiceProcess): Host {
    const host = this.hosts.get(process);
    if (host === undefined) throw new Error(`${process.name} has no host of its own in this scenario`);
    return host;
  }

  /** The processes by pid; of servers the one whose children the others are. */
  pids(): Map<number, string> {
    const pids = new Map([...this.processes, ...this.others].map(({ pid, name }) => [pid, name]));
    if (this.postgres.pid !== undefined) pids.set(this.postgres.pid, 'postgres');
    if (this.redis !== undefined) pids.set(this.redis.pid, 'redis');
    return pids;
  }

  /** @throws Error in the words of a process that has ended and should not have */
  assertAlive(): void {
    for (const process of [...this.others, ...(this.options.isSupervised ? [] : this.processes)]) {
      if (process.hasEnded) throw new Error(process.describeEnd());
    }
  }

  /** Brings the schema to this version, or another, by the command that operators use. */
  async migrate(version = THIS_VERSION): Promise<void> {
    const env = { PATH: process.env.PATH ?? '', HOME: this.dir, DATA_DIR: this.dir, DATABASE_URL: this.postgres.url };
    const program = programOf('scripts/migrate.js', version);
    await promisify(execFile)(process.execPath, [program], { env, timeout: MIGRATE_TIMEOUT_MS });
    this.schemaVersion = version;
  }

  /** Gateways and workers are of this version from their next lives on. */
  upgrade(victim: ServiceProcess): void {
    victim.program = appOf(this.gateways.includes(victim) ? 'gateway' : 'worker');
  }

  /** All gateways, and as many workers and webhooks as are wanted at the start; they are ready then. */
  async startApps(signal: AbortSignal): Promise<void> {
    for (const role of ['gateway', 'worker'] as const) this.servers.set(role, await this.serversOf(role));
    const { gateways = 1, workers = 0, webhooks = 0 } = this.options;
    for (let index = 0; index < gateways; index += 1) {
      const [port, operatorPort] = [await freePort(), await freePort()];
      const host = await this.network?.addHost();
      this.gatewayPorts.push(host === undefined ? port : await this.links.portOf(port, host.address));
      this.operatorPort = operatorPort;
      const ports = { PORT: String(port), OPERATOR_PORT: String(operatorPort) };
      const own = { ...this.servers.get('gateway'), ...ports, ...(host !== undefined && { HOST: host.address }) };
      const gateway = this.launchApp('gateway', numbered('gateway', index, gateways), own, host);
      this.gateways.push(gateway);
      this.clientPorts.set(gateway, port);
    }
    for (let index = 0; index < workers; index += 1) {
      this.startWorker(numbered('worker', index, workers), {}, await this.network?.addHost());
    }
    for (let index = 0; index < webhooks; index += 1) {
      const own = { DATABASE_URL: this.postgres.url, WEBHOOKS_METRICS_PORT: String(await freePort()) };
      this.webhooks.push(this.launchApp('webhooks', numbered('webhooks', index, webhooks), own));
    }
    await Promise.all([...this.others, ...this.processes].map((started) => started.ready(signal)));
  }

  /** @param settings over the others */
  startWorker(name = 'worker', settings: Readonly<Record<string, string>> = {}, host?: Host): void {
    if (this.workers.some((worker) => worker.name === name)) return;
    this.workers.push(this.launchApp('worker', name, { ...this.servers.get('worker'), ...settings }, host));
  }

  /** @throws Error when it does not end cleanly by itself; one that is not ready yet would die of the SIGTERM */
  async stopWorker(name = 'worker'): Promise<void> {
    const index = this.workers.findIndex((worker) => worker.name === name);
    const [worker] = index === -1 ? [] : this.workers.splice(index, 1);
    await worker?.ready();
    if (worker !== undefined && !(await worker.stop())) throw new Error(worker.describeEnd());
  }

  /** A program that is no part of the service, in its environment. */
  startOther(name: string, program: string, args: readonly string[], readyText = 'listening', own = {}) {
    const other = this.launch(name, { program: programOf(program), args, readyText, isSupervised: false }, own);
    this.others.push(other);
    return other;
  }

  /** Another simulator. Resolves to its port. */
  async startCarrier(name: string, flags: readonly string[]): Promise<number> {
    const port = await freePort();
    this.startOther(name, CARRIER, ['--port', `${port}`, ...flags]);
    return port;
  }

  private async startSimulator(): Promise<void> {
    const { dir, settings, simulatorPort: wanted = 0, simulatorFlags } = this.options;
    this.simulatorPort = wanted || (await freePort());
    await reservePorts([{ setting: '--simulator-port', host: '127.0.0.1', port: this.simulatorPort }]);
    // Every setting that is not about where things are keeps its default: what runs is what an operator gets.
    this.environment = {
      PATH: process.env.PATH ?? '',
      HOME: dir,
      NODE_ENV: 'production',
      DATA_DIR: dir,
      HOST: '127.0.0.1',
      OPERATOR_PASSWORD: this.operatorPassword,
      SIMULATOR_PORT: String(this.simulatorPort),
      SECRETS_KEY: this.secretsKey,
      ...(this.options.webhooks !== undefined && { WEBHOOK_ALLOW_NETWORKS: '127.0.0.0/8' }),
      ...settings,
    };
    this.startOther('carrier-simulator', CARRIER, ['--control-port', `${this.controlPort}`, ...simulatorFlags]);
    this.carrierAddress = await this.links.addressOf('worker-carrier', this.simulatorPort);
  }

  /** Addresses of the servers as a role sees them: direct, or through its links. */
  private async serversOf(role: 'gateway' | 'worker'): Promise<Readonly<Record<string, string>>> {
    const database = new URL(this.postgres.url);
    database.host = await this.links.addressOf(`${role}-postgres`, Number(database.port));
    const servers = { DATABASE_URL: database.href };
    if (this.sentinels !== undefined) return { ...servers, REDIS_URL: this.sentinels.url };
    if (this.redis === undefined) return servers;
    return { ...servers, REDIS_URL: `redis://${await this.links.addressOf(`${role}-redis`, this.redis.port)}` };
  }

  private launchApp(role: Role, name: string, own: Readonly<Record<string, string>>, host?: Host): ServiceProcess {
    const options = { program: appOf(role, this.options.version), readyText: `${role} ready` };
    return this.launch(name, options, own, host);
  }

  private launch(
    name: string,
    options: Omit<ProcessOptions, 'name' | 'environment' | 'dir'>,
    own: Readonly<Record<string, string>>,
    host?: Host,
  ): ServiceProcess {
    const { dir, isSupervised = false } = this.options;
    const environment = { ...this.environment, ...own };
    const launched = new ServiceProcess({ name, dir, isSupervised, environment, namespace: host?.name, ...options });
    if (host !== undefined) this.hosts.set(launched, host);
    this.teardown.add(async () => {
      await launched.stop();
    });
    return launched;
  }
}

function appOf(role: Role, version?: string): string {
  return programOf(`apps/${role}/main.js`, version);
}

function numbered(role: Role, index: number, count: number): string {
  return count === 1 ? role : `${role}-${index + 1}`;
}
