import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { freePort, LAST_PORT } from '../process/free-port.js';
import { type LocalRedis, startLocalRedis } from './local-redis.js';

const NODES = 3;
const SLOTS = 16_384;
/** A node also listens on its port and this number, which must not be a port of outgoing connections either. */
const BUS_PORT_OFFSET = 10_000;
const READY_TIMEOUT_MS = 60_000;
const LOOK_EVERY_MS = 50;

/** Three masters that share the slots, on the loopback. */
export class RedisCluster {
  private constructor(private readonly nodes: readonly LocalRedis[]) {}

  /**
   * Starts the nodes, hands out the slots, and waits until every node says that the cluster is whole.
   *
   * @param dir where they may write; exists
   */
  static async start(program: string, dir: string): Promise<RedisCluster> {
    const nodes: LocalRedis[] = [];
    try {
      for (let index = 0; index < NODES; index += 1) {
        const own = join(dir, `node-${index + 1}`);
        mkdirSync(own, { recursive: true });
        const settings = { '--cluster-enabled': 'yes', '--cluster-node-timeout': '3000', '--databases': '1' };
        nodes.push(await startLocalRedis(program, own, false, await freePort(LAST_PORT - BUS_PORT_OFFSET), settings));
      }
      const cluster = new RedisCluster(nodes);
      await cluster.join();
      return cluster;
    } catch (error) {
      await Promise.all(nodes.map((node) => node.stop()));
      throw error;
    }
  }

  /** For REDIS_URL. */
  get url(): string {
    return `redis+cluster://${this.nodes.map(({ port }) => `127.0.0.1:${port}`).join(',')}`;
  }

  /** Asks every node on its own. */
  async each<Result>(ask: (node: Redis) => Promise<Result>): Promise<Result[]> {
    return Promise.all(
      this.nodes.map(async ({ port }) => {
        const node = new Redis(port, '127.0.0.1', { maxRetriesPerRequest: 1, commandTimeout: 5_000 });
        node.on('error', () => undefined);
        try {
          return await ask(node);
        } finally {
          node.disconnect();
        }
      }),
    );
  }

  async stop(): Promise<void> {
    await Promise.all(this.nodes.map((node) => node.stop()));
  }

  private async join(): Promise<void> {
    const share = Math.ceil(SLOTS / NODES);
    const ports = this.nodes.map(({ port }) => port);
    await this.each(async (node) => {
      const index = ports.indexOf(node.options.port ?? 0);
      const last = Math.min(SLOTS, (index + 1) * share) - 1;
      await node.call('cluster', 'addslotsrange', index * share, last);
      await node.call('cluster', 'set-config-epoch', index + 1);
    });
    await this.each(async (node) => {
      for (const port of ports) await node.call('cluster', 'meet', '127.0.0.1', port);
    });
    const deadline = Date.now() + READY_TIMEOUT_MS;
    for (;;) {
      const infos = await this.each((node) => node.call('cluster', 'info'));
      if (infos.every((info) => /cluster_state:ok/.test(String(info)) && /cluster_known_nodes:3/.test(String(info))))
        return;
      if (Date.now() > deadline) throw new Error(`the Redis Cluster is not whole within ${READY_TIMEOUT_MS} ms`);
      await delay(LOOK_EVERY_MS);
    }
  }
}
