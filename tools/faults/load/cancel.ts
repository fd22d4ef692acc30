import { setTimeout as delay } from 'node:timers/promises';
import { exchange } from '../../harness/http.js';
import { connections, type Sender } from './attempt.js';

const ANSWER_TIMEOUT_MS = 10_000;
const AGAIN_MS = 500;

/**
 * Asks to cancel a message, at one base URL after the other, until the service has answered whether it is canceled. A
 * repeat is safe: a message that is canceled is answered as canceled again.
 *
 * @param until when to give up, by `performance.now()`
 */
export async function cancel(sender: Sender, send: number, id: string, until: () => number): Promise<void> {
  const { apiKey, ports } = sender;
  for (let count = 0; performance.now() < until(); count += 1) {
    const atMs = Date.now();
    const { status, code } = await exchange({
      port: ports[(send + count) % ports.length] ?? 0,
      method: 'POST',
      path: `/v1/message/${id}/cancel`,
      headers: { 'x-authorization': apiKey },
      agent: connections,
      timeoutMs: ANSWER_TIMEOUT_MS,
    });
    if (code === undefined && status < 500 && status !== 429) {
      sender.write({ kind: 'cancel', atMs, endedAtMs: Date.now(), send, id, status });
      return;
    }
    await delay(AGAIN_MS);
  }
}
