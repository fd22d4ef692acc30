import { afterAll, beforeAll, expect, test } from '@jest/globals';
import pg from 'pg';
import { changeCarrier, findMessage } from '#persistence';
import { eventually } from '../support/eventually.js';
import { isSuppressed } from '../support/is-suppressed.js';
import { CHEAPEST_BACK_END } from '../support/queue.js';
import { TestService } from '../support/service.js';
import { ended, spawnWorker } from '../support/worker-process.js';

interface Inbound {
  readonly sender: string;
  readonly message: string;
  readonly keyword: string | null;
  readonly inReplyTo: string | null;
}

let service: TestService;
beforeAll(async () => {
  service = await TestService.start({ backEnd: CHEAPEST_BACK_END, simulator: { receiptRetryMs: 5_000 } });
});
afterAll(() => service.close());

const inboxOf = async (sender: string) =>
  (await service.get<{ data: Inbound[] }>(`/v1/message/inbound?sender=${sender}`)).data;

async function sendTo(recipient: string): Promise<string> {
  const { messageId } = await service.post<{ messageId: string }>('/v1/message/send', { recipient, message: 'Hi' });
  return messageId;
}

test('what a handset answers is in the inbox of the account that sent to it, with what it answers', async () => {
  const inReplyTo = await sendTo('46799900040');
  await eventually(async () =>
    expect(await inboxOf('46799900040')).toMatchObject([{ message: 'Thank you', keyword: null, inReplyTo }]),
  );
});

test('a long answer is one message', async () => {
  await sendTo('46799900043');
  await eventually(async () => expect(await inboxOf('46799900043')).toHaveLength(1));
  expect((await inboxOf('46799900043'))[0]?.message).toMatch(
    /^(Tack, det här är ett långt svar från telefonen – 谢谢\. ){3}$/,
  );
});

test('after an answer of STOP no message to the number is accepted', async () => {
  await sendTo('46799900041');
  await eventually(async () => expect(await inboxOf('46799900041')).toMatchObject([{ keyword: 'stop' }]));
  expect(await isSuppressed(service.database, service.accountId, '46799900041')).toBe(true);
  await expect(sendTo('46799900041')).rejects.toThrow(/recipient_opted_out/);
});

test('a STOP from a number in national form holds for the number that messages are sent to', async () => {
  const bound = () => service.simulator.records.events.filter(({ kind }) => kind === 'bind').length;
  const before = bound();
  await changeCarrier(service.database, 'simulator', { options: { callingCode: '44' } });
  await eventually(() => expect(bound()).toBeGreaterThan(before));
  await service.untilEnded(new Map([[await sendTo('447700900123'), 'delivered']]));
  service.simulator.sendInbound({ from: '07700900123', to: 'Heliograph', text: 'Stop' });
  await eventually(async () => expect(await inboxOf('447700900123')).toMatchObject([{ keyword: 'stop' }]));
  await expect(sendTo('+44 7700 900123')).rejects.toThrow(/recipient_opted_out/);
});

test('a worker that is killed after it stored a STOP leaves nothing to the number waiting to be sent', async () => {
  const { database } = service;
  await service.untilEnded(new Map([[await sendTo('46700100203'), 'delivered']]));
  const { creditRemaining } = await service.get<{ creditRemaining: number }>('/v1/account');
  const sendAt = new Date(Date.now() + 3_600_000).toISOString();
  const { messageId } = await service.post<{ messageId: string }>('/v1/message/send', {
    recipient: '46700100203',
    message: 'Later',
    sendAt,
  });
  for (const worker of [...service.runningWorkers]) await service.stopWorker(worker);
  // A session of the pool would end when a worker takes more than 10 s to start.
  const holder = new pg.Client(service.settings.DATABASE_URL);
  await holder.connect();
  try {
    await holder.query('begin');
    // While it is held, it cannot be canceled.
    await holder.query('select from message_order where id = $1 for update', [messageId]);
    const child = spawnWorker(service);
    service.simulator.sendInbound({ from: '46700100203', to: 'Heliograph', text: 'Stop' });
    await eventually(async () => expect(await isSuppressed(database, service.accountId, '46700100203')).toBe(true), {
      timeoutMs: 60_000,
    });
    await ended(child, 'SIGKILL');
    // Its session may wait for the message already, and would still cancel it: that is not what is tried here.
    await holder.query(
      'select pg_terminate_backend(pid, 10000) from pg_stat_activity where pg_backend_pid() = any(pg_blocking_pids(pid))',
    );
  } finally {
    await holder.end();
  }
  expect(await findMessage(database, messageId)).toMatchObject({ state: 'scheduled' });
  await service.startWorker();
  await eventually(
    async () =>
      expect(await findMessage(database, messageId)).toMatchObject({ state: 'canceled', carrierCode: 'OPTED_OUT' }),
    { timeoutMs: 60_000 },
  );
  expect(await service.get('/v1/account')).toMatchObject({ creditRemaining });
});

test('a message whose answer was lost with its connection comes again and is stored once', async () => {
  await service.untilEnded(new Map([[await sendTo('46700100201'), 'delivered']]));
  const texts = Array.from({ length: 30 }, (_, index) => `Answer ${index}`);
  for (const [index, text] of texts.entries()) {
    service.simulator.sendInbound({ from: '46700100201', to: 'Heliograph', text });
    if (index % 10 === 9) service.simulator.disconnectAll();
  }
  await eventually(() => expect(service.simulator.pendingInbound).toBe(0), { timeoutMs: 60_000 });
  const { data } = await service.get<{ data: Inbound[] }>('/v1/message/inbound?sender=46700100201&limit=100');
  expect(data.map(({ message }) => message).sort()).toEqual([...texts].sort());
});

test('a worker that is killed while it stores messages loses none and doubles none', async () => {
  await service.untilEnded(new Map([[await sendTo('46700100202'), 'delivered']]));
  for (const worker of [...service.runningWorkers]) await service.stopWorker(worker);
  const texts = Array.from({ length: 200 }, (_, index) => `Word ${index}`);
  for (const text of texts) service.simulator.sendInbound({ from: '46700100202', to: 'Heliograph', text });
  for (let kill = 0; kill < 3; kill += 1) {
    const child = spawnWorker(service);
    const { inboundAcknowledged: before } = service.simulator.counters;
    await eventually(() => expect(service.simulator.counters.inboundAcknowledged).toBeGreaterThan(before), {
      timeoutMs: 60_000,
    });
    await ended(child, 'SIGKILL');
    for (const text of [`More ${kill}`, `And more ${kill}`]) {
      texts.push(text);
      service.simulator.sendInbound({ from: '46700100202', to: 'Heliograph', text });
    }
  }
  await service.startWorker();
  await eventually(() => expect(service.simulator.pendingInbound).toBe(0), { timeoutMs: 60_000 });
  const rows = await service.database.query<{ message: string }>(
    `select message from inbound_message where source = '46700100202'`,
  );
  expect(rows.map(({ message }) => message).sort()).toEqual([...texts].sort());
});
