import { Child } from '../harness/child.js';
import { percentiles } from '../harness/statistics.js';
import type { Attacker, AttackFigures } from './attacker.js';
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
}

export interface HostileResult extends AttackFigures {
  /** By what the second tenant does, in milliseconds. */
  readonly tenant: Readonly<
    Record<string, { idleP99: number; p99: number; idleP50: number; p50: number; count: number }>
  >;
  readonly tenantFailures: Readonly<Record<string, number>>;
  /** 5xx that are not the documented 503. */
  readonly serverErrors: readonly string[];
}

const SLACK_MS = 60_000;

/**
 * Has a generator attack a gateway while a second tenant works, and the same generator a dummy sink before, so that the processor that the
 * generator takes is in both figures. Everything goes to loopback.
 */
export async function measureHostile({ target, tenantKey, rate, seconds }: HostilePlan): Promise<HostileResult> {
  const sink = new Child<Sink>(new URL('./sink.js', import.meta.url));
  const tenant = new Child<Tenant>(new URL('./tenant.js', import.meta.url));
  const attacker = new Child<Attacker>(new URL('./attacker.js', import.meta.url));
  const timeoutMs = seconds * 1_000 + SLACK_MS;
  try {
    const half = (at: Target) =>
      Promise.all([
        tenant.ask('work', timeoutMs, target.port, tenantKey, seconds),
        attacker.ask('strike', timeoutMs, at, rate, seconds),
      ]);
    const sinkPort = await sink.ask('listen', SLACK_MS);
    const [idle] = await half({ port: sinkPort, operatorPort: sinkPort, apiKey: target.apiKey });
    const [busy, attack] = await half(target);
    const figures = Object.entries(busy.latenciesMs).map(([kind, latencies]) => {
      const { p50Ms: idleP50, p99Ms: idleP99 } = percentiles(idle.latenciesMs[kind] ?? []);
      const { p50Ms: p50, p99Ms: p99 } = percentiles(latencies);
      return [kind, { idleP50, idleP99, p50, p99, count: latencies.length }] as const;
    });
    return {
      tenant: Object.fromEntries(figures),
      tenantFailures: busy.failures,
      ...attack,
      serverErrors: serverErrors(attack.statuses),
    };
  } finally {
    await Promise.all([sink, tenant, attacker].map((child) => child.close()));
  }
}

function serverErrors(statuses: HostileResult['statuses']): string[] {
  return Object.entries(statuses).flatMap(([name, ofKind]) => {
    const mayBeShed = ATTACKS.find((attack) => attack.name === name)?.mayBeShed === true;
    return Object.entries(ofKind)
      .filter(([status]) => Number(status) >= 500 && !(mayBeShed && status === '503'))
      .map(([status, count]) => `${name}: ${status} (${count})`);
  });
}
