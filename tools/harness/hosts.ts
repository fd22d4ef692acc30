import { spawnSync } from 'node:child_process';
import { runCommand } from './run-command.js';

const HOSTS_MAX = 200;
/** Makes one of each thing that a network needs, in a namespace of its own, and removes it. */
const PROBE = `ip netns add hg-probe-$$ || exit
  ip netns exec hg-probe-$$ sh -c 'ip link add hgp type bridge && nft add table inet hgp'
  code=$?
  ip netns del hg-probe-$$
  exit $code`;

/** Which packets of one conversation of a host are dropped: what it sends, what it hears, or both. */
export interface Loss {
  /** The port of the server of the conversation: on another host, or on this one for its clients. */
  readonly port: number;
  readonly isServer: boolean;
  readonly direction: 'out' | 'in' | 'both';
  /** 1 to 100; 100 is a partition. */
  readonly percent: number;
}

/** How late packets of a host leave it, and how many of them overtake others (tc-netem(8)). */
export interface Lateness {
  readonly delayMs: number;
  readonly jitterMs: number;
  readonly reorderPercent: number;
}

/**
 * Hosts of a run: network namespaces of Linux on one bridge, each with an address of its own. Between them and the
 * harness packets are really lost, late or out of order, which no process in the middle can do: TCP repeats them, and
 * connections hang that nobody has reset. Needs root, ip(8) and nft(8); lateness needs a kernel with sch_netem.
 */
export class Network {
  private readonly hosts: Host[] = [];

  private constructor(
    private readonly bridge: string,
    private readonly prefix: string,
    /** Whether packets can be made late and be reordered. */
    readonly canDelay: boolean,
  ) {}

  /** Why this machine can have no hosts, in a few words. */
  static missing(): string | undefined {
    if (process.platform !== 'linux' || process.getuid?.() !== 0) return 'root on Linux, for network namespaces';
    for (const program of ['ip', 'nft']) {
      if (spawnSync(program, ['--version']).error !== undefined) return `${program} on the PATH`;
    }
    const isAllowed = spawnSync('sh', ['-c', PROBE]).status === 0;
    return isAllowed ? undefined : 'a kernel that lets it make network namespaces, bridges and nftables';
  }

  /** The bridge, which is the harness' own place in the network. */
  static async make(): Promise<Network> {
    // Two runs beside each other have addresses of their own.
    const prefix = `10.213.${process.pid % 256}`;
    const bridge = `hg${process.pid}`;
    await ip('link', 'add', bridge, 'type', 'bridge');
    try {
      await ip('addr', 'add', `${prefix}.1/24`, 'dev', bridge);
      await ip('link', 'set', bridge, 'up');
      const canDelay = await ip('link', 'add', `${bridge}p`, 'type', 'dummy')
        .then(() => tc('qdisc', 'add', 'dev', `${bridge}p`, 'root', 'netem', 'delay', '1ms'))
        .then(() => true)
        .catch(() => false);
      await ip('link', 'del', `${bridge}p`).catch(() => undefined);
      return new Network(bridge, prefix, canDelay);
    } catch (error) {
      await ip('link', 'del', bridge);
      throw error;
    }
  }

  /** Where hosts find what the harness listens on. */
  get address(): string {
    return `${this.prefix}.1`;
  }

  async addHost(): Promise<Host> {
    const number = this.hosts.length + 2;
    if (number > HOSTS_MAX) throw new Error('too many hosts');
    const name = `${this.bridge}-${number}`;
    await ip('netns', 'add', name);
    const host = new Host(name, `${this.prefix}.${number}`);
    this.hosts.push(host);
    const end = `${this.bridge}v${number}`;
    await ip('link', 'add', end, 'type', 'veth', 'peer', 'name', 'eth0', 'netns', name);
    await ip('link', 'set', end, 'master', this.bridge, 'up');
    await ip('-n', name, 'addr', 'add', `${host.address}/24`, 'dev', 'eth0');
    for (const device of ['lo', 'eth0']) await ip('-n', name, 'link', 'set', device, 'up');
    return host;
  }

  async close(): Promise<void> {
    for (const { name } of this.hosts) await ip('netns', 'del', name);
    await ip('link', 'del', this.bridge);
  }
}

/** One host; the processes on it run by `ip netns exec`. */
export class Host {
  constructor(
    readonly name: string,
    readonly address: string,
  ) {}

  /** Replaces what was lost before. */
  async lose({ port, isServer, direction, percent }: Loss): Promise<void> {
    const chance = percent >= 100 ? '' : `numgen random mod 100 < ${percent} `;
    // What it hears of a server comes from the server's port; what clients send to it goes to its own.
    const rules = (['out', 'in'] as const)
      .filter((way) => direction === 'both' || direction === way)
      .map((way) => {
        const end = (way === 'out') === isServer ? 'sport' : 'dport';
        const hook = way === 'out' ? 'output' : 'input';
        return `chain ${way} { type filter hook ${hook} priority 0; tcp ${end} ${port} ${chance}drop; }`;
      });
    await this.mend();
    await this.nft(['table inet faults {', ...rules, '}'].join('\n'));
  }

  async delay({ delayMs, jitterMs, reorderPercent }: Lateness): Promise<void> {
    const netem = ['delay', `${delayMs}ms`, `${jitterMs}ms`, 'reorder', `${reorderPercent}%`];
    await tc('-n', this.name, 'qdisc', 'replace', 'dev', 'eth0', 'root', 'netem', ...netem);
  }

  /** Everything arrives again. */
  async mend(): Promise<void> {
    await this.nft('flush ruleset');
    await tc('-n', this.name, 'qdisc', 'del', 'dev', 'eth0', 'root').catch(() => undefined);
  }

  private nft(command: string): Promise<void> {
    return ip('netns', 'exec', this.name, 'nft', command);
  }
}

const ip = (...args: string[]) => runCommand('ip', ...args);
const tc = (...args: string[]) => runCommand('tc', ...args);
