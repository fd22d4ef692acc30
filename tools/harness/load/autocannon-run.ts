import autocannon from 'autocannon';
import type { LoadJob, LoadResult } from './job.js';
import { bodiesOf, targetOf } from './requests.js';

/** The same closed load by autocannon: how much of a figure is the generator's own limit shows in the comparison. */
export async function runAutocannon(job: LoadJob): Promise<LoadResult> {
  const { method, path, headers } = targetOf(job.request);
  const bodies = bodiesOf(job.request);
  const shoot = (durationMs: number) =>
    autocannon({
      url: `http://127.0.0.1:${job.port}`,
      connections: job.connections,
      duration: durationMs / 1_000,
      requests:
        bodies.length === 0
          ? [{ method, path, headers }]
          : bodies.map((body) => ({ method, path, headers: { ...headers }, body })),
    });
  const warmup = job.warmupMs >= 1_000 ? await shoot(job.warmupMs) : undefined;
  const result = await shoot(job.windowMs);
  const answered = result['2xx'];
  const unexpected: Record<string, number> = {};
  if (result.non2xx > 0) unexpected.non2xx = result.non2xx;
  if (result.errors > 0) unexpected.errors = result.errors;
  return {
    windowMs: result.duration * 1_000,
    answered,
    answeredInAll: answered + (warmup?.['2xx'] ?? 0),
    unexpected,
    p50Ms: result.latency.p50,
    p99Ms: result.latency.p99,
    p999Ms: result.latency.p99_9,
  };
}
