import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { median } from './statistics.js';

/** Linux counts processor time in these (sysconf(_SC_CLK_TCK) is 100 on every build that Node supports). */
const TICKS_PER_SECOND = 100;

interface ProcessTime {
  readonly pid: number;
  readonly parent: number;
  readonly name: string;
  readonly seconds: number;
}

/** Processor seconds of the whole machine, all cores together, since it was started. */
interface MachineTime {
  /** Spent on anything: all but idle, waiting for the disk, and what the hypervisor gave to others. */
  readonly busySeconds: number;
  /** In which it had work to do and the hypervisor ran somebody else (steal time); 0 on a machine of its own. */
  readonly stolenSeconds: number;
}

/** Undefined where there is no such file: of a process that has ended meanwhile, and of everything without a /proc. */
function readProc<Read>(file: string, parse: (text: string) => Read): Read | undefined {
  try {
    return parse(readFileSync(`/proc/${file}`, 'utf8'));
  } catch {
    return undefined;
  }
}

/** The text of /proc/stat (proc(5)). */
export function parseMachineStat(text: string): MachineTime {
  const [user = 0, nice = 0, system = 0, , , irq = 0, softirq = 0, stolen = 0] = (text.split('\n')[0] ?? '')
    .split(/ +/)
    .slice(1)
    .map(Number);
  return {
    busySeconds: (user + nice + system + irq + softirq) / TICKS_PER_SECOND,
    stolenSeconds: stolen / TICKS_PER_SECOND,
  };
}

/** Every process of this machine with the processor time that it has used; empty where there is no /proc. */
function readProcessTimes(): ProcessTime[] {
  const names = existsSync('/proc') ? readdirSync('/proc') : [];
  return names.filter((name) => /^\d+$/.test(name)).flatMap((name) => readProc(`${name}/stat`, parseStat) ?? []);
}

