import { describe, expect, test } from '@jest/globals';
import { resumeAccount, suspendAccount } from '#persistence';
import { eventually } from '../support/eventually.js';
import { CHEAPEST_BACK_END, QUEUE_BACK_ENDS } from '../support/queue.js';
import type { TestService } from '../support/service.js';
import { sharedService } from '../support/shared-service.js';

/** The API answers nothing to a suspended account, so this is read from the database. */
const untilStates = (service: TestService, wanted: Readonly<Record<string, number>>) =>
  eventually(async () => {
    const rows = await service.database.query<{ state: string; n: number }>(
      'select state, count(*)::integer as n from message_order where account_id = $1 group by state order by state',
      [service.accountId],
    );
    expect(Object.fromEntries(rows.map(({ state, n }) => [state, n]))).toEqual(wanted);
    return true;
  });

/** A batch and a single that wait, because no worker is there yet. */
async function queueMessages(service: TestService): Promise<void> {
  await service.sendMany(10);
  await service.send('46701234567', 'single');
}

const startWorkers = (service: TestService) => Promise.all([service.startWorker(), service.startWorker()]);

describe.each(QUEUE_BACK_ENDS)('an account that is suspended, queue on %s', (backEnd) => {
  const start = sharedService({ backEnd, workers: 0 });

  test('sends nothing of what is held, whatever the queue and the sweeper do, and sends it once when it is resumed', async () => {
    const service = await start();
    await queueMessages(service);
    const suspended = await suspendAccount(service.database, service.accountId, 'hold');
    expect(suspended).toMatchObject({ queued: 11, sending: 0, isHolding: true, refunded: 0 });
    await startWorkers(service);
    // The sweeper has looked at each of them again and has put it off: nothing goes round in a loop.
    await eventually(async () => {
      const [row] = await service.database.query<{ n: number }>(
        `select count(*)::integer as n from message_order where state = 'queued' and due_at > now() + interval '5 minutes'`,
      );
      return row?.n === 11;
    });
    expect(service.takenCopies).toBe(0);
    const figures = await service.figures();
    expect(figures).toMatchObject({ reserved: 110_000n, captured: 0n });
    expect(await resumeAccount(service.database, service.accountId)).toMatchObject({ released: 11 });
    await service.untilStatuses({ delivered: 11 });
    expect(service.takenCopies).toBe(11);
  });
});

// The database decides what a worker may claim, whatever is on the queue.
describe('an account', () => {
  const start = sharedService({ backEnd: CHEAPEST_BACK_END, workers: 0 });

  test('that is suspended has what is queued canceled and its money back, and nothing of it is sent', async () => {
    const service = await start();
    await queueMessages(service);
    const suspended = await suspendAccount(service.database, service.accountId, 'refund');
    expect(suspended).toMatchObject({ queued: 0, refunded: 11 });
    await startWorkers(service);
    await untilStates(service, { failed: 11 });
    expect(await service.figures()).toEqual({ reserved: 0n, captured: 0n });
    const rows = await service.database.query<{ actor: string; to_state: string; carrier_code: string }>(
      `select distinct t.actor, t.to_state, t.carrier_code
         from order_transition t join message_order o on o.id = t.message_id where o.account_id = $1`,
      [service.accountId],
    );
    expect(rows).toEqual([{ actor: 'operator', to_state: 'failed', carrier_code: 'REFUNDED' }]);
    expect(service.takenCopies).toBe(0);
  });

  test('that is suspended while its messages are being sent: each is either sent and charged, or cancelled and free', async () => {
    const service = await start();
    await startWorkers(service);
    await service.sendMany(300);
    await eventually(async () => service.takenCopies > 0);
    const { refunded } = await suspendAccount(service.database, service.accountId, 'refund');
    await untilStates(service, {
      ...(refunded < 300 && { delivered: 300 - refunded }),
      ...(refunded > 0 && { failed: refunded }),
    });
    expect(service.takenCopies).toBe(300 - refunded);
    expect(await service.figures()).toEqual({ reserved: 0n, captured: 10_000n * BigInt(300 - refunded) });
  });

  test('that sends 100 messages: from their sending to their receipts, leave no record of an operator’s change', async () => {
    const service = await start({ workers: 2 });
    const changesOfOperators = () => service.database.query('select count(*) as n from operator_change');
    const before = await changesOfOperators();
    await service.sendMany(60);
    for (let single = 0; single < 40; single += 1) await service.send('46701234567', `single ${single}`);
    await service.untilStatuses({ delivered: 100 });
    expect(await changesOfOperators()).toEqual(before);
  });
});
