import type { Scenario } from '../scenario.js';

export const postgresKill: Scenario = {
  name: 'postgres-kill',
  says: 'kill -9 of the postmaster; it is started again at once and recovers from its log',
  recovery: 'PostgreSQL answers again -> first accepted send',
  rounds: 20,
  pauseMs: [500, 2_500],
  async strike(field) {
    const { postgres } = field.system;
    field.note('postgres-kill', `pid ${postgres.pid}`);
    await postgres.kill();
    await postgres.restart();
    field.awaitAccept({ fromMs: field.mended('postgres-kill', `pid ${postgres.pid}`) });
  },
};
