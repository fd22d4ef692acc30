import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { listOperatorChanges, setRetention } from '#persistence';
import { DocumentedAnswers } from '../support/documented-answers.js';
import { expectProblem, faultsOf } from '../support/expect-problem.js';
import { RECIPIENT, TestGateway } from '../support/gateway.js';
import type { Document } from '../support/openapi.js';

const RETENTION = '/v1/account/retention';
const REDACTIONS = '/v1/account/redactions';
const one = { recipient: RECIPIENT, message: 'the diagnosis' };
let gateway: TestGateway;
beforeAll(async () => {
  gateway = await TestGateway.start();
});
afterAll(() => gateway.close());

/** A message that has ended. */
async function canceled(account: Awaited<ReturnType<TestGateway['account']>>): Promise<string> {
  const sent = await account.send({ ...one, sendAt: new Date(Date.now() + 3_600_000).toISOString() });
  const { messageId } = sent.as<{ messageId: string }>();
  expect((await account.post(`/v1/message/${messageId}/cancel`, {})).status).toBe(200);
  return messageId;
}

test('an owner has the text and the number of a message removed, and sees what is left', async () => {
  const account = await gateway.account();
  const messageId = await canceled(account);
  const redact = () => account.post(`/v1/message/${messageId}/redact`, {});
  expect((await redact()).json).toEqual({ success: true, messageId, redacted: true });
  expect((await redact()).json).toEqual({ success: true, messageId, redacted: true });
  const shown = await account.get(`/v1/message/${messageId}`);
  expect(shown.json).toMatchObject({ recipient: '+46700******', message: '', status: 'canceled' });
  expect((await account.get('/v1/account/messages')).json).toMatchObject({
    data: [{ recipient: '+46700******', message: '' }],
  });
  expectProblem(await (await gateway.account()).post(`/v1/message/${messageId}/redact`, {}), 404, 'not_found');
  const changes = await listOperatorChanges(gateway.database, { accountId: account.accountId, subject: 'message' }, 9);
  expect(changes.map(({ operator, action }) => [operator, action])).toEqual(
    Array(2).fill([`API key ${account.keyId}`, 'redact']),
  );
});

test('a message that is on its way says so, and keeps its text until it has ended', async () => {
  const account = await gateway.account();
  const { messageId } = (await account.send(one)).as<{ messageId: string }>();
  expect((await account.post(`/v1/message/${messageId}/redact`, {})).json).toMatchObject({ redacted: false });
  expect((await account.get(`/v1/message/${messageId}`)).json).toMatchObject({ message: one.message });
});

test('an owner has a number removed from all messages of the account', async () => {
  const [account, other] = [await gateway.account(), await gateway.account()];
  for (const who of [account, account, other]) await canceled(who);
  await account.send(one);
  const done = await account.post(REDACTIONS, { recipient: '0046 700 100 200' });
  const expected = { success: true, sentMessages: 2, laterMessages: 1, receivedMessages: 0, complete: true };
  expect([done.status, done.json]).toEqual([200, expected]);
  const found = await account.get(`/v1/account/messages?recipient=${encodeURIComponent(RECIPIENT)}`);
  expect(found.json).toMatchObject({ pagination: { total: 1 } });
  expect((await other.get('/v1/account/messages')).json).toMatchObject({ data: [{ message: one.message }] });
  const fault = [{ field: 'recipient', code: 'recipient_invalid' }];
  const refused = expectProblem(await account.post(REDACTIONS, { recipient: 'x' }), 400, 'recipient_invalid');
  expect(faultsOf(refused)).toEqual(fault);
});

test('an owner chooses fewer days than the operator, and never more', async () => {
  const account = await gateway.account();
  const nothing = { textDays: null, numberDays: null };
  expect((await account.get(RETENTION)).json).toEqual({ ...nothing, own: nothing });
  await setRetention(gateway.database, { textDays: 30 });
  const own = { textDays: 60, numberDays: 90 };
  expect((await account.post(RETENTION, own)).json).toEqual({ textDays: 30, numberDays: 90, own });
  const fewer = { textDays: 3, numberDays: 90 };
  expect((await account.post(RETENTION, { textDays: 3 })).json).toEqual({ ...fewer, own: fewer });
  expect((await account.post(RETENTION, { textDays: null, numberDays: null })).json).toEqual({
    textDays: 30,
    numberDays: null,
    own: nothing,
  });
  for (const wrong of [{ textDays: 0 }, { numberDays: 6 }, { textDays: '3' }, { textDays: 1.5 }]) {
    expectProblem(await account.post(RETENTION, wrong), 400, 'invalid_request');
  }
  expectProblem(await account.post(RETENTION, { rowDays: 9 }), 400, 'unknown_field');
  await setRetention(gateway.database, { textDays: null });
});

test('a test key sees how long the messages of the account are kept, and removes none of them by it', async () => {
  const account = await gateway.account();
  const tester = await account.withKey({ isTest: true });
  expectProblem(await tester.post(RETENTION, { textDays: 1, numberDays: 7 }), 403, 'live_key_required');
  expect((await account.post(RETENTION, { textDays: 9 })).status).toBe(200);
  const kept = { textDays: 9, numberDays: null };
  for (const who of [account, tester]) expect((await who.get(RETENTION)).json).toEqual({ ...kept, own: kept });
});

test('every answer is as the document says', async () => {
  const account = await gateway.account();
  const answers = new DocumentedAnswers((await gateway.http.request('GET', '/openapi.json')).as<Document>());
  answers.expect('get', RETENTION, await account.get(RETENTION));
  answers.expect('post', RETENTION, await account.post(RETENTION, { textDays: 5 }));
  const tester = await account.withKey({ isTest: true });
  answers.expect('post', RETENTION, await tester.post(RETENTION, { textDays: 5 }), 'live_key_required');
  answers.expect('post', REDACTIONS, await account.post(REDACTIONS, { recipient: RECIPIENT }));
  answers.expect('post', REDACTIONS, await account.post(REDACTIONS, { recipient: '1' }), 'recipient_invalid');
  const path = '/v1/message/{messageId}/redact';
  answers.expect('post', path, await account.post(`/v1/message/${await canceled(account)}/redact`, {}));
  answers.expect('post', path, await account.post('/v1/message/x/redact', {}), 'not_found');
});
