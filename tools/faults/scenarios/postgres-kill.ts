import type { Scenario } from '../scenario.js';

export const postgresKill: Scenario = {
  name: 'postgres-kill',
  says: 'kill -9 of the postmaster; it is started again at once and recovers from its log',
  recovery: 'PostgreSQL killed -> a send made after that is accepted, its restart and recovery included',
  rounds: 20,
  pauseMs: [500, 2_500],
  async strike(field) {
    const { postgres } = field.system;
    const fromMs = field.note('postgres-kill', `pid ${postgres.pid}`);
    await postgres.kill();
    await postgres.restart();
    field.mended('postgres-kill', `pid ${postgres.pid}`);
    field.awaitAccept({ fromMs });
  },
};
