import { globalAgent } from 'node:http';
import { exchange } from '../../harness/http.js';
import type { Bench } from '../bench.js';
import type { BenchAccounts } from '../fixtures.js';
import { CREATED } from './loads.js';

const TIMEOUT_MS = 60_000;

/** One request beside the load. @throws Error when it is not accepted */
export async function post(bench: Bench, { apiKeys }: BenchAccounts, path: string, body: unknown): Promise<void> {
  const headers = { 'content-type': 'application/json', 'x-authorization': apiKeys[0] ?? '' };
  const asked = { port: bench.service.port, method: 'POST', path, headers, body: JSON.stringify(body) };
  const { status, code, text } = await exchange({ ...asked, agent: globalAgent, timeoutMs: TIMEOUT_MS });
  if (status !== CREATED) throw new Error(`${path}: ${code ?? status} ${text}`);
}
