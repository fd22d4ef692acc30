import { readdirSync, readFileSync } from 'node:fs';

/** Linux counts processor time in these (sysconf(_SC_CLK_TCK) is 100 on every build that Node supports). */
const TICKS_PER_SECOND = 100;

export interface ProcessTime {
  readonly pid: number;
  readonly parent: number;
  readonly name: string;
  readonly seconds: number;
}

/** Processor seconds of the whole machine, all cores together, since it was started. */
export interface MachineTime {
  /** Spent on anything: all but idle, waiting for the disk, and what the hypervisor gave to others. */
  readonly busySeconds: number;
  /** In which it had work to do and the hypervisor ran somebody else (steal time); 0 on a machine of its own. */
  readonly stolenSeconds: number;
}

/** From /proc/stat (proc(5)); undefined where there is none. */
export function readMachineTime(): MachineTime | undefined {
  try {
    return parseMachineStat(readFileSync('/proc/stat', 'utf8'));
  } catch {
    return undefined;
  }
}

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
export function readProcessTimes(): ProcessTime[] {
  let names: string[];
  try {
    names = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  } catch {
    return [];
  }
  return names.flatMap((name) => {
    try {
      return [parseStat(readFileSync(`/proc/${name}/stat`, 'utf8'))];
    } catch {
      return []; // It has ended meanwhile.
    }
  });
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
  const parents = new Map(times.map((time) => [time.pid, time.parent]));
  const sums = new Map<string, number>();
  for (const time of times) {
    let pid: number | undefined = time.pid;
    while (pid !== undefined && pid > 1 && !roots.has(pid)) pid = parents.get(pid);
    const root = pid === undefined ? undefined : roots.get(pid);
    if (root !== undefined) sums.set(root, (sums.get(root) ?? 0) + time.seconds);
  }
  return sums;
}

/** What named processes, and the machine as a whole, had used at a moment. */
export interface Usage {
  readonly atMs: number;
  readonly machine: MachineTime | undefined;
  readonly seconds: ReadonlyMap<string, number>;
}

export function readUsage(roots: ReadonlyMap<number, string>): Usage {
  const seconds = secondsByRoot(readProcessTimes(), roots);
  return { atMs: performance.now(), machine: readMachineTime(), seconds };
}

/**
 * Cores kept busy on average between two moments, by name; idle ones are left out. `others` is what the machine did
 * besides: the kernel's own work, this bench, and strangers, whose share says how far a figure can be trusted. `stolen` are cores
 * that it wanted and did not get from its hypervisor.
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
