import { describe, expect, test } from '@jest/globals';
import { eventually } from '../support/eventually.js';
import { QUEUE_BACK_ENDS } from '../support/queue.js';
import { anotherSecretsKey } from '../support/secrets.js';
import { numberOf, type TestService } from '../support/service.js';
import { servicePerTest } from '../support/service-per-test.js';

const WORD = 'Qx7fQ';
const SINGLE = `Your code is ${WORD}.`;
const LONG = `${WORD} 漢字 🙂 `.repeat(20);

/** What reached a handset, its parts joined. */
function textAt(service: TestService, recipient: string): string {
  return service.simulator.records.submits
    .filter(({ destination, isTaken }) => destination.value === recipient && isTaken)
    .sort((one, other) => (one.concatenation?.part ?? 0) - (other.concatenation?.part ?? 0))
    .map(({ text }) => text)
    .join('');
}

// Jobs have no texts, so one back end shows it all; `canary.spec.ts` has encrypted texts on the other one.
describe.each(QUEUE_BACK_ENDS.slice(-1))('texts that are stored encrypted, queue on %s', (backEnd) => {
  const start = servicePerTest({ backEnd, workers: 0, settings: { TEXTS_AT_REST: 'encrypted' } });

  test('reach handsets as they were sent: short, long, scheduled, and from a batch', async () => {
    const service = await start({ workers: 1 });
    const ids = [await service.send(numberOf(1), SINGLE), await service.send(numberOf(2), LONG)];
    const sendAt = new Date(Date.now() + 1_500).toISOString();
    const later = { recipient: numberOf(3), message: SINGLE, sendAt };
    ids.push((await service.post<{ messageId: string }>('/v1/message/send', later)).messageId);
    ids.push(...(await service.sendBatch([4, 5].map((n) => ({ recipient: numberOf(n), message: LONG })))));
    const stored = await service.database.query(`select from message_order where message like '%' || $1 || '%'`, [
      WORD,
    ]);
    expect(stored).toEqual([]);
    await service.untilStatuses({ delivered: 5 });
    expect([1, 2, 3, 4, 5].map((n) => textAt(service, numberOf(n)))).toEqual([SINGLE, LONG, SINGLE, LONG, LONG]);
    const { data } = await service.get<{ data: { message: string }[] }>('/v1/account/messages?limit=100');
    expect(data.map(({ message }) => message).sort()).toEqual([LONG, LONG, LONG, SINGLE, SINGLE].sort());
    expect(await service.get(`/v1/message/${ids[1]}`)).toMatchObject({ message: LONG });
  });

  test('and come from handsets, are in the inbox of their account', async () => {
    const service = await start({ workers: 1 });
    await service.send(numberOf(1), SINGLE);
    await service.untilStatuses({ delivered: 1 });
    for (const text of [SINGLE, LONG]) {
      service.simulator.sendInbound({ from: numberOf(1), to: 'Heliograph', text });
    }
    await eventually(
      async () => {
        const { data } = await service.get<{ data: { message: string }[] }>('/v1/message/inbound');
        expect(data.map(({ message }) => message).sort()).toEqual([LONG, SINGLE].sort());
      },
      { timeoutMs: 60_000 },
    );
    expect(
      await service.database.query(`select from inbound_message where message like '%' || $1 || '%'`, [WORD]),
    ).toEqual([]);
  });

  test('and cannot be read by a worker, wait for one that can', async () => {
    const service = await start({ carrier: { password: '' } });
    const id = await service.send(numberOf(1), SINGLE);
    const blind = await service.startWorker({ SECRETS_KEY: anotherSecretsKey(), TEXTS_AT_REST: 'plain' });
    await eventually(
      async () => {
        const [order] = await service.database.query('select from message_order where id = $1 and attempts > 0', [id]);
        expect(order).toBeDefined();
      },
      { timeoutMs: 60_000 },
    );
    await service.stopWorker(blind);
    expect([service.takenCopies, (await service.messages()).get(id)?.status]).toEqual([0, 'queued']);
    await service.startWorker();
    await service.untilEnded(new Map([[id, 'delivered']]));
    expect(textAt(service, numberOf(1))).toBe(SINGLE);
  });
});
