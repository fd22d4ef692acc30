import type { Field } from '../field.js';
import type { Scenario } from '../scenario.js';

export const workerKill: Scenario = {
  name: 'worker-kill',
  says: 'kill -9 of a worker with its window in flight; the other one takes over',
  recovery: 'worker killed -> nothing of what it held is unattended',
  rounds: 20,
  // Somebody has to live long enough to take over.
  pauseMs: [2_000, 6_000],
  async strike(field) {
    const victim = await field.victim(field.system.workers);
    const { pid } = victim;
    const fromMs = field.note('worker-kill', `${victim.name} pid ${pid}`);
    field.allowWindow();
    await victim.kill();
    await awaitTakeOver(field, pid, fromMs);
  },
};

/**
 * Taken over: claimed anew, ended, or recorded as in doubt by the reconciler, which then decides by the carrier's policy.
 * A worker that held nothing has nothing to be taken over, and is no time either.
 */
export async function awaitTakeOver(field: Field, pid: number, fromMs: number): Promise<void> {
  const unattended = async () => {
    const [row] = await field.system.postgres.query<{ unattended: number }>(UNATTENDED, [`worker-%-${pid}-%`]);
    return row?.unattended;
  };
  if ((await unattended().catch(() => undefined)) === 0) return;
  field.awaitRecovery(`the orders of worker ${pid} are taken over`, fromMs, async () => (await unattended()) === 0);
}

const UNATTENDED = `
  select count(*)::integer as unattended
    from message_order o
   where o.due_at is not null and o.state = 'sending' and o.owner like $1
     and not exists (select from segment s where s.message_id = o.id and s.state = 'in_doubt')`;