/** A line of /proc/PID/stat (proc(5)). The name, in parentheses, may itself hold spaces and parentheses. */
export function parseStat(line: string): ProcessTime {
  const nameEnd = line.lastIndexOf(')');
  const fields = line.slice(nameEnd + 2).split(' ');
  return {
    pid: Number.parseInt(line, 10),
    name: line.slice(line.indexOf('(') + 1, nameEnd),
    parent: Number(fields[1]),
    seconds: (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND,
  };
}

/**
 * Processor seconds of each named process with all its descendants.
 *
 * @param roots names by pid; a descendant that is a root itself counts for itself alone
 */
export function secondsByRoot(times: readonly ProcessTime[], roots: ReadonlyMap<number, string>): Map<string, number> {
  const sums = new Map<string, number>();
  for (const [{ seconds }, root] of withRoots(times, roots)) sums.set(root, (sums.get(root) ?? 0) + seconds);
  return sums;
}

/** Each process that is one of the roots or descends from one, with that root's name. */
function withRoots(times: readonly ProcessTime[], roots: ReadonlyMap<number, string>): [ProcessTime, string][] {
  const parents = new Map(times.map((time) => [time.pid, time.parent]));
  return times.flatMap((time): [ProcessTime, string][] => {
    let pid: number | undefined = time.pid;
    while (pid !== undefined && pid > 1 && !roots.has(pid)) pid = parents.get(pid);
    const root = pid === undefined ? undefined : roots.get(pid);
    return root === undefined ? [] : [[time, root]];
  });
}

/** What named processes, and the machine as a whole, had used at a moment. */
export interface Usage {
  readonly atMs: number;
  readonly machine: MachineTime | undefined;
  readonly seconds: ReadonlyMap<string, number>;
}

export function readUsage(roots: ReadonlyMap<number, string>): Usage {
  const seconds = secondsByRoot(readProcessTimes(), roots);
  return { atMs: performance.now(), machine: readProc('stat', parseMachineStat), seconds };
}

/**
 * Cores kept busy on average between two moments, by name; idle ones are left out. `others` is what the machine did
 * besides: the kernel's own work, this bench, and strangers, whose share says how far a figure can be trusted. `stolen`
 * are cores that it wanted and did not get from its hypervisor.
 */
export function coresBetween(before: Usage, after: Usage): Record<string, number> {
  const elapsed = (after.atMs - before.atMs) / 1_000;
  const used = new Map([...after.seconds].map(([name, seconds]) => [name, seconds - (before.seconds.get(name) ?? 0)]));
  if (before.machine !== undefined && after.machine !== undefined) {
    const own = [...used.values()].reduce((sum, seconds) => sum + seconds, 0);
    used.set('others', after.machine.busySeconds - before.machine.busySeconds - own);
    used.set('stolen', after.machine.stolenSeconds - before.machine.stolenSeconds);
  }
  const cores = [...used].map(([name, seconds]) => [name, Math.round((seconds / elapsed) * 100) / 100] as const);
  return Object.fromEntries(cores.filter(([, share]) => share > 0));
}

/** Memory of every named process at a moment, its children included. */
interface MemorySample {
  readonly atMs: number;
  readonly bytes: ReadonlyMap<string, number>;
}

/** How the memory of a process went over a stretch of samples. */
export type MemoryTrend = ReturnType<typeof memoryTrends>[number];

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
 * Bytes by name. Private memory of a process and its children is added up; what they share (PostgreSQL's buffers)
 * counts once, as the largest part that one of them has touched. Empty where there is no /proc.
 */
export function readMemory(roots: ReadonlyMap<number, string>): Map<string, number> {
  const own = new Map<string, number>();
  const shared = new Map<string, number>();
  for (const [{ pid }, name] of withRoots(readProcessTimes(), roots)) {
    const status = readProc(`${pid}/status`, parseStatus) ?? { own: 0, shared: 0 };
    own.set(name, (own.get(name) ?? 0) + status.own);
    shared.set(name, Math.max(shared.get(name) ?? 0, status.shared));
  }
  return new Map([...own].map(([name, bytes]) => [name, bytes + (shared.get(name) ?? 0)]));
}

/** Resident memory from the text of /proc/PID/status (proc(5)): of its own, files included, and shared. */
export function parseStatus(text: string): { readonly own: number; readonly shared: number } {
  const kb = (name: string) => Number(new RegExp(`^${name}:\\s+(\\d+) kB$`, 'm').exec(text)?.[1] ?? 0);
  return { own: (kb('RssAnon') + kb('RssFile')) * 1_024, shared: kb('RssShmem') * 1_024 };
}

/**
 * The trend of each process over samples.
 *
 * @param along what the slope is taken against, one value for each sample, in units of `per`
 */
export function memoryTrends(
  scenario: string,
  samples: readonly MemorySample[],
  along: readonly number[],
  per: string,
) {
  const names = new Set(samples.flatMap(({ bytes }) => [...bytes.keys()]));
  return [...names].map((process) => {
    const points = samples.flatMap(({ bytes }, index) => {
      const held = bytes.get(process);
      return held === undefined ? [] : [{ x: along[index] ?? 0, y: held / 2 ** 20 }];
    });
    const tenth = Math.max(1, Math.floor(points.length / 10));
    const held = points.map(({ y }) => y);
    return {
      scenario,
      process,
      samples: points.length,
      /** Medians of the first and of the last tenth. */
      startMb: median(held.slice(0, tenth)),
      endMb: median(held.slice(-tenth)),
      maxMb: Math.max(...held),
      /** Of the line through all samples (least squares); of `per`. */
      slopeMb: slope(points),
      per,
    };
  });
}

/** Of the line through the points by least squares; 0 where they do not tell. */
export function slope(points: readonly { readonly x: number; readonly y: number }[]): number {
  const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;
  const [x, y] = [mean(points.map((point) => point.x)), mean(points.map((point) => point.y))];
  const spread = points.reduce((sum, point) => sum + (point.x - x) ** 2, 0);
  return spread > 0 ? points.reduce((sum, point) => sum + (point.x - x) * (point.y - y), 0) / spread : 0;
}
