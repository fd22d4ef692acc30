import { loadConfig } from '#config';
import { type AcceptRequest, type AcceptVerdict, Database } from '#persistence';
import type { EnqueueOrders } from '../../apps/gateway/messages/enqueue-orders.js';
import { GroupCommit } from '../../apps/gateway/messages/group-commit.js';
import { GatewayMetrics } from '../../apps/gateway/operator/gateway-metrics.js';
import { TestLedger } from '../support/test-ledger.js';

/** What the sessions of these gateways are called in pg_stat_activity. */
export const GATEWAY = 'spec-gateway';

/** The accept path of two gateways: each with its own pool and its own commits, as two processes have them. */
export class TwoGateways {
  private readonly databases: Database[] = [];
  private readonly gateways: GroupCommit[] = [];

  private constructor(readonly ledger: TestLedger) {}

  static async start(): Promise<TwoGateways> {
    const two = new TwoGateways(await TestLedger.create());
    for (let gateway = 0; gateway < 2; gateway += 1) two.gateways.push(await two.open({ ACCEPT_WAIT_MAX_MS: '20000' }));
    return two;
  }

  /** One gateway more, with settings of its own. */
  async open(
    settings: Record<string, string>,
    enqueue: (requests: readonly AcceptRequest[]) => void = () => undefined,
  ): Promise<GroupCommit> {
    const database = await Database.open({ url: this.ledger.url, poolSize: 4, applicationName: GATEWAY });
    this.databases.push(database);
    return new GroupCommit(database, loadConfig(settings), new GatewayMetrics(), { enqueue } as EnqueueOrders);
  }

  /** Sends through one gateway or the other. */
  send(turn: number, accountId: string, request: AcceptRequest): Promise<AcceptVerdict> {
    return (this.gateways[turn % this.gateways.length] as GroupCommit).accept(accountId, request);
  }

  async close(): Promise<void> {
    for (const database of this.databases) await database.close();
    await this.ledger.close();
  }
}

export function countOf(verdicts: readonly AcceptVerdict[], kind: AcceptVerdict['kind']): number {
  return verdicts.filter((verdict) => verdict.kind === kind).length;
}

export function times<T>(count: number, make: (index: number) => T): T[] {
  return Array.from({ length: count }, (_, index) => make(index));
}
