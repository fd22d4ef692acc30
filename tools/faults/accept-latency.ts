import { percentile } from '../bench/statistics.js';
import type { FaultRecord, History } from './history/history.js';

export interface AcceptLatency {
  /** Of attempts that were accepted at once and began while nothing was spoilt; undefined when there were none. */
  readonly calmP99Ms: number | undefined;
  /** Of those that began while something was: between a fault and its end. */
  readonly faultP99Ms: number | undefined;
}

interface Span {
  readonly fromMs: number;
  readonly toMs: number;
}

/** Whether clients felt a fault. A fault that is over at once, as a kill is, has no span. */
export function acceptLatency({ sends, faults }: History): AcceptLatency {
  const spans = spansOf(faults);
  const calm: number[] = [];
  const during: number[] = [];
  for (const { attempts } of sends.values()) {
    for (const { outcome, isReplay, atMs, endedAtMs } of attempts) {
      if (outcome !== 'ok' || isReplay === true) continue;
      const isDuring = spans.some(({ fromMs, toMs }) => atMs >= fromMs && atMs <= toMs);
      (isDuring ? during : calm).push(endedAtMs - atMs);
    }
  }
  return { calmP99Ms: p99(calm), faultP99Ms: p99(during) };
}

function spansOf(faults: readonly FaultRecord[]): Span[] {
  const spans: Span[] = [];
  const open = new Map<string, number>();
  for (const { kind, fault, atMs } of faults) {
    const fromMs = open.get(fault);
    if (kind === 'fault') open.set(fault, atMs);
    else if (fromMs !== undefined) {
      open.delete(fault);
      spans.push({ fromMs, toMs: atMs });
    }
  }
  return spans;
}

function p99(values: number[]): number | undefined {
  if (values.length === 0) return undefined;
  return percentile(
    values.sort((a, b) => a - b),
    0.99,
  );
}
