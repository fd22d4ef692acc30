import { readFileSync, writeFileSync } from 'node:fs';
import { getPriority, setPriority } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';

const SESSION_PRIORITY = '/proc/self/autogroup';
/** Linux takes such a change once in 100 ms, from all processes of all unprivileged users together. */
const TRY_AGAIN_MS = 150;
const TRIES_MAX = 20;

/**
 * Makes this process give way to others when the processor is short.
 *
 * A nice value counts among the processes of one session only, where Linux shares the processor out by sessions (autogroup, sched(7)); and
 * what a supervisor starts is mostly a session of its own. So the session's priority is lowered too, unless somebody else is in it
 * from before.
 *
 * @param niceness 0 to 19
 */
export async function giveWay(niceness: number): Promise<void> {
  // Who started it may have made it give way still more, and going back needs privileges.
  if (niceness > getPriority()) setPriority(niceness);
  if (!leadsSession()) return;
  for (let tried = 1; tried <= TRIES_MAX; tried += 1) {
    try {
      writeFileSync(SESSION_PRIORITY, String(niceness));
      return;
    } catch (error) {
      // No such file, or not ours to write: this system knows no more than nice values.
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
