import { globalAgent } from 'node:http';
import { exchange, type HttpEnd } from '../../harness/http.js';
import type { RequestShape } from '../../harness/load/job.js';
import type { Message } from '../../harness/load/requests.js';
import type { Bench } from '../bench.js';
import type { BenchAccounts } from '../fixtures.js';

/** What is sent to a gateway's send API, ours or another's. */
export interface SendTarget {
  readonly port: number;
  readonly request: RequestShape;
  readonly expectedStatus: number;
  readonly connections: number;
}

/** What is sent to ours, and by whom. */
export interface SendLoad extends SendTarget {
  /** In figures' ids and titles. */
  readonly id: string;
  readonly title: string;
  readonly accounts: BenchAccounts;
  /** Messages of one request. */
  readonly entries: number;
}

const CREATED = 201;

/** Single sends of one account, or of so many, the n-th with 1/n of what the first sends (Zipf). */
export function singles(bench: Bench, accounts: BenchAccounts, count = accounts.ids.length): SendLoad {
  const title = count === 1 ? 'one hot account' : `${count.toLocaleString('en-US')} accounts`;
  const request = { kind: 'send', apiKeys: accounts.apiKeys.slice(0, count) } as const;
  const { connections } = bench.options;
  return { id: `${count}`, title, accounts, entries: 1, ...toOurs(bench), request, connections };
}

/** Batches, which are of one account each. */
export function batches(bench: Bench, accounts: BenchAccounts): SendLoad {
  const { batchConnections: connections, batch: entries } = bench.options;
  const request = { kind: 'send-batch', apiKeys: accounts.apiKeys, entries } as const;
  return { id: 'batch', title: `batches of ${entries}`, accounts, entries, ...toOurs(bench), request, connections };
}

function toOurs({ service }: Bench) {
  return { port: service.port, expectedStatus: CREATED };
}

/** What the generator needs to know of a load. */
export function jobOf({ port, request, expectedStatus, connections }: SendTarget): SendTarget {
  return { port, request, expectedStatus, connections };
}

const ANSWER_TIMEOUT_MS = 60_000;

/**
 * One send, or one batch, beside the load.
 *
 * @throws Error when it is not accepted
 */
export async function post(bench: Bench, accounts: BenchAccounts, messages: readonly Message[]): Promise<void> {
  const { status, code, text } = await tryToPost(bench, accounts, messages);
  if (status !== CREATED) throw new Error(`a send was not accepted: ${code ?? status} ${text}`);
  bench.countAccepted(accounts, messages.length);
}

/** The same, whatever the answer is. The messages do not count as accepted. */
export function tryToPost(bench: Bench, { apiKeys }: BenchAccounts, messages: readonly Message[]): Promise<HttpEnd> {
  return exchange({
    port: bench.service.port,
    method: 'POST',
    path: messages.length === 1 ? '/v1/message/send' : '/v1/message/send-batch',
    headers: { 'content-type': 'application/json', 'x-authorization': apiKeys[0] ?? '' },
    body: JSON.stringify(messages.length === 1 ? messages[0] : { messages }),
    agent: globalAgent,
    timeoutMs: ANSWER_TIMEOUT_MS,
  });
}

/** After that long without another message, what is missing is sent once more: its batches were refused. */
const STALLED_MS = 15_000;

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
  const load = batches(bench, account);
  const { entries } = load;
  const before = await bench.facts.acceptedOf(account.ids);
  const wanted = placing.batches * entries;
  bench.generator.startFed(jobOf(load));
  bench.generator.grant(placing.batches);
  let last = { accepted: 0, atMs: performance.now() };
  await bench.until('the backlog is accepted', placing.timeoutMs, async () => {
    const accepted = (await bench.facts.acceptedOf(account.ids)) - before;
    placing.onProgress?.(accepted);
    const nowMs = performance.now();
    if (accepted > last.accepted) last = { accepted, atMs: nowMs };
    if (accepted < wanted && nowMs - last.atMs > STALLED_MS) {
      bench.generator.grant(Math.ceil((wanted - accepted) / entries));
      last = { accepted, atMs: nowMs };
    }
    return accepted >= wanted;
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
  await bench.until('every accepted message has come to its end', timeoutMs, async () => {
    return (await bench.facts.openOrders()) === 0;
  });
}
