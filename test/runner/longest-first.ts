import { createRequire } from 'node:module';
import { relative } from 'node:path';
import type { Test } from '@jest/test-result';

const { default: Sequencer } = createRequire(import.meta.url)(
  '@jest/test-sequencer',
) as typeof import('@jest/test-sequencer');

/**
 * Seconds that the longest specs take, by their path in `test`. Jest remembers how long each took, but a fresh clone
 * has no memory, and a long spec that starts last is what the whole suite then waits for.
 */
const SECONDS: Readonly<Record<string, number>> = {
  'webhooks/killed': 120,
  'browser/consoles': 100,
  'worker/http-carrier': 92,
  'worker/routes': 80,
  'worker/fair-dispatch': 75,
  'worker/magic-numbers': 66,
  'worker/carrier-settings': 65,
  'worker/queue-loss': 54,
  'backup/restore': 52,
  'worker/carrier-outages': 45,
  'bench/against-run': 45,
  'webhooks/deliveries': 42,
  'worker/carrier-test': 40,
  'clients/package': 35,
  'worker/worker-ends': 32,
  'clients/readme': 27,
  'worker/shared-binds': 26,
  'gateway/http-fuzz': 23,
  'metrics/prometheus': 21,
  'worker/database-faults': 20,
  'worker/suspended-account': 17,
  'gateway/hostile-clients': 16,
  'worker/metrics-listener': 16,
  'worker/redis-sentinel': 15,
  'gateway/enqueue-orders': 14,
  'scripts/npm-start': 13,
  'smsctl/routes': 13,
  'smsctl/doctor-processes': 13,
  'gateway/closing': 13,
  'gateway/free-requests': 13,
  'persistence/backlog': 12,
  'worker/pgbouncer': 12,
  'worker/simulator-beside-carrier': 12,
  'carrier/pace': 11,
  'persistence/dispatch-hold': 11,
  'worker/redis-cluster': 11,
  'carrier-simulator/command-line': 10,
  'scripts/embedded-postgres': 10,
  'persistence/histories': 9,
  'persistence/migrations': 9,
  'gateway/replica': 9,
  'persistence/ledger-verify': 9,
  'gateway/large-bodies': 9,
  'worker/long-messages': 8,
  'carrier-simulator/magic-numbers': 8,
  'gateway/totals': 8,
  'queue/queue-started-early': 8,
  'persistence/order-model': 7,
  'gateway/callbacks': 7,
  'scripts/process-settings': 7,
  'gateway/health': 7,
  'queue/queue-outage': 6,
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
