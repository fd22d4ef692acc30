import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { type SendBatchResult, type SendResult, TIMESTAMP, UUID } from '../support/contract.js';
import { expectProblem } from '../support/expect-problem.js';
import { RECIPIENT, type TestAccount, TestGateway } from '../support/gateway.js';

let gateway: TestGateway;
let account: TestAccount;
beforeAll(async () => {
  gateway = await TestGateway.start();
  account = await gateway.account();
});
afterAll(() => gateway.close());

const sent = async (message: string) =>
  (await account.send({ recipient: RECIPIENT, message })).as<SendResult>().messageId;

describe('GET /v1/message/{messageId}', () => {
  test('tells of a message that waits what it is, what it costs, and that every segment waits', async () => {
    const id = await sent('é'.repeat(80));
    const reply = await account.get(`/v1/message/${id}`);
    expect(reply.status).toBe(200);
    const waiting = { status: 'queued', carrierCode: null, sentAt: null, finalAt: null };
    const at = expect.stringMatching(TIMESTAMP);
    expect(reply.json).toStrictEqual({
      messageId: id,
      reference: null,
      tag: null,
      recipient: RECIPIENT,
      message: 'é'.repeat(80),
      status: 'queued',
      reason: null,
      carrierCode: null,
      encoding: 'extended',
      segments: 2,
      price: 0.15,
      amount: 0.15,
      currency: 'EUR',
      createdAt: at,
      sendAt: null,
      sender: null,
      validUntil: at,
      sentAt: null,
      finalAt: null,
      segmentDetails: [
        { position: 1, ...waiting },
        { position: 2, ...waiting },
      ],
      history: [{ at, status: 'queued', reason: null, carrierCode: null }],
    });
    const { createdAt, history } = reply.as<{ createdAt: string; history: { at: string }[] }>();
    expect(history[0]?.at).toBe(createdAt);
  });

  test('answers for each message of a batch by the id that the batch answered', async () => {
    const batch = await account.sendBatch([
      { recipient: RECIPIENT, message: 'one' },
      { recipient: RECIPIENT, message: 'two' },
    ]);
    const { orderSummary } = batch.as<{ orderSummary: { messageId: string }[] }>();
    const replies = await Promise.all(orderSummary.map(({ messageId }) => account.get(`/v1/message/${messageId}`)));
    expect(replies.map((reply) => reply.as<{ message: string }>().message)).toEqual(['one', 'two']);
  });

  test('takes an id in capitals for the same id', async () => {
    const id = await sent('hi');
    expect((await account.get(`/v1/message/${id.toUpperCase()}`)).json).toMatchObject({ messageId: id });
  });

  test('a message of another account is answered like one that is not there', async () => {
    const id = await sent('secret');
    expect(id).toMatch(UUID);
    const stranger = await gateway.account();
    const foreign = expectProblem(await stranger.get(`/v1/message/${id}`), 404, 'not_found');
    const nowhere = await stranger.get('/v1/message/019aa5c4-1c2e-7cc3-a1b4-0d9c6f1f6c11');
    const unknown = expectProblem(nowhere, 404, 'not_found');
    expect(foreign.detail).toBe(unknown.detail);
  });

  test.each(['1', 'x', '019aa5c4', `${'0'.repeat(36)}`, '%00', "'%20or%20true"])('%s is no id: 404', async (id) => {
    expectProblem(await account.get(`/v1/message/${id}`), 404, 'not_found');
  });

  test('the names of the other endpoints are no ids, and an id takes no other method', async () => {
    for (const name of ['send', 'send-batch', 'quote']) {
      const reply = await account.get(`/v1/message/${name}`);
      expectProblem(reply, 405, 'method_not_allowed');
      expect(reply.headers.allow).toBe('POST');
    }
    const posted = await account.post('/v1/message/019aa5c4-1c2e-7cc3-a1b4-0d9c6f1f6c11', {});
    expectProblem(posted, 405, 'method_not_allowed');
    expect(posted.headers.allow).toBe('GET, HEAD');
  });

  test('needs a key and has no query', async () => {
    const path = `/v1/message/${await sent('hi')}`;
    expectProblem(await gateway.http.request('GET', path), 401, 'unauthorized');
    expectProblem(await account.get(`${path}?expand=history`), 400, 'unknown_field');
  });
});

describe('GET /v1/message/batch/{batchId}', () => {
  test('counts the messages of a batch by status, until all have ended, for its own account only', async () => {
    const inDays = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString();
    const [tomorrow, later] = [inDays(1), inDays(2)];
    const messages = [
      { recipient: RECIPIENT, message: 'hi' },
      { recipient: RECIPIENT, message: 'x'.repeat(161), sendAt: later },
    ];
    const reply = await account.post('/v1/message/send-batch', { messages, sendAt: tomorrow });
    const { batchId, orderSummary } = reply.as<SendBatchResult & { batchId: string }>();
    await account.post(`/v1/message/${orderSummary[0]?.messageId}/cancel`, {});
    const path = `/v1/message/batch/${batchId}`;
    const none = { queued: 0, sending: 0, sent: 0, delivered: 0, undelivered: 0, failed: 0, unknown: 0 };
    const open = (await account.get(path)).json as object;
    expect(open).toStrictEqual({
      batchId,
      messages: 2,
      byStatus: { ...none, scheduled: 1, canceled: 1 },
      completed: false,
      amount: 0.15,
      currency: 'EUR',
      acceptedAt: expect.stringMatching(TIMESTAMP),
      sendAt: tomorrow,
    });
    await account.post(`${path}/cancel`, {});
    const byStatus = { ...none, scheduled: 0, canceled: 2 };
    expect((await account.get(path)).json).toEqual({ ...open, byStatus, completed: true, amount: 0 });
    const inCapitals = `/v1/message/batch/${batchId.toUpperCase()}`;
    expect((await account.get(inCapitals)).json).toMatchObject({ batchId });
    expect((await account.post(`${inCapitals}/cancel`, {})).json).toMatchObject({ batchId });
    expectProblem(await (await gateway.account()).get(path), 404, 'not_found');
    expectProblem(await account.get('/v1/message/batch/nonsense'), 404, 'not_found');
  });
});
