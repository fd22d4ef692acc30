import type { Bench } from '../bench.js';
import type { BenchAccounts } from '../service/fixtures.js';
import { CREATED } from './loads.js';

/** One request beside the load. @throws Error when it is not accepted */
export async function post(bench: Bench, { apiKeys }: BenchAccounts, path: string, body: unknown): Promise<void> {
  const response = await fetch(`http://127.0.0.1:${bench.service.port}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-authorization': apiKeys[0] ?? '' },
    body: JSON.stringify(body),
  });
  const text = await response.text();
  if (response.status !== CREATED) throw new Error(`${path}: ${response.status} ${text}`);
}
