import type { Scenario } from '../scenario.js';

export const backendTerminate: Scenario = {
  name: 'backend-terminate',
  says: 'pg_terminate_backend of sessions of gateways and workers, mostly while they execute or commit',
  recovery: 'sessions ended -> next accepted send',
  rounds: 60,
  pauseMs: [50, 800],
  async strike(field) {
    const count = field.random.between(1, 4);
    const role = field.random.pick(['heliograph-gateway', 'heliograph-worker', 'heliograph-%']);
    const ended = await field.system.postgres.query<{ pid: number; query: string }>(TERMINATE, [role, count]);
    const what = ended.map(({ pid, query }) => `${pid} (${query})`).join(', ');
    field.awaitAccept({ fromMs: field.note('backend-terminate', what) });
  },
};

/** Those that wait for the log to be written are in COMMIT; they come first, then those that execute. */
const TERMINATE = `
  select pid, left(query, 60) as query, pg_terminate_backend(pid)
    from (select pid, query from pg_stat_activity
           where application_name like $1 and application_name <> 'heliograph-faults' and pid <> pg_backend_pid()
           order by (wait_event in ('WalSync', 'WalWrite', 'WALSync', 'WALWrite')) desc nulls last, (state = 'active') desc,
                    random()
           limit $2) chosen`;
