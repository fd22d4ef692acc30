import { scrape } from '../../test/support/metrics.js';
import type { System } from '../harness/system.js';

/**
 * How often the accept path has committed, and how many requests these commits held: from the gateway's own metrics.
 */
export async function readCommits({ operatorPort, operatorPassword }: System) {
  const samples = await scrape(operatorPort, '/metrics', operatorPassword);
  const sum = (name: RegExp) => samples.reduce((all, sample) => all + (name.test(sample.name) ? sample.value : 0), 0);
  return { commits: sum(/^\w*commit\w*requests_count$/), requests: sum(/^\w*commit\w*requests_sum$/) };
}
