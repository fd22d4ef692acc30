import { sumSamples } from './metrics-text.js';
import type { Service } from './service.js';

/** How often the accept path has committed, and how many requests these commits held. */
export interface Commits {
  readonly commits: number;
  readonly requests: number;
}

/** From the gateway's own metrics; undefined when it does not tell. */
export async function readCommits(service: Service): Promise<Commits | undefined> {
  const authorization = `Basic ${Buffer.from(`operator:${service.operatorPassword}`).toString('base64')}`;
  const url = `http://127.0.0.1:${service.operatorPort}/metrics`;
  const response = await fetch(url, { headers: { authorization } }).catch(() => undefined);
  const text = await response?.text();
  if (text === undefined || !response?.ok) return undefined;
  const commits = sumSamples(text, /^\w*commit\w*requests_count$/);
  const requests = sumSamples(text, /^\w*commit\w*requests_sum$/);
  return commits === undefined || requests === undefined ? undefined : { commits, requests };
}
