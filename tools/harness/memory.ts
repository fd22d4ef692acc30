import { readFileSync } from 'node:fs';
import { readProcessTimes } from './cpu-time.js';

const BYTES_PER_KB = 1_024;

/** Memory of every named process at a moment, its children included. */
export interface MemorySample {
  readonly atMs: number;
  readonly bytes: ReadonlyMap<string, number>;
}

/** How the memory of a process went over a stretch of samples. */
export interface MemoryTrend {
  readonly scenario: string;
  readonly process: string;
  readonly samples: number;
  /** Medians of the first and of the last tenth. */
  readonly startMb: number;
  readonly endMb: number;
  readonly maxMb: number;
  /** Of the line through all samples (least squares); of `per`. */
  readonly slopeMb: number;
  readonly per: string;
}

/** Reads the memory of processes at a fixed pace, until it is stopped. */
export class MemorySampler {
  readonly samples: MemorySample[] = [];
  private readonly timer: NodeJS.Timeout;

  constructor(
    private readonly roots: () => ReadonlyMap<number, string>,
    everyMs: number,
  ) {
    this.timer = setInterval(() => this.take(), everyMs);
    this.take();
  }

  stop(): readonly MemorySample[] {
    clearInterval(this.timer);
    this.take();
    return this.samples;
  }

  private take(): void {
    this.samples.push({ atMs: performance.now(), bytes: readMemory(this.roots()) });
  }
}

/**
 * Bytes by name. Private memory of a process and its children is added up; what they share (PostgreSQL's buffers) counts
 * once, as the largest part that one of them has touched. Empty where there is no /proc.
 */
export function readMemory(roots: ReadonlyMap<number, string>): Map<string, number> {
  const times = readProcessTimes();
  const parents = new Map(times.map(({ pid, parent }) => [pid, parent]));
  const own = new Map<string, number>();
  const shared = new Map<string, number>();
  for (const { pid: first } of times) {
    let pid: number | undefined = first;
    while (pid !== undefined && pid > 1 && !roots.has(pid)) pid = parents.get(pid);
    const name = pid === undefined ? undefined : roots.get(pid);
    if (name === undefined) continue;
    const status = statusOf(first);
    own.set(name, (own.get(name) ?? 0) + status.own);
    shared.set(name, Math.max(shared.get(name) ?? 0, status.shared));
  }
  return new Map([...own].map(([name, bytes]) => [name, bytes + (shared.get(name) ?? 0)]));
}

/** Resident memory from the text of /proc/PID/status (proc(5)): of its own, files included, and shared. */
export function parseStatus(text: string): { readonly own: number; readonly shared: number } {
  const kb = (name: string) => Number(new RegExp(`^${name}:\\s+(\\d+) kB$`, 'm').exec(text)?.[1] ?? 0);
  return { own: (kb('RssAnon') + kb('RssFile')) * BYTES_PER_KB, shared: kb('RssShmem') * BYTES_PER_KB };
}

function statusOf(pid: number): { readonly own: number; readonly shared: number } {
  try {
    return parseStatus(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch {
    return { own: 0, shared: 0 }; // It has ended meanwhile.
  }
}
