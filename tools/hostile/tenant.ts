import { Agent } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { serve } from '../harness/child.js';
import { exchange } from '../harness/http.js';

const PAUSE_MS = 15;
const TIMEOUT_MS = 20_000;
/** Clients of the tenant that ask at the same time, so that there are enough requests for a p99. */
const CLIENTS = 4;
const agent = new Agent({ keepAlive: true, maxSockets: CLIENTS });
const SEND = JSON.stringify({ recipient: '+46700100200', message: 'hello' });
const KINDS = [
  { name: 'balance', method: 'GET', path: '/v1/account/balance' },
  { name: 'send', method: 'POST', path: '/v1/message/send', body: SEND },
  { name: 'list', method: 'GET', path: '/v1/account/messages' },
] as const;

const tenant = {
  /** Each client makes one request after another, of each kind in turn, for so many seconds. */
  async work(port: number, apiKey: string, seconds: number) {
    const latenciesMs: Record<string, number[]> = { balance: [], send: [], list: [] };
    /** What was not 2xx. */
    const failures: Record<string, number> = {};
    const headers = { 'x-authorization': apiKey, 'content-type': 'application/json' };
    const endMs = performance.now() + seconds * 1_000;
    const client = async () => {
      while (performance.now() < endMs) {
        for (const { name, ...asked } of KINDS) {
          const startMs = performance.now();
          const { status, code } = await exchange({ port, headers, agent, timeoutMs: TIMEOUT_MS, ...asked });
          if (code === undefined) latenciesMs[name]?.push(performance.now() - startMs);
          const failure = `${name} ${code ?? status}`;
          if (code !== undefined || status >= 300) failures[failure] = (failures[failure] ?? 0) + 1;
          await delay(PAUSE_MS);
        }
      }
    };
    await Promise.all(Array.from({ length: CLIENTS }, client));
    return { latenciesMs, failures };
  },
};
export type Tenant = typeof tenant;

serve(tenant);
