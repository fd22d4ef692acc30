import type { Scenario } from '../scenario.js';
import { awaitTakeOver } from './worker-kill.js';

/** Past the lease of 15 s alone, and past the 30 s in which an order in doubt waits for its receipt as well. */
const STALL_MS = [17_000, 60_000] as const;
const SHORT_STALL_MS = [5_000, 12_000] as const;

export const workerStall: Scenario = {
  name: 'worker-stall',
  says: 'SIGSTOP of a worker past its lease, then SIGCONT: what it still writes is fenced',
  recovery: 'worker stalled -> nothing of what it held is unattended',
  rounds: 3,
  pauseMs: [1_000, 3_000],
  async strike(field) {
    const victim = await field.victim(field.system.workers);
    const { pid } = victim;
    const [least, most] = field.isShort ? SHORT_STALL_MS : STALL_MS;
    const stallMs = field.random.between(least, most);
    const fromMs = field.note('worker-stall', `${victim.name} pid ${pid} for ${stallMs} ms`);
    field.allowWindow();
    victim.pause();
    await awaitTakeOver(field, pid, fromMs);
    try {
      await field.pause(stallMs);
    } finally {
      victim.resume();
    }
    field.mended('worker-stall', victim.name);
    await field.pause(field.random.between(3_000, 6_000));
  },
};
