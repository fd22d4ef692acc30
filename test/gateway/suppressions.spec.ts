import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { listOperatorChanges, setGuards } from '#persistence';
import { CODES_OF_GUARDS, DocumentedAnswers } from '../support/documented-answers.js';
import { expectProblem, faultsOf } from '../support/expect-problem.js';
import { RECIPIENT, TestGateway } from '../support/gateway.js';
import type { Document } from '../support/openapi.js';

const LIST = '/v1/account/suppressions';
const one = { recipient: RECIPIENT, message: 'hi' };
let gateway: TestGateway;
beforeAll(async () => {
  gateway = await TestGateway.start();
});
afterAll(() => gateway.close());

test('an owner puts a number on the list, finds it there and takes it off', async () => {
  const account = await gateway.account();
  const added = await account.post(LIST, { recipient: '0046 700 100 200', reason: 'letter' });
  expect([added.status, added.json]).toEqual([200, { success: true, added: true, canceledMessages: 0 }]);
  expect((await account.post(LIST, { recipient: RECIPIENT })).json).toMatchObject({ added: false });
  expectProblem(await account.send(one), 422, 'recipient_opted_out');
  const listed = await account.get(LIST);
  expect(listed.json).toMatchObject({ data: [{ source: 'client', reason: 'letter' }], pagination: { total: 1 } });
  expect(listed.text).not.toContain('700100200');
  const found = await account.get(`${LIST}?recipient=${encodeURIComponent(RECIPIENT)}`);
  expect(found.json).toMatchObject({ data: [{ source: 'client' }], pagination: { total: 1 } });
  expect((await account.get(`${LIST}?recipient=46700100201`)).json).toMatchObject({ data: [] });
  const remove = () => account.request('DELETE', `${LIST}/${encodeURIComponent(RECIPIENT)}`);
  expect([(await remove()).json, (await remove()).json]).toEqual([
    { success: true, removed: true },
    { success: true, removed: false },
  ]);
  expect((await account.send(one)).status).toBe(201);
  const changes = await listOperatorChanges(
    gateway.database,
    { accountId: account.accountId, subject: 'suppression' },
    9,
  );
  expect(changes.map(({ action, operator }) => [action, operator])).toEqual([
    ['delete', `API key ${account.keyId}`],
    ['insert', `API key ${account.keyId}`],
  ]);
});

test('what is no number is refused, with the field', async () => {
  const account = await gateway.account();
  const fault = [{ field: 'recipient', code: 'recipient_invalid' }];
  const answers = [
    await account.post(LIST, { recipient: 'x' }),
    await account.get(`${LIST}?recipient=x`),
    await account.request('DELETE', `${LIST}/x`),
  ];
  for (const answer of answers) expect(faultsOf(expectProblem(answer, 400, 'recipient_invalid'))).toEqual(fault);
  for (const reason of ['', 'x'.repeat(201), 'a\u0000', 'a\nb', 'a\ud83d', 7]) {
    const refused = await account.post(LIST, { recipient: RECIPIENT, reason });
    expect(faultsOf(expectProblem(refused, 400, 'invalid_request'))).toMatchObject([{ field: 'reason' }]);
  }
  expectProblem(await account.post(LIST, { recipient: RECIPIENT, number: '1' }), 400, 'unknown_field');
});

test('an owner sees the guards of the account and cannot change them', async () => {
  const account = await gateway.account();
  expect((await account.get('/v1/account/guards')).json).toMatchObject({ countries: null, spendDayMax: null });
  await setGuards(gateway.database, account.accountId, { countries: ['GB'], spendDayMax: '10', rangeHourMax: 200 });
  expect((await account.get('/v1/account/guards')).json).toEqual({
    countries: ['GB'],
    priceMax: null,
    spendDayMax: 10,
    spendMonthMax: null,
    recipientHourMax: null,
    rangeHourMax: 200,
    rangeDigits: 4,
    currency: 'EUR',
  });
  expectProblem(await account.post('/v1/account/guards', { countries: null }), 405, 'method_not_allowed');
});

test('every answer is as the document says', async () => {
  const account = await gateway.account();
  const answers = new DocumentedAnswers((await gateway.http.request('GET', '/openapi.json')).as<Document>());
  const [send, batch] = ['/v1/message/send', '/v1/message/send-batch'];
  const toUs = { recipient: '+14155550100', message: 'hi' };
  answers.expect('get', '/v1/account/guards', await account.get('/v1/account/guards'));
  await setGuards(gateway.database, account.accountId, {
    countries: ['SE', 'US'],
    spendDayMax: '0.1',
    recipientHourMax: 1,
  });
  answers.expect('get', '/v1/account/guards', await account.get('/v1/account/guards'));
  const blocked = { ...one, recipient: '+4915112345678' };
  answers.expect('post', send, await account.send(blocked), 'destination_blocked');
  answers.expect('post', '/v1/message/quote', await account.post('/v1/message/quote', blocked), 'destination_blocked');
  answers.expect('post', send, await account.send(one));
  answers.expect('post', send, await account.send(one), 'velocity_limit');
  answers.expect('post', batch, await account.sendBatch([toUs, toUs]), 'velocity_limit');
  answers.expect('post', send, await account.send({ ...one, recipient: '+46700100201' }), 'spend_limit');
  answers.expect('post', LIST, await account.post(LIST, { recipient: toUs.recipient }));
  answers.expect('post', batch, await account.sendBatch([toUs]), 'recipient_opted_out');
  answers.expect('get', LIST, await account.get(LIST));
  const itsPath = `${LIST}/${encodeURIComponent(toUs.recipient)}`;
  answers.expect('delete', `${LIST}/{recipient}`, await account.request('DELETE', itsPath));
  const keyless = await TestGateway.start({ beside: gateway, settings: { SECRETS_KEY: '' } });
  answers.expect(
    'post',
    LIST,
    await account.at(keyless).post(LIST, { recipient: RECIPIENT }),
    'suppressions_unavailable',
  );
  answers.expect('post', send, await account.at(keyless).send(toUs), 'suppressions_unavailable');
  answers.expect('post', batch, await account.at(keyless).sendBatch([toUs]), 'suppressions_unavailable');
  const other = await gateway.account();
  const key = { 'Idempotency-Key': 'from before the number opted out' };
  const first = await other.send(one, key);
  await other.post(LIST, { recipient: RECIPIENT });
  const repeat = await other.at(keyless).send(one, key);
  expect([repeat.status, repeat.text]).toEqual([201, first.text]);
  await keyless.close();
  expect([...answers.met].sort()).toEqual([...CODES_OF_GUARDS].sort());
});
