import { readFileSync, writeFileSync } from 'node:fs';
import { getPriority, setPriority } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';

const SESSION_PRIORITY = '/proc/self/autogroup';
/** Linux accepts such a change once in 100 ms, from all processes of all unprivileged users together. */
const TRY_AGAIN_MS = 150;
const TRIES_MAX = 20;

/**
 * Lowers the priority of this process, so that others go first when the processor is short.
 *
 * If Linux shares the processor by sessions (autogroup, sched(7)), a nice value counts only within a session, and a
 * process of a supervisor mostly has a session of its own. So this also lowers the priority of the session, unless an
 * older process is in it.
 *
 * @param niceness 0 to 19
 */
export async function lowerPriority(niceness: number): Promise<void> {
  // The process may have been started with a still lower priority, and raising it needs privileges.
  if (niceness > getPriority()) setPriority(niceness);
  if (!leadsSession()) return;
  for (let tried = 1; tried <= TRIES_MAX; tried += 1) {
    try {
      writeFileSync(SESSION_PRIORITY, String(niceness));
      return;
    } catch (error) {
      // There is no such file, or it is not ours: this system has nice values only.
      if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') return;
      await delay(TRY_AGAIN_MS, undefined, { ref: false });
    }
  }
}

function leadsSession(): boolean {
  try {
    // The name of the process stands in brackets and may contain anything; behind it: state, parent, group, session.
    const [, , , session] = readFileSync('/proc/self/stat', 'utf8').split(') ').at(-1)?.split(' ') ?? [];
    return Number(session) === process.pid;
  } catch {
    return false;
  }
}
