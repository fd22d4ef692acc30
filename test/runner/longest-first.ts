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
  'browser/operators': 300,
  'browser/owners': 260,
  'worker/fair-dispatch': 58,
  'worker/routes': 54,
  'worker/http-carrier': 60,
  'worker/scheduled': 40,
  'backup/restore': 52,
  'worker/queue-loss': 50,
  'worker/carrier-outages': 45,
  'bench/against-run': 45,
  'house/image': 45,
  'guide/samples': 35,
  'worker/magic-numbers': 33,
  'worker/carrier-settings': 33,
  'metrics/service-figures': 33,
  'worker/worker-ends': 32,
  'webhooks/killed': 30,
  'worker/carrier-test': 28,
  'worker/shared-binds': 26,
  'webhooks/deliveries': 25,
  'worker/database-faults': 25,
  'worker/sandbox': 24,
  'clients/readme': 23,
  'telemetry/traces': 23,
  'worker/held-balance': 22,
  'metrics/prometheus': 21,
  'clients/package': 20,
  'scripts/npm-start': 20,
  'smsctl/routes': 20,
  'smsctl/doctor-processes': 20,
  'worker/suspended-account': 17,
  'worker/metrics-listener': 16,
  'worker/redis-sentinel': 15,
  'gateway/enqueue-orders': 14,
  'metrics/metrics-page': 14,
  'gateway/http-fuzz': 13,
  'gateway/closing': 13,
  'gateway/free-requests': 9,
  'persistence/backlog': 12,
  'worker/pgbouncer': 12,
  'gateway/wrong-keys': 12,
  'carrier/pace': 11,
  'persistence/dispatch-hold': 11,
  'worker/redis-cluster': 11,
  'gateway/openapi': 11,
  'carrier-simulator/command-line': 10,
  'scripts/embedded-postgres': 10,
  'worker/message-history': 10,
  'clients/retries': 10,
  'house/chart': 10,
  'gateway/hostile-clients': 9,
  'persistence/histories': 9,
  'persistence/migrations': 9,
  'gateway/replica': 9,
  'persistence/ledger-verify': 9,
  'gateway/large-bodies': 9,
  'smsctl/receipt-ids': 9,
  'persistence/scheduled': 9,
  'carrier-simulator/magic-numbers': 8,
  'gateway/totals': 8,
  'queue/queue-started-early': 8,
  'smsctl/audit': 8,
  'webhooks/batches': 8,
  'carrier/slot-histories': 8,
  'gateway/documentation': 8,
  'gateway/key-bounds': 8,
  'operator-api/sessions': 8,
  'house/version': 8,
  'persistence/order-model': 7,
  'gateway/callbacks': 7,
  'scripts/process-settings': 7,
  'gateway/health': 7,
  'operator-api/sign-in': 7,
  'worker/simulator-beside-carrier': 6,
  'queue/queue-outage': 6,
  'worker/long-messages': 5,
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
