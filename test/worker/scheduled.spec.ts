import { describe, expect, test } from '@jest/globals';
import { changeAccount, createAccount, resumeAccount, suspendAccount } from '#persistence';
import type { SubmitRecord } from '../../apps/carrier-simulator/records.js';
import { eventually } from '../support/eventually.js';
import { CHEAPEST_BACK_END, QUEUE_BACK_ENDS } from '../support/queue.js';
import { numberOf, type TestService } from '../support/service.js';
import { sharedService } from '../support/shared-service.js';

const PER_SECOND = 1_000;

/** Of a relative validity_period (SMPP 3.4 section 7.1.1.2) of less than a day; undefined: the submit has none. */
function secondsOf({ validityPeriod }: SubmitRecord): number | undefined {
  if (validityPeriod === '') return undefined;
  const [, hours, minutes, seconds] = /^000000(\d\d)(\d\d)(\d\d)000R$/.exec(validityPeriod) ?? [];
  return Number(hours) * 3_600 + Number(minutes) * 60 + Number(seconds);
}

const soon = (seconds: number) => new Date(Date.now() + seconds * PER_SECOND);
const entry = (index: number) => ({ recipient: numberOf(index), message: `Message ${index}` });
const schedule = async (service: TestService, count: number, sendAt: Date, from = 0) => {
  const messages = Array.from({ length: count }, (_, index) => entry(from + index));
  return service.post<{ batchId: string; orderSummary: { messageId: string }[] }>('/v1/message/send-batch', {
    messages,
    sendAt,
  });
};

describe.each(QUEUE_BACK_ENDS)('messages that are scheduled, queue on %s', (backEnd) => {
  const start = sharedService({ backEnd, workers: 2 });

  test('are sent at their time and not before, each once', async () => {
    const service = await start();
    const sendAt = soon(3);
    await schedule(service, 60, sendAt);
    for (let n = 0; n < 10; n += 1) {
      await service.post('/v1/message/send', { ...entry(100 + n), sendAt: soon(2) });
    }
    await service.send(numberOf(500), 'at once');
    await service.untilStatuses({ delivered: 71 });
    expect(service.takenCopies).toBe(71);
    const early = await service.database.query(
      `select from message_order o join segment s on s.message_id = o.id where s.submitted_at < o.send_at`,
    );
    expect(early).toEqual([]);
  });

  test('and canceled while they are being sent are sent and charged, or canceled and free', async () => {
    const service = await start({ carrier: { submitsPerSecond: 200 } });
    const { batchId, orderSummary } = await schedule(service, 300, soon(1));
    await eventually(async () => service.takenCopies > 20);
    const singles = orderSummary.slice(150).map(async ({ messageId }) => {
      await service.post(`/v1/message/${messageId}/cancel`, {}).catch(() => undefined);
    });
    await Promise.all([service.post(`/v1/message/batch/${batchId}/cancel`, {}), ...singles]);
    const untilEnded = async () => {
      const { delivered = 0, canceled = 0 } = await service.statuses();
      expect(delivered + canceled).toBe(300);
      return { delivered, canceled };
    };
    const { delivered, canceled } = await eventually(untilEnded, { intervalMs: 200 });
    expect(delivered).toBeGreaterThan(0);
    expect(canceled).toBeGreaterThan(0);
    expect(service.takenCopies).toBe(delivered);
    expect(await service.figures()).toEqual({ reserved: 0n, captured: 10_000n * BigInt(delivered) });
  });
});

