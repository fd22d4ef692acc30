import { readdirSync, readFileSync } from 'node:fs';

/** Linux counts processor time in these (sysconf(_SC_CLK_TCK) is 100 on every build that Node supports). */
const TICKS_PER_SECOND = 100;

export interface ProcessTime {
  readonly pid: number;
  readonly parent: number;
  readonly name: string;
  readonly seconds: number;
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
