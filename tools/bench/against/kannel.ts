import { spawnSync } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { freePort } from '../../../scripts/process/free-port.js';
import type { Teardown } from '../../../scripts/supervisor/teardown.js';
import { awaitFact } from '../../harness/await-fact.js';
import type { ForeignTarget } from '../../harness/load/dialects.js';
import { ServiceProcess } from '../../harness/service-process.js';
import type { ForeignGateway } from './foreign-gateway.js';

export const KANNEL_STORES = ['spool', 'file', 'none'] as const;
/** Where its bearerbox keeps what it has accepted. */
export type KannelStore = (typeof KANNEL_STORES)[number];

/** Kannel fsyncs nothing whatever the store: a message that it has accepted outlives its crash, not the machine's. */
const DURABILITY: Readonly<Record<KannelStore, string>> = {
  spool: 'a file for each message and each awaited receipt, written without fsync',
  file: 'one file of messages, written without fsync; awaited receipts in memory',
  none: 'messages and awaited receipts in memory alone',
};

interface KannelOptions {
  readonly store: KannelStore;
  /** Made for this run; it must not hold anything else. */
  readonly dir: string;
  readonly simulatorPort: number;
  /** Of its one bind. */
  readonly carrierWindow: number;
}

interface KannelSettings extends KannelOptions {
  readonly adminPort: number;
  readonly smsboxPort: number;
  readonly sendPort: number;
  /** `throughput` of the SMSC; unset: no limit. */
  readonly submitsPerSecond: number | undefined;
}

/** Panics alone: it logs every message otherwise, which costs it a good part of its time. */
const LOG_LEVEL = 4;

const USER = 'bench';
const SYSTEM_ID = 'kannel';
const PASSWORD = 'bench';

const READY_TIMEOUT_MS = 60_000;
/** Success or failure at the carrier; nobody is called back, so that what comes of a receipt costs it least. */
const RECEIPT_MASK = 3;

