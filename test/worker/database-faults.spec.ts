import type { ChildProcess } from 'node:child_process';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { eventually } from '../support/eventually.js';
import { TestService, UNIT_PRICE } from '../support/service.js';
import { TcpProxy } from '../support/tcp-proxy.js';
import { ended, spawnWorker } from '../support/worker-process.js';

const WINDOW_SIZE = 2;

/** While `work` runs, the database refuses one of the worker's statements. */
async function without(running: TestService, signature: string, work: () => Promise<void>): Promise<void> {
  const name = signature.slice(0, signature.indexOf('('));
  await running.database.query(`alter function ${signature} rename to ${name}_away`);
  try {
    await work();
  } finally {
    await running.database.query(`alter function ${signature.replace(name, `${name}_away`)} rename to ${name}`);
  }
}

/** How many statements the database has refused, in the server's own count. */
async function refusals({ database }: TestService): Promise<number> {
  await database.query('select pg_stat_force_next_flush()');
  const [row] = await database.query<{ n: string }>(
    'select xact_rollback as n from pg_stat_database where datname = current_database()',
  );
  return Number(row?.n ?? 0);
}

async function untilRefused(running: TestService, before: number, count: number): Promise<void> {
  await eventually(async () => (await refusals(running)) >= before + count);
}

const long = (count: number) =>
  Array.from({ length: count }, (_, index) => ({
    recipient: `4670123${String(1_000 + index)}`,
    message: 'x'.repeat(400),
  }));

describe('while the database refuses a statement', () => {
  let service: TestService;
  /** A process of its own, which a fault that nobody catches would end. */
  let worker: ChildProcess;
  let complaints = '';
  beforeAll(async () => {
    service = await TestService.start({
      backEnd: 'postgres',
      workers: 0,
      simulator: { latencyMs: 20 },
      carrier: { windowSize: WINDOW_SIZE },
    });
    worker = spawnWorker(service, (text) => {
      complaints += text;
    });
    await service.send('46701234567', 'before');
    await service.untilStatuses({ delivered: 1 });
  });
  afterAll(async () => {
    await ended(worker, 'SIGTERM');
    await service.close();
  });

  test.each([
    ['claim_orders(uuid[], text, integer, integer, boolean, text)'],
    ['assign_concatenation_references(uuid[])'],
    ['record_intents(uuid[], smallint[], integer[], integer[])'],
  ])('%s, the worker goes on, and afterwards everything is delivered as billed', async (signature) => {
    await service.openAccount();
    const before = await refusals(service);
    await without(service, signature, async () => {
      // A job of single messages goes on to wait for slots while its first statements fail.
      await Promise.all([
        service.sendBatch(long(20)),
        ...long(20).map(({ recipient }) => service.send(recipient, 's')),
      ]);
      // More often than the window has slots: a slot that is lost each time would be missed now.
      await untilRefused(service, before, WINDOW_SIZE + 2);
    });
    await service.untilStatuses({ delivered: 40 });
    expect(worker.exitCode).toBeNull();
    // Node tells here of a rejection that nobody waited for.
    expect(complaints).toBe('');
    expect(await service.figures()).toEqual({ reserved: 0n, captured: 80n * UNIT_PRICE });
  });
});

test('what the carrier takes while the database is away for longer than a lease is not sent again', async () => {
  const running = await TestService.start({
    backEnd: 'postgres',
    workers: 0,
    settings: { IN_DOUBT_WAIT_SECONDS: '5' },
    simulator: { latencyMs: 2_000, receipts: 'off' },
  });
  const url = running.settings.DATABASE_URL ?? '';
  const proxy = await TcpProxy.before(url);
  const cutOff = await running.startWorker({ DATABASE_URL: proxy.through(url) });
  try {
    await running.sendMany(5);
    await running.simulator.records.until(({ submits }) => submits.length === 5);
    proxy.cut();
    await eventually(
      async () => {
        const lapsed = await running.database.query(
          "select from message_order where lease_until < now() - interval '5 seconds'",
        );
        expect(lapsed).toHaveLength(5);
      },
      { timeoutMs: 60_000 },
    );
    proxy.mend();
    await running.untilStatuses({ sent: 5 });
    expect(running.takenCopies).toBe(5);
  } finally {
    await running.stopWorker(cutOff);
    await proxy.close();
    await running.close();
  }
});
