import { Agent, request } from 'node:http';
import type { Outcome } from '../history/history.js';
import type { PlannedSend } from './plan-sends.js';

/** Over ACCEPT_WAIT_MAX_MS with room for a busy machine; past it the client knows nothing. */
const ANSWER_TIMEOUT_MS = 10_000;

export interface AttemptEnd {
  readonly outcome: Outcome;
  readonly status?: number;
  readonly code?: string;
  readonly isReplay?: boolean;
  readonly ids?: readonly string[];
}

/** Kept-alive connections, as an SDK keeps them; bounded, as an SDK's are. */
export const connections = new Agent({ keepAlive: true, maxSockets: 200, scheduling: 'fifo' });

/** Problem codes that promise that nothing was charged. A 503 `unavailable` and any 500 promise nothing. */
const REFUSALS = new Set(['overloaded', 'rate_limited', 'insufficient_balance', 'no_rate', 'account_suspended']);

/** One request over a kept-alive connection, to its end. Never rejects. */
export function attempt(port: number, apiKey: string, key: string, planned: PlannedSend): Promise<AttemptEnd> {
  const body = JSON.stringify(bodyOf(planned));
  return new Promise((resolve) => {
    let isConnected = false;
    const exchange = request({
      agent: connections,
      host: '127.0.0.1',
      port,
      method: 'POST',
      path: planned.isBatch ? '/v1/message/send-batch' : '/v1/message/send',
      headers: {
        'x-authorization': apiKey,
        'idempotency-key': key,
        'content-type': 'application/json',
        'content-length': Buffer.byteLength(body),
      },
      timeout: ANSWER_TIMEOUT_MS,
    });
    const bound = setTimeout(() => exchange.destroy(coded('ETIMEDOUT')), ANSWER_TIMEOUT_MS);
    const end = (result: AttemptEnd) => {
      clearTimeout(bound);
      resolve(result);
    };
    exchange.on('socket', (socket) => {
      if (socket.connecting) socket.once('connect', () => (isConnected = true));
      else isConnected = true;
    });
    const broken = (error: NodeJS.ErrnoException) =>
      end({ outcome: isConnected ? 'unknown' : 'unreached', code: error.code ?? error.message });
    exchange.on('error', broken);
    exchange.on('response', (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
      response.on('error', broken);
      response.on('aborted', () => end({ outcome: 'unknown', code: 'ABORTED' }));
      response.on('end', () => end(endOf(response.statusCode ?? 0, response.headers['idempotent-replayed'], text)));
    });
    exchange.end(body);
  });
}

export function endOf(status: number, replayed: string | string[] | undefined, text: string): AttemptEnd {
  let body: { code?: string; messageId?: string; orderSummary?: { messageId: string }[] };
  try {
    body = JSON.parse(text) as typeof body;
  } catch {
    return { outcome: 'unknown', status, code: 'NOT_JSON' };
  }
  if (status === 201) {
    const ids = body.orderSummary?.map(({ messageId }) => messageId) ?? [body.messageId ?? ''];
    return { outcome: 'ok', status, ids, ...(replayed === 'true' && { isReplay: true }) };
  }
  const code = body.code ?? 'no code';
  const isRefusal = REFUSALS.has(code) || (status >= 400 && status < 500);
  return { outcome: isRefusal ? 'refused' : 'unknown', status, code };
}

function bodyOf({ isBatch, messages, texts }: PlannedSend): unknown {
  const entries = messages.map(({ recipient }, index) => ({ recipient, message: texts[index] ?? '' }));
  return isBatch ? { messages: entries } : entries[0];
}

function coded(code: string): Error {
  return Object.assign(new Error(code), { code });
}
