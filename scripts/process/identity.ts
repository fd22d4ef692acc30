import { readFileSync } from 'node:fs';

/**
 * A name for a running process that no later process with the same number shares: its pid and, if /proc tells it, its
 * start time. Containers use the same small pids again after a restart.
 *
 * @returns undefined when no such process runs
 */
export function processIdentity(pid: number): string | undefined {
  try {
    process.kill(pid, 0);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ESRCH') return undefined;
  }
  const startTicks = readStartTicks(pid);
  return startTicks === undefined ? String(pid) : `${pid}:${startTicks}`;
}

/** Whether the process that once had this identity still runs. */
export function isAlive(identity: string): boolean {
  return processIdentity(Number.parseInt(identity, 10)) === identity;
}

/** Field 22 of /proc/PID/stat (proc(5)); the name in field 2 may itself hold spaces and parentheses. */
function readStartTicks(pid: number): string | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19];
  } catch {
    return undefined;
  }
}
