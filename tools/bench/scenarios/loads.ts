import type { RequestShape } from '../../harness/load/job.js';
import type { Bench } from '../bench.js';
import type { BenchAccounts } from '../fixtures.js';

/** A send API and who sends what over it. */
export interface SendLoad {
  /** In figures' ids and titles. */
  readonly id: string;
  readonly title: string;
  readonly accounts: BenchAccounts;
  readonly request: RequestShape;
  readonly connections: number;
  /** Messages of one request. */
  readonly entries: number;
}

export const CREATED = 201;

/** Single sends of one account, or of so many, the n-th with 1/n of what the first sends (Zipf). */
export function singles(bench: Bench, accounts: BenchAccounts, count = accounts.ids.length): SendLoad {
  const title = count === 1 ? 'one hot account' : `${count.toLocaleString('en-US')} accounts`;
  const request = { kind: 'send', apiKeys: accounts.apiKeys.slice(0, count) } as const;
  return { id: `${count}`, title, accounts, request, connections: bench.options.connections, entries: 1 };
}

/** Batches, which are of one account each. */
export function batches(bench: Bench, accounts: BenchAccounts): SendLoad {
  const { batchConnections: connections, batch: entries } = bench.options;
  const request = { kind: 'send-batch', apiKeys: accounts.apiKeys, entries } as const;
  return { id: 'batch', title: `batches of ${entries}`, accounts, request, connections, entries };
}
