import { createRequire } from 'node:module';
import { relative } from 'node:path';
import type { Test } from '@jest/test-result';

const { default: Sequencer } = createRequire(import.meta.url)(
  '@jest/test-sequencer',
) as typeof import('@jest/test-sequencer');

/**
 * Seconds that the longest specs take, by their path in `test`. Jest remembers how long each took, but a fresh clone has
 * no memory, and a long spec that starts last is what the whole suite then waits for.
 */
const SECONDS: Readonly<Record<string, number>> = {
  'backup/restore': 91,
  'worker/http-carrier': 87,
  'worker/routes': 85,
  'worker/fair-dispatch': 79,
  'worker/magic-numbers': 58,
  'worker/shared-binds': 54,
  'worker/queue-loss': 51,
  'worker/worker-ends': 49,
  'worker/carrier-outages': 47,
  'worker/carrier-test': 46,
  'worker/carrier-settings': 43,
  'bench/against-run': 40,
  'gateway/http-fuzz': 36,
  'smsctl/routes': 35,
  'gateway/hostile-clients': 29,
  'carrier/slot-histories': 29,
  'metrics/prometheus': 22,
  'smsctl/audit': 22,
  'worker/database-faults': 21,
  'worker/redis-sentinel': 18,
  'worker/metrics-listener': 18,
  'smsctl/accounts': 17,
  'worker/suspended-account': 17,
  'worker/pgbouncer': 16,
  'gateway/closing': 16,
  'carrier/pace': 16,
  'scripts/npm-start': 15,
  'gateway/free-requests': 15,
  'smsctl/smsctl': 15,
  'gateway/wrong-keys': 13,
  'worker/simulator-beside-carrier': 12,
  'gateway/replica': 12,
  'gateway/totals': 11,
  'gateway/rate-limit': 11,
  'house/going-live': 10,
  'smsctl/loading': 10,
  'gateway/health': 10,
  'smsctl/doctor-processes': 10,
  'worker/long-messages': 9,
  'gateway/large-bodies': 9,
  'worker/redis-cluster': 9,
  'carrier-simulator/magic-numbers': 9,
  'gateway/logs-without-content': 9,
  'carrier-simulator/command-line': 9,
  'gateway/enqueue-orders': 12,
  'metrics/metrics-page': 9,
  'smsctl/secrets': 8,
  'gateway/tls': 8,
  'smsctl/carriers': 8,
  'house/version': 8,
  'gateway/callbacks': 8,
};
const OTHERS_MS = 1_000;

/** Specs that failed the last time, then the longest. */
export default class LongestFirst extends Sequencer {
  override sort(tests: Test[]): Test[] {
    const facts = new Map(tests.map((test) => [test, this.factsOf(test)]));
    const of = (test: Test) => facts.get(test) ?? { hasFailed: false, ms: 0 };
    return [...tests].sort(
      (a, b) => Number(of(b).hasFailed) - Number(of(a).hasFailed) || of(b).ms - of(a).ms || (a.path < b.path ? -1 : 1),
    );
  }

  private factsOf(test: Test): { hasFailed: boolean; ms: number } {
    const [status, ms] = this._getCache(test)[test.path] ?? [];
    const name = relative(`${test.context.config.rootDir}/test`, test.path).replace(/\.spec\.js$/, '');
    const listedSeconds = SECONDS[name];
    return { hasFailed: status === 0, ms: ms ?? (listedSeconds === undefined ? OTHERS_MS : listedSeconds * 1_000) };
  }
}
