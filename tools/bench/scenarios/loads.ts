import { postJson } from '../../harness/http.js';
import type { Message } from '../../harness/load/requests.js';
import { type Bench, type Load, type Target, targetOf } from '../bench.js';
import type { BenchAccounts } from '../fixtures.js';

/** What is sent to ours, and by whom. */
export interface OurLoad extends Required<Load> {
  /** In figures' ids and titles. */
  readonly id: string;
  readonly title: string;
}

const CREATED = 201;

/** Single sends of one account, or of so many, the n-th with 1/n of what the first sends (Zipf). */
export function singles(bench: Bench, accounts: BenchAccounts, count = accounts.ids.length): OurLoad {
  const title = count === 1 ? 'one hot account' : `${count.toLocaleString('en-US')} accounts`;
  const request = { kind: 'send', apiKeys: accounts.apiKeys.slice(0, count) } as const;
  const { connections } = bench.options;
  return { id: `${count}`, title, accounts, port: bench.service.port, request, expectedStatus: CREATED, connections };
}

/** Batches, which are of one account each. */
export function batches(bench: Bench, accounts: BenchAccounts): OurLoad {
  const { batchConnections, batch: entries } = bench.options;
  const request = { kind: 'send-batch', apiKeys: accounts.apiKeys, entries } as const;
  const title = `batches of ${entries}`;
  return { ...singles(bench, accounts), id: 'batch', title, request, connections: batchConnections };
}

/** The same requests to the echo, on the same number of connections. */
export function toEcho(bench: Bench, load: Load): Target {
  return { ...targetOf(load), port: bench.echoPort };
}

/** Reads of one account. */
export function reads(bench: Bench, apiKeys: readonly string[], path: string): Target {
  const { connections } = bench.options;
  return { port: bench.service.port, request: { kind: 'read', apiKeys, path }, expectedStatus: 200, connections };
}

/** Half of what the service delivers of a closed load: enough room to show latency without a queue. */
export function halfOf(perSecond: number): number {
  return Math.max(1, Math.round(perSecond / 2));
}

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
export function tryToPost({ service }: Bench, { apiKeys }: BenchAccounts, messages: readonly Message[]) {
  return messages.length === 1
    ? postJson(service.port, '/v1/message/send', messages[0], apiKeys[0])
    : postJson(service.port, '/v1/message/send-batch', { messages }, apiKeys[0]);
}

/** After that long without another message, what is missing is sent once more: its batches were refused. */
const STALLED_MS = 15_000;

/**
 * Has a backlog of batches of an account accepted, however fast.
 *
 * @param onProgress is told, several times a second, how many of its messages are accepted
 * @returns responses other than 201, by status or error code
 */
export async function placeBacklog(
  bench: Bench,
  account: BenchAccounts,
  messages: number,
  timeoutMs: number,
  onProgress: (accepted: number) => void = () => undefined,
): Promise<Readonly<Record<string, number>>> {
  const { generator, facts, options } = bench;
  const load = batches(bench, account);
  const before = await facts.acceptedOf(account.ids);
  const count = Math.ceil(messages / options.batch);
  const wanted = count * options.batch;
  generator.startFed(targetOf(load));
  generator.grant(count);
  let last = { accepted: 0, atMs: performance.now() };
  await bench.until('the backlog is accepted', timeoutMs, async () => {
    const accepted = (await facts.acceptedOf(account.ids)) - before;
    onProgress(accepted);
    const nowMs = performance.now();
    if (accepted > last.accepted) last = { accepted, atMs: nowMs };
    if (accepted < wanted && nowMs - last.atMs > STALLED_MS) {
      generator.grant(Math.ceil((wanted - accepted) / options.batch));
      last = { accepted, atMs: nowMs };
    }
    return accepted >= wanted;
  });
  const { answeredInAll, unexpected } = await generator.stopFed();
  bench.countAnswered(load, answeredInAll);
  return unexpected;
}

/** How long what is under way may take to its end, where no backlog is left to be dispatched. */
const DRAIN_TIMEOUT_MS = 60_000;

/**
 * Waits until no order of any account is left that somebody has to look at.
 *
 * @throws Error when that is not so in time: a backlog that stays is a fault of the run
 */
export async function drain(bench: Bench, timeoutMs = DRAIN_TIMEOUT_MS): Promise<void> {
  await bench.until('every accepted message has come to its end', timeoutMs, async () => {
    return (await bench.facts.openOrders()) === 0;
  });
}
