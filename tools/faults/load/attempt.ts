import { Agent } from 'node:http';
import { parseMicros } from '#billing';
import { exchange, type HttpEnd } from '../../harness/http.js';
import type { AttemptRecord, HistoryRecord } from '../history/history.js';
import type { PlannedSend } from './plan-sends.js';

/** Over ACCEPT_WAIT_MAX_MS with room for a busy machine; past it the client knows nothing. */
const ANSWER_TIMEOUT_MS = 10_000;

export type AttemptEnd = Pick<AttemptRecord, 'outcome' | 'status' | 'code' | 'isReplay' | 'ids' | 'amounts'>;

/** Kept-alive connections, as an SDK keeps them; bounded, as an SDK's are. */
export const connections = new Agent({ keepAlive: true, maxSockets: 200, scheduling: 'fifo' });

/** Problem codes that promise that nothing was charged. A 503 `unavailable` and any 500 promise nothing. */
const REFUSALS = new Set([
  ...['overloaded', 'rate_limited', 'insufficient_balance', 'spend_limit', 'no_rate', 'account_suspended'],
]);

/** Who sends, to which base URLs, and where it is written down. */
export interface Sender {
  readonly accountId: string;
  readonly apiKey: string;
  /** Ports of the gateways. */
  readonly ports: readonly number[];
  readonly write: (record: HistoryRecord) => void;
}

/**
 * One logical send: asks one base URL after the other with the same key, for as long as the caller wants to hear more.
 */
export async function* attempts(sender: Sender, planned: PlannedSend, key: string): AsyncGenerator<AttemptEnd, never> {
  const { accountId: account, apiKey, ports, write } = sender;
  const { send, isBatch, messages, texts, sendInMs } = planned;
  const sendAtMs = sendInMs === undefined ? undefined : Date.now() + sendInMs;
  const entries = messages.map(({ recipient }, index) => ({ recipient, message: texts[index] ?? '' }));
  const request = {
    method: 'POST',
    path: isBatch ? '/v1/message/send-batch' : '/v1/message/send',
    headers: { 'x-authorization': apiKey, 'idempotency-key': key, 'content-type': 'application/json' },
    body: JSON.stringify({
      ...(isBatch ? { messages: entries } : entries[0]),
      ...(sendAtMs !== undefined && { sendAt: new Date(sendAtMs).toISOString() }),
    }),
    agent: connections,
    timeoutMs: ANSWER_TIMEOUT_MS,
  };
  write({ kind: 'send', atMs: Date.now(), send, account, key, isBatch, messages, sendAtMs });
  for (let count = 1; ; count += 1) {
    const gateway = (planned.gateway + count - 1) % ports.length;
    const atMs = Date.now();
    const answer = await exchange({ ...request, port: ports[gateway] ?? 0 });
    const end = endOf(answer);
    write({ kind: 'attempt', atMs, endedAtMs: Date.now(), send, attempt: count, gateway, ...end });
    yield end;
  }
}

export function endOf({ status, headers, text, code: broken, wasConnected }: HttpEnd): AttemptEnd {
  if (broken !== undefined) return { outcome: wasConnected ? 'unknown' : 'unreached', code: broken };
  let body: {
    code?: string;
    messageId?: string;
    balanceDeduction?: string;
    orderSummary?: { messageId: string; amount: number }[];
  };
  try {
    body = JSON.parse(text) as typeof body;
  } catch {
    return { outcome: 'unknown', status, code: 'NOT_JSON' };
  }
  if (status === 201) {
    const { messageId = '', balanceDeduction = '0' } = body;
    const entries = body.orderSummary ?? [{ messageId, amount: balanceDeduction }];
    const ids = entries.map((entry) => entry.messageId);
    const amounts = entries.map(({ amount }) => parseMicros(String(amount)).toString());
    return {
      outcome: 'ok',
      status,
      ids,
      amounts,
      ...(headers['idempotent-replayed'] === 'true' && { isReplay: true }),
    };
  }
  const code = body.code ?? 'no code';
  const isRefusal = REFUSALS.has(code) || (status >= 400 && status < 500);
  return { outcome: isRefusal ? 'refused' : 'unknown', status, code };
}
