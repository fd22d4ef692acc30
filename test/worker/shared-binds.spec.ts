import type { ChildProcess } from 'node:child_process';
import { afterEach, describe, expect, test } from '@jest/globals';
import { loadConfig } from '#config';
import { changeCarrier } from '#persistence';
import { startWorker } from '../../apps/worker/start-worker.js';
import { eventually } from '../support/eventually.js';
import { heldBinds } from '../support/held-binds.js';
import { LogLines } from '../support/log-lines.js';
import { CHEAPEST_BACK_END } from '../support/queue.js';
import { TestService, type TestServiceOptions } from '../support/service.js';
import { ended, longDead, spawnWorker } from '../support/worker-process.js';

/** For the tests of a block: a service whose carrier allows two binds, and what it sees. */
function twoBinds() {
  let service: TestService | undefined;
  let watch: NodeJS.Timeout | undefined;
  let bindsMax = 0;
  const processes: ChildProcess[] = [];
  afterEach(async () => {
    clearInterval(watch);
    for (const child of processes.splice(0)) await ended(child, 'SIGKILL');
    const open = service;
    service = undefined;
    await open?.close();
  });

  async function start(options: Omit<TestServiceOptions, 'backEnd'> = {}): Promise<TestService> {
    service = await TestService.start({ backEnd: CHEAPEST_BACK_END, carrier: { bindCount: 2 }, ...options });
    const running = service;
    bindsMax = 0;
    watch = setInterval(() => {
      bindsMax = Math.max(bindsMax, running.simulator.binds.length);
    }, 1);
    return service;
  }

  const owners = async (running: TestService) => (await heldBinds(running.database)).map(({ owner }) => owner);

  const untilOwners = (running: TestService, wanted: (ids: readonly string[]) => boolean, timeoutMs = 30_000) =>
    eventually(async () => expect(wanted(await owners(running))).toBe(true), { timeoutMs, intervalMs: 100 });

  return { start, owners, untilOwners, processes, bindsMax: () => bindsMax };
}

describe('a carrier that allows two binds', () => {
  const { start, owners, untilOwners, processes, bindsMax } = twoBinds();

  test('sees never more than two from three workers, whichever send, and a worker that ends leaves its bind to another', async () => {
    const running = await start({ workers: 0 });
    const workers = [await running.startWorker(), await running.startWorker(), await running.startWorker()];
    await untilOwners(running, (ids) => ids.length === 2 && new Set(ids).size === 2);
    await eventually(() => running.simulator.binds.length === 2);
    await running.sendMany(100);
    await running.untilStatuses({ delivered: 100 });

    const [holder] = await owners(running);
    const leaving = workers.find(({ workerId }) => workerId === holder);
    if (leaving === undefined) throw new Error('a bind is held by nobody that is known');
    await running.stopWorker(leaving);
    await untilOwners(running, (ids) => ids.length === 2 && new Set(ids).size === 2 && !ids.includes(holder ?? ''));
    await eventually(() => running.simulator.binds.length === 2);
    await running.sendMany(100);
    await running.untilStatuses({ delivered: 200 });
    expect([...running.takenByNumber.values()]).toEqual(Array(100).fill(2));
    expect(bindsMax()).toBe(2);
  });

  test('sees the binds of a worker that was killed taken over when their lease is over', async () => {
    const running = await start({ workers: 0 });
    const doomed = spawnWorker(running);
    processes.push(doomed);
    await eventually(() => running.simulator.binds.length > 0);
    const survivor = await running.startWorker();
    await untilOwners(running, (ids) => ids.includes(survivor.workerId) && new Set(ids).size === 2);
    await ended(doomed, 'SIGKILL');
    await longDead(running, doomed);
    await running.sendMany(50);
    await running.untilStatuses({ delivered: 50 }, 40_000);
    await untilOwners(running, (ids) => ids.length === 2 && ids.every((id) => id === survivor.workerId));
    await eventually(() => running.simulator.binds.length === 2);
    expect(bindsMax()).toBeLessThanOrEqual(2);
  });

  test('sees one bind as soon as the operator allows one only', async () => {
    const running = await start({ workers: 2 });
    await eventually(() => running.simulator.binds.length === 2);
    await changeCarrier(running.database, 'simulator', { bindCount: 1 });
    await eventually(() => running.simulator.binds.length === 1);
    await untilOwners(running, (ids) => ids.length === 1);
    await running.sendMany(50);
    await running.untilStatuses({ delivered: 50 });
    expect(bindsMax()).toBe(2);
  });
});

describe('two carriers whose binds are shared', () => {
  const { start } = twoBinds();

  test('one that still waits for an answer on its former bind costs the other one no bind', async () => {
    const running = await start({
      workers: 0,
      carrier: { inDoubtPolicy: 'hold' },
      settings: { SUBMIT_TIMEOUT_MS: '30000', SHUTDOWN_GRACE_MS: '9000' },
    });
    const bindOf = (id: string) => running.simulator.binds.find(({ systemId }) => systemId === id)?.id;
    const log = new LogLines('worker');
    const bindLease = { leaseMs: 4_000, renewEveryMs: 200 };
    const worker = await startWorker(loadConfig({ ...running.settings }), log.logger, { bindLease });
    try {
      await running.send('4670199900011', 'never answered');
      await running.simulator.records.until(({ submits }) => submits.length === 1);
      await running.addCarrier({ name: 'other', systemId: 'other', bindCount: 1 });
      await eventually(() => bindOf('other') !== undefined);
      const before = { spec: bindOf('spec'), other: bindOf('other') };
      await changeCarrier(running.database, 'simulator', { bindCount: 1 });
      // It binds anew when the grace for the answer is over.
      await eventually(() => ![undefined, before.spec].includes(bindOf('spec')), { timeoutMs: 60_000 });
      expect(bindOf('other')).toBe(before.other);
      expect(log.saying('binds are closed, because their lease could not be renewed')).toEqual([]);
    } finally {
      await worker.close();
    }
  });
});
