import type { Scenario } from '../scenario.js';
import { awaitRefill } from './redis-faults.js';

export const redisSentinelFailover: Scenario = {
  name: 'redis-sentinel-failover',
  says: 'kill -9 of the master of Redis under three Sentinels: its replica takes over; clients see nothing of it',
  recovery: 'kill -> nothing accepted before is still waiting to be claimed',
  queue: 'redis',
  redisHasSentinels: true,
  rounds: 10,
  pauseMs: [500, 2_500],
  expects: { clientErrorsMax: 0 },
  async strike(field) {
    const { sentinels } = field.system;
    if (sentinels === undefined) throw new Error('this fault needs Sentinels');
    const killedAtMs = field.note('redis-sentinel-failover');
    const port = await sentinels.killMaster();
    awaitRefill(field, killedAtMs);
    await sentinels.untilMasterIsNot(port);
    field.mended('redis-sentinel-failover', `master is at ${await sentinels.masterPort()}`);
    // The next round needs a replica that is in step.
    await sentinels.restart(port);
  },
};