describe('messages that are scheduled', () => {
  const start = sharedService({ backEnd: CHEAPEST_BACK_END });

  test('and canceled are never sent; the others of their batch are', async () => {
    const service = await start({ workers: 2 });
    const { orderSummary } = await schedule(service, 30, soon(3));
    const { batchId } = await schedule(service, 30, soon(3), 100);
    const canceled = orderSummary.slice(0, 10).map(({ messageId }) => messageId);
    for (const id of canceled) await service.post(`/v1/message/${id}/cancel`, {});
    await service.post(`/v1/message/batch/${batchId}/cancel`, {});
    await service.untilStatuses({ delivered: 20, canceled: 40 });
    expect(service.takenCopies).toBe(20);
    expect(await service.figures()).toEqual({ reserved: 0n, captured: 200_000n });
  });

  test('of one account, 1,000 for the same moment, delay no message of another', async () => {
    const service = await start({ carrier: { submitsPerSecond: 200 }, workers: 2 });
    const sendAt = soon(3);
    await schedule(service, 1_000, sendAt);
    const { account, apiKey } = await createAccount(service.database, {
      name: 'Other',
      currency: 'EUR',
      creditLimit: 1_000_000n,
    });
    const answer = await fetch(`${service.gatewayUrl}/v1/message/send`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-authorization': apiKey },
      body: JSON.stringify({ recipient: '491700000000', message: 'mine', sendAt }),
    });
    expect(answer.status).toBe(201);
    const { records } = service.simulator;
    const isOthers = ({ destination }: { destination: { value: string } }) => destination.value === '491700000000';
    await records.until(({ submits }) => submits.some(isOthers), 60_000);
    expect(records.submits.findIndex(isOthers)).toBeLessThan(500);
    expect(account.accountId).not.toBe(service.accountId);
  });

  test('of a suspended account whose queued messages are held wait until it is resumed', async () => {
    const service = await start();
    await schedule(service, 5, soon(1));
    await suspendAccount(service.database, service.accountId, 'hold');
    const states = () =>
      service.database.query<{ state: string; n: number }>(
        `select state, count(*)::integer as n from message_order
          where state = 'queued' and due_at > now() + interval '5 minutes' group by state`,
      );
    await eventually(async () => expect(await states()).toEqual([{ state: 'queued', n: 5 }]));
    expect(service.takenCopies).toBe(0);
    await resumeAccount(service.database, service.accountId);
    await service.untilStatuses({ delivered: 5 });
  });

  test('go out with the sender that they ask for', async () => {
    const service = await start();
    await changeAccount(service.database, service.accountId, { sender: 'Own', allowedSenders: ['Acme'] });
    const send = (index: number, options: object) => service.post('/v1/message/send', { ...entry(index), ...options });
    await eventually(async () => {
      await send(1, { sender: 'Acme' });
      return true;
    });
    await send(2, {});
    await send(3, { sender: 'Acme', message: 'x'.repeat(200) });
    await service.untilStatuses({ delivered: 3 });
    const senders = service.simulator.records.submits.map(({ destination, source }) => [
      destination.value,
      source.value,
    ]);
    expect(senders.sort()).toEqual([
      [numberOf(1), 'Acme'],
      [numberOf(2), 'Own'],
      [numberOf(3), 'Acme'],
      [numberOf(3), 'Acme'],
    ]);
  });

  test('tell the carrier what is left of the validity that they ask for, each segment, and the others nothing', async () => {
    const service = await start({ workers: 0 });
    const send = (index: number, options: object) => service.post('/v1/message/send', { ...entry(index), ...options });
    await send(1, { validitySeconds: 3_600 });
    await send(2, { validitySeconds: 3_600, message: 'x'.repeat(200), sendAt: soon(1) });
    await send(3, {});
    // As if it had waited for ten minutes.
    await service.database.query(
      `update message_order set valid_until = valid_until - interval '10 minutes' where destination = $1`,
      [numberOf(1)],
    );
    await service.startWorker();
    await service.untilStatuses({ delivered: 3 });
    const { submits } = service.simulator.records;
    const leftOf = (index: number) =>
      submits.filter((submit) => submit.destination.value === numberOf(index)).map((submit) => secondsOf(submit));
    expect(leftOf(3)).toEqual([undefined]);
    for (const [index, segments, seconds] of [
      [1, 1, 3_000],
      [2, 2, 3_600],
    ] as const) {
      const left = leftOf(index);
      expect(left).toHaveLength(segments);
      for (const one of left) {
        expect(one).toBeLessThanOrEqual(seconds);
        expect(one).toBeGreaterThan(seconds - 120);
      }
    }
  });
});
