import { globalAgent } from 'node:http';
import { awaitFact } from '../../harness/await-fact.js';
import { exchange } from '../../harness/http.js';
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

const TIMEOUT_MS = 60_000;

/** One request beside the load. @throws Error when it is not accepted */
export async function post(bench: Bench, { apiKeys }: BenchAccounts, path: string, body: unknown): Promise<void> {
  const headers = { 'content-type': 'application/json', 'x-authorization': apiKeys[0] ?? '' };
  const asked = { port: bench.service.port, method: 'POST', path, headers, body: JSON.stringify(body) };
  const { status, code, text } = await exchange({ ...asked, agent: globalAgent, timeoutMs: TIMEOUT_MS });
  if (status !== CREATED) throw new Error(`${path}: ${code ?? status} ${text}`);
}

/** After that long without another message, what is missing is sent once more: its batches were refused. */
const STALLED_MS = 15_000;

/** How a backlog is placed. */
interface Placing {
  readonly account: BenchAccounts;
  readonly batches: number;
  readonly timeoutMs: number;
  /** Is told, several times a second, how many of its messages are accepted. */
  readonly onProgress?: (accepted: number) => void;
}

/**
 * Has a backlog of batches accepted, however fast.
 *
 * @returns responses other than 201, by status or error code
 */
export async function placeBacklog(bench: Bench, placing: Placing): Promise<Readonly<Record<string, number>>> {
  const { account } = placing;
  const { request, connections, entries } = batches(bench, account);
  const before = await bench.facts.acceptedOf(account.ids);
  const wanted = placing.batches * entries;
  bench.generator.startFed({ port: bench.service.port, connections, request, expectedStatus: CREATED });
  bench.generator.grant(placing.batches);
  let last = { accepted: 0, atMs: performance.now() };
  await awaitFact('the backlog is accepted', placing.timeoutMs, async () => {
    bench.signal.throwIfAborted();
    bench.service.assertAlive();
    const accepted = (await bench.facts.acceptedOf(account.ids)) - before;
    placing.onProgress?.(accepted);
    const nowMs = performance.now();
    if (accepted > last.accepted) last = { accepted, atMs: nowMs };
    if (accepted < wanted && nowMs - last.atMs > STALLED_MS) {
      bench.generator.grant(Math.ceil((wanted - accepted) / entries));
      last = { accepted, atMs: nowMs };
    }
    return accepted >= wanted || undefined;
  });
  const { answeredInAll, unexpected } = await bench.generator.stopFed();
  bench.countAccepted(account, answeredInAll * entries);
  return unexpected;
}

/**
 * Waits until no order of any account is left that somebody has to look at.
 *
 * @throws Error when that is not so in time: a backlog that stays is a fault of the run
 */
export async function drain(bench: Bench, timeoutMs: number): Promise<void> {
  await awaitFact('every accepted message has come to its end', timeoutMs, async () => {
    bench.signal.throwIfAborted();
    bench.service.assertAlive();
    return (await bench.facts.openOrders()) === 0 || undefined;
  });
}
