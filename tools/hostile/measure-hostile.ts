import { type ChildProcess, spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { ATTACKS, type Target } from './attacks.js';

export interface HostilePlan {
  readonly target: Target;
  readonly tenantKey: string;
  /** Of bad requests a second. */
  readonly rate: number;
  /** Of each of the two halves: idle and under attack. */
  readonly seconds: number;
}

export interface HostileResult {
  /** By what the second tenant does, in milliseconds. */
  readonly tenant: Readonly<
    Record<string, { idleP99: number; p99: number; idleP50: number; p50: number; count: number }>
  >;
  readonly tenantFailures: Readonly<Record<string, number>>;
  readonly sent: number;
  readonly heldBack: number;
  readonly statuses: Readonly<Record<string, Readonly<Record<number, number>>>>;
  /** 5xx that are not the documented 503. */
  readonly serverErrors: readonly string[];
}

interface TenantFigures {
  readonly latenciesMs: Readonly<Record<string, number[]>>;
  readonly failures: Readonly<Record<string, number>>;
}
type AttackFigures = Pick<HostileResult, 'sent' | 'heldBack' | 'statuses'>;

/**
 * Has a generator attack a gateway while a second tenant works, and the same generator a dummy sink before, so that the processor that the
 * generator takes is in both figures. Everything goes to loopback.
 */
export async function measureHostile({ target, tenantKey, rate, seconds }: HostilePlan): Promise<HostileResult> {
  const sink = start('sink.js', []);
  try {
    const sinkPort = Number(await firstLine(sink));
    const half = async (at: Target): Promise<[TenantFigures, AttackFigures]> =>
      Promise.all([
        json<TenantFigures>(start('tenant.js', [String(target.port), tenantKey, String(seconds)])),
        json<AttackFigures>(start('attacker.js', [JSON.stringify(at), String(rate), String(seconds)])),
      ]);
    const [idle] = await half({ port: sinkPort, operatorPort: sinkPort, apiKey: target.apiKey });
    const [busy, attack] = await half(target);
    const tenant = Object.entries(busy.latenciesMs).map(([kind, latencies]) => {
      const before = idle.latenciesMs[kind] ?? [];
      const figures = { idleP99: percentile(before, 0.99), p99: percentile(latencies, 0.99) };
      const medians = { idleP50: percentile(before, 0.5), p50: percentile(latencies, 0.5) };
      return [kind, { ...figures, ...medians, count: latencies.length }] as const;
    });
    return {
      tenant: Object.fromEntries(tenant),
      tenantFailures: busy.failures,
      ...attack,
      serverErrors: serverErrors(attack.statuses),
    };
  } finally {
    sink.kill();
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

export function percentile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}

function start(program: string, args: readonly string[]): ChildProcess {
  const path = fileURLToPath(new URL(program, import.meta.url));
  return spawn(process.execPath, [path, ...args], { stdio: ['ignore', 'pipe', 'inherit'] });
}

async function json<Figures>(child: ChildProcess): Promise<Figures> {
  let text = '';
  for await (const chunk of child.stdout ?? []) text += chunk;
  return JSON.parse(text) as Figures;
}

async function firstLine(child: ChildProcess): Promise<string> {
  for await (const chunk of child.stdout ?? []) return String(chunk).trim();
  throw new Error('the sink did not start');
}
