import { sumCounts } from '../bench/figures.js';
import { Child } from '../harness/child.js';
import { percentiles } from '../harness/statistics.js';
import { coresBetween, readUsage } from '../harness/usage.js';
import type { Attacker } from './attacker.js';
import { ATTACKS, type Target } from './attacks.js';
import type { Sink } from './sink.js';
import type { Tenant } from './tenant.js';

export interface HostilePlan {
  readonly target: Target;
  readonly tenantKey: string;
  /** Of bad requests a second. */
  readonly rate: number;
  /** Of each of the two halves: idle and under attack. */
  readonly seconds: number;
  /** Of an attack before both halves, whose latencies are not counted: V8 compiles what bad requests run. Unset: 0. */
  readonly warmUpSeconds?: number;
  /** Names of the kinds of bad requests that are sent; unset: all. */
  readonly kinds?: readonly string[];
  /** Names of the processes of the service by pid; unset: their processor time is not read. */
  readonly pids?: ReadonlyMap<number, string>;
  /** Breaks it off; unset: nothing does. */
  readonly signal?: AbortSignal;
}

export type HostileResult = Awaited<ReturnType<typeof measureHostile>>;

const SLACK_MS = 60_000;

/**
 * Has a generator attack a gateway while a second tenant works, and the same generator a dummy sink before, so that the
 * processor that the generator takes is in both figures. Everything goes to loopback.
 */
export async function measureHostile({
  target,
  tenantKey,
  rate,
  seconds,
  warmUpSeconds = 0,
  kinds = [],
  pids = new Map(),
  signal,
}: HostilePlan) {
  signal?.throwIfAborted();
  const sink = new Child<Sink>(new URL('./sink.js', import.meta.url));
  const tenant = new Child<Tenant>(new URL('./tenant.js', import.meta.url));
  const attacker = new Child<Attacker>(new URL('./attacker.js', import.meta.url));
  const close = () => Promise.all([sink, tenant, attacker].map((child) => child.close()));
  // What they are asked fails at once when they end.
  signal?.addEventListener('abort', close, { once: true });
  try {
    const during = (at: Target, forSeconds: number) => {
      const timeoutMs = forSeconds * 1_000 + SLACK_MS;
      return Promise.all([
        tenant.ask('work', timeoutMs, target.port, tenantKey, forSeconds),
        attacker.ask('strike', timeoutMs, at, rate, forSeconds, kinds),
      ]);
    };
    const roots = new Map([...pids, [attacker.pid, 'generator'], [tenant.pid, 'second tenant']]);
    const sinkPort = await sink.ask('listen', SLACK_MS);
    const [warm, warmAttack] = warmUpSeconds > 0 ? await during(target, warmUpSeconds) : [];
    const [idle] = await during({ port: sinkPort, operatorPort: sinkPort, apiKey: target.apiKey }, seconds);
    const before = readUsage(roots);
    const [busy, attack] = await during(target, seconds);
    const after = readUsage(roots);
    const figures = Object.entries(busy.latenciesMs).map(([kind, latencies]) => {
      const { p50Ms: idleP50, p99Ms: idleP99 } = percentiles(idle.latenciesMs[kind] ?? []);
      const { p50Ms: p50, p99Ms: p99 } = percentiles(latencies);
      return [kind, { idleP50, idleP99, p50, p99, count: latencies.length }] as const;
    });
    return {
      /** By what the second tenant does, in milliseconds. */
      tenant: Object.fromEntries(figures),
      tenantFailures: sumCounts([warm?.failures ?? {}, idle.failures, busy.failures]),
      ...attack,
      /** 5xx that are not the documented 503. */
      serverErrors: [...serverErrors(warmAttack?.statuses ?? {}), ...serverErrors(attack.statuses)],
      /** That each process kept busy on average under attack. */
      cores: coresBetween(before, after),
    };
  } finally {
    await close();
  }
}

function serverErrors(statuses: Readonly<Record<string, Readonly<Record<number, number>>>>): string[] {
  return Object.entries(statuses).flatMap(([name, ofKind]) => {
    const mayBeShed = ATTACKS.find((attack) => attack.name === name)?.mayBeShed === true;
    return Object.entries(ofKind)
      .filter(([status]) => Number(status) >= 500 && !(mayBeShed && status === '503'))
      .map(([status, count]) => `${name}: ${status} (${count})`);
  });
}
