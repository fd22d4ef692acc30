import type { Teardown } from '../../scripts/supervisor/teardown.js';
import { Link } from './link.js';

/** All gateways share the links of `gateway-...`, all workers those of `worker-...`. */
export type LinkName = `${'gateway' | 'worker'}-${'postgres' | 'redis'}` | 'worker-carrier';

const LOOPBACK = '127.0.0.1';

/** The links of a run by name, and where processes find what stands behind them. */
export class Links {
  private readonly byName = new Map<LinkName, Link>();

  /**
   * @param wanted the ones that go through the harness; the others are direct
   * @param network where hosts of their own find the harness: then every link goes through it
   */
  constructor(
    private readonly wanted: readonly LinkName[],
    private readonly network: string | undefined,
    private readonly teardown: Teardown,
  ) {}

  /** @throws Error when it is direct */
  get(name: LinkName): Link {
    const link = this.byName.get(name);
    if (link === undefined) throw new Error(`the link ${name} is direct in this scenario`);
    return link;
  }

  /** Host and port of a server on this machine, or of the link in front of it. */
  async addressOf(name: LinkName, port: number): Promise<string> {
    if (this.network === undefined && !this.wanted.includes(name)) return `${LOOPBACK}:${port}`;
    const near = this.network ?? LOOPBACK;
    const link = await this.open(port, { near });
    this.byName.set(name, link);
    return `${near}:${link.port}`;
  }

  /** A port of this machine that leads to one of a host. */
  async portOf(port: number, far: string): Promise<number> {
    return (await this.open(port, { far })).port;
  }

  private async open(...about: Parameters<typeof Link.open>): Promise<Link> {
    const link = await Link.open(...about);
    this.teardown.add(() => link.close());
    return link;
  }
}
