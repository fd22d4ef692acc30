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
  'browser/operators': 246,
  'browser/owners': 182,
  'worker/routes': 62,
  'worker/fair-dispatch': 60,
  'worker/http-carrier': 57,
  'worker/queue-loss': 37,
  'guide/samples': 35,
  'worker/magic-numbers': 34,
  'worker/carrier-settings': 33,
  'worker/worker-ends': 33,
  'metrics/service-figures': 32,
  'backup/restore': 30,
  'bench/against-run': 30,
  'webhooks/deliveries': 29,
  'worker/scheduled': 28,
  'worker/carrier-outages': 23,
  'worker/inbound': 23,
  'house/image': 20,
  'worker/canary': 20,
  'worker/shared-binds': 20,
  'gateway/replica': 19,
  'clients/readme': 18,
  'scripts/npm-start': 17,
  'webhooks/database-faults': 17,
  'worker/carrier-test': 15,
  'persistence/histories': 14,
  'smsctl/doctor-processes': 14,
  'telemetry/traces': 14,
  'worker/database-faults': 14,
  'worker/redis-sentinel': 14,
  'gateway/free-requests': 13,
  'faults/hosts': 12,
  'webhooks/killed': 12,
  'worker/metrics-listener': 12,
  'worker/sandbox': 12,
  'worker/suspended-account': 12,
  'carrier/pace': 11,
  'metrics/prometheus': 11,
  'worker/pgbouncer': 11,
  'gateway/http-fuzz': 10,
  'house/chart': 10,
  'metrics/metrics-page': 10,
  'persistence/ledger-verify': 10,
  'smsctl/silent-database': 10,
  'carrier-simulator/command-line': 9,
  'clients/package': 9,
  'gateway/health': 9,
  'persistence/planned-prices': 9,
  'scripts/embedded-postgres': 9,
  'worker/redis-cluster': 9,
  'carrier-simulator/magic-numbers': 8,
  'clients/retries': 8,
  'gateway/closing': 8,
  'gateway/enqueue-orders': 8,
  'gateway/hostile-clients': 8,
  'persistence/migrations': 8,
  'persistence/order-model': 8,
  'scripts/process-settings': 8,
  'webhooks/restores': 8,
  'worker/reconciler': 8,
  'gateway/key-bounds': 7,
  'gateway/large-bodies': 7,
  'gateway/openapi': 7,
  'gateway/wrong-keys': 7,
  'persistence/backlog': 7,
  'persistence/dispatch-hold': 7,
  'queue/queue-outage': 7,
  'queue/queue-started-early': 7,
  'worker/texts-at-rest': 7,
  'operator-api/sessions': 6,
  'persistence/first-connection': 6,
  'scripts/service-role': 6,
  'smsctl/audit': 6,
  'smsctl/environment-file': 6,
  'smsctl/routes': 6,
  'carrier-simulator/receipt-mix': 5,
  'gateway/http': 5,
  'gateway/large-json': 5,
  'gateway/totals': 5,
  'operator-api/commands': 5,
  'persistence/upgrade': 5,
  'webhooks/batches': 5,
  'worker/message-history': 5,
  'worker/simulator-beside-carrier': 5,
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
