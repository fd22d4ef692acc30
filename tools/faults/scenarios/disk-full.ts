import { awaitFact } from '../../bench/service/await-fact.js';
import type { Scenario } from '../scenario.js';
import { SmallDisk } from '../system/small-disk.js';

const LENGTH_MS = [3_000, 15_000] as const;
const SHORT_LENGTH_MS = [2_000, 4_000] as const;
const WRITABLE_TIMEOUT_MS = 60_000;

export const diskFull: Scenario = {
  name: 'disk-full',
  says: "the database's disk is full until PostgreSQL fails; it is freed, and the server started again where it had died",
  recovery: 'space freed, PostgreSQL answers -> first accepted send',
  diskMegabytes: 640,
  missing: SmallDisk.missing,
  rounds: 3,
  pauseMs: [1_000, 3_000],
  async strike(field) {
    const { disk, postgres } = field.system;
    if (disk === undefined) throw new Error('the database lies on the disk of the run');
    field.allowWindow(field.system.workers.length);
    const octets = disk.fill();
    field.note('disk-full', `by ${octets} octets`);
    try {
      await field.pause(field.lengthMs(LENGTH_MS, SHORT_LENGTH_MS));
    } finally {
      disk.free();
    }
    if (postgres.hasEnded) {
      field.measures.push('PostgreSQL had died');
      await postgres.restart();
    }
    // It may be restarting its sessions after a panic of one.
    await awaitFact('PostgreSQL answers', WRITABLE_TIMEOUT_MS, async () => {
      field.signal.throwIfAborted();
      return postgres.query('select 1').then(
        () => true as const,
        () => undefined,
      );
    });
    field.awaitAccept({ fromMs: field.mended('disk-full') });
  },
};