/** The version of the Kannel on the PATH. @throws Error when bearerbox or smsbox is not there */
function findKannel(): string {
  const versions = ['bearerbox', 'smsbox'].map((program) => {
    const { stdout } = spawnSync(program, ['--version'], { encoding: 'utf8' });
    return /version `?([\w.-]+)/.exec(stdout ?? '')?.[1];
  });
  const [version] = versions;
  if (version === undefined || versions.includes(undefined)) {
    throw new Error('--against-kannel needs bearerbox and smsbox on the PATH (Debian: apt-get install kannel)');
  }
  return version;
}

/** Kannel as the bench runs it: a bearerbox and an smsbox of its own, its files in a folder of the run. */
export class Kannel implements ForeignGateway {
  readonly id = 'kannel';
  readonly isDisposable = true;
  readonly title: string;
  readonly durability: string;
  readonly target: ForeignTarget;
  private readonly processes = new Map<string, ServiceProcess>();

  private constructor(
    private settings: KannelSettings,
    version: string,
    private readonly signal: AbortSignal,
  ) {
    this.title = `Kannel ${version}, ${settings.store === 'none' ? 'memory' : settings.store} store`;
    this.durability = DURABILITY[settings.store];
    const user = `username=${USER}&password=${PASSWORD}&dlr-mask=${RECEIPT_MASK}`;
    this.target = { dialect: 'kannel', port: settings.sendPort, path: `/cgi-bin/sendsms?${user}` };
  }

  /** @param teardown gets a step before the processes run, so that whoever interrupts the start can end them */
  static async start(options: KannelOptions, signal: AbortSignal, teardown: Teardown): Promise<Kannel> {
    const version = findKannel();
    const [adminPort, smsboxPort, sendPort] = [await freePort(), await freePort(), await freePort()];
    const settings = { ...options, adminPort, smsboxPort, sendPort, submitsPerSecond: undefined };
    const kannel = new Kannel(settings, version, signal);
    teardown.add(() => kannel.close());
    await kannel.launch();
    return kannel;
  }

  pids(): ReadonlyMap<number, string> {
    return new Map([...this.processes].map(([name, { pid }]) => [pid, name]));
  }

  assertAlive(): void {
    for (const process of this.processes.values()) if (process.hasEnded) throw new Error(process.describeEnd());
  }

  /** A fresh start with empty stores is quicker than waiting, and what its stores hold would slow it down. */
  async settle(): Promise<void> {
    await this.close();
    await this.launch();
  }

  async limitItself(perSecond: number | undefined): Promise<boolean> {
    this.settings = { ...this.settings, submitsPerSecond: perSecond };
    await this.settle();
    return true;
  }

  /** What it holds is thrown away, so it need not be stopped in order. */
  async close(): Promise<void> {
    for (const process of [...this.processes.values()].reverse()) await process.kill();
    this.processes.clear();
  }

  private async launch(): Promise<void> {
    const { dir, store } = this.settings;
    rmSync(dir, { recursive: true, force: true });
    mkdirSync(dir);
    if (store === 'spool') for (const path of [storePath(store, dir), receiptPath(dir)]) mkdirSync(path);
    const file = join(dir, 'kannel.conf');
    writeFileSync(file, kannelConfig(this.settings), { mode: 0o600 });
    this.run('bearerbox', file);
    const status = `http://127.0.0.1:${this.settings.adminPort}/status.txt?password=${PASSWORD}`;
    await this.answers('bearerbox is ready', status, () => true);
    this.run('smsbox', file);
    await this.answers('smsbox is connected', status, (text) => /\bsmsbox\b.*on-line/.test(text));
    await this.answers('smsbox takes messages', `http://127.0.0.1:${this.settings.sendPort}/`, () => true);
  }

  private run(name: string, file: string): void {
    const { dir } = this.settings;
    const environment = { PATH: process.env.PATH ?? '' };
    const options = { name, program: { command: name }, args: ['-v', String(LOG_LEVEL), file], environment, dir };
    this.processes.set(name, new ServiceProcess(options));
  }

  private async answers(fact: string, url: string, isSo: (text: string) => boolean): Promise<void> {
    await awaitFact(fact, READY_TIMEOUT_MS, this.signal, async () => {
      this.assertAlive();
      const response = await fetch(url).catch(() => undefined);
      const text = await response?.text();
      return text !== undefined && isSo(text);
    });
  }
}

/** One configuration file for bearerbox and smsbox, everything on the loopback. */
export function kannelConfig(settings: KannelSettings): string {
  const { store, dir, submitsPerSecond } = settings;
  const core = {
    group: 'core',
    'admin-port': settings.adminPort,
    'admin-interface': '127.0.0.1',
    'admin-password': PASSWORD,
    'smsbox-port': settings.smsboxPort,
    'smsbox-interface': '127.0.0.1',
    'box-allow-ip': '127.0.0.1',
    'box-deny-ip': '*.*.*.*',
    'log-level': LOG_LEVEL,
    ...(store === 'none' ? {} : { 'store-type': store, 'store-location': storePath(store, dir) }),
    ...(store === 'spool' ? { 'dlr-storage': 'spool', 'dlr-spool': receiptPath(dir) } : { 'dlr-storage': 'internal' }),
  };
  const smsc = {
    group: 'smsc',
    smsc: 'smpp',
    'smsc-id': 'simulator',
    host: '127.0.0.1',
    port: settings.simulatorPort,
    'transceiver-mode': true,
    'smsc-username': SYSTEM_ID,
    'smsc-password': PASSWORD,
    'system-type': '""',
    'max-pending-submits': settings.carrierWindow,
    'reconnect-delay': 1,
    ...(submitsPerSecond === undefined ? {} : { throughput: submitsPerSecond }),
  };
  const smsbox = {
    group: 'smsbox',
    'bearerbox-host': '127.0.0.1',
    'sendsms-port': settings.sendPort,
    'sendsms-interface': '127.0.0.1',
    'global-sender': 12_345,
    'log-level': LOG_LEVEL,
  };
  const user = { group: 'sendsms-user', username: USER, password: PASSWORD, 'max-messages': 10 };
  return [core, smsc, smsbox, user].map(groupText).join('\n');
}

function storePath(store: KannelStore, dir: string): string {
  return join(dir, store === 'spool' ? 'spool' : 'store.file');
}

function receiptPath(dir: string): string {
  return join(dir, 'receipts');
}

function groupText(group: Readonly<Record<string, string | number | boolean>>): string {
  return Object.entries(group)
    .map(([name, value]) => `${name} = ${value}\n`)
    .join('');
}
