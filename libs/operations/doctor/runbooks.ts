import type { Finding } from './finding.js';

/** The pages of `docs/runbooks` by the checks whose findings they are for. */
const RUNBOOKS: readonly (readonly [check: RegExp, runbook: string])[] = [
  [/^(database|database of processes|replica)$/, 'database-failover'],
  [/^(queue|queue of processes)$/, 'redis-lost'],
  [/^(carriers|carrier .+|simulators|routes|prices without a route|unroutable messages)$/, 'carrier-outage'],
  [/^(segments in doubt|unmatched receipts|receipt ids of .+)$/, 'carrier-outage'],
  [/^(queued messages|overdue messages|workers|silent processes|webhooks|clocks of processes|clock)$/, 'stuck-queue'],
  [/^held messages$/, 'backup-and-restore'],
  [/^(secrets|second factors)$/, 'key-leak'],
  [/^(versions|settings|schema)$/, 'upgrade'],
  [/^(gateways|database role)$/, 'install'],
];

/** The page for a finding that needs somebody; null if it is well. */
export function runbookOf({ check, state }: Finding): string | null {
  if (state === 'ok') return null;
  return RUNBOOKS.find(([pattern]) => pattern.test(check))?.[1] ?? null;
}
