import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { parseMicros } from '#billing';
import { importTariff } from '#persistence';
import type { SendResult } from '../support/contract.js';
import { eventually } from '../support/eventually.js';
import { expectProblem } from '../support/expect-problem.js';
import { RECIPIENT, type TestAccount, TestGateway } from '../support/gateway.js';

let gateway: TestGateway;
let account: TestAccount;
beforeAll(async () => {
  gateway = await TestGateway.start();
  account = await gateway.account({ deposit: '1000' });
});
afterAll(() => gateway.close());

const GOOD = { recipient: RECIPIENT, message: 'hi' };
let keys = 0;
const freshKey = () => ({ 'Idempotency-Key': `key-${keys++}` });

describe('Idempotency-Key', () => {
  test('a repeat of a send answers the same status and body, says so, and charges nothing', async () => {
    const key = freshKey();
    const first = await account.send(GOOD, key);
    const standing = await account.standing();
    const second = await account.send(GOOD, key);
    expect(first.headers['idempotent-replayed']).toBeUndefined();
    expect(second.headers['idempotent-replayed']).toBe('true');
    expect([second.status, second.text]).toEqual([first.status, first.text]);
    expect(await account.standing()).toEqual(standing);
  });

  test('a repeat of a batch does likewise', async () => {
    const key = freshKey();
    const batch = [
      GOOD,
      { recipient: '+33612345678', message: 'free' },
      { recipient: '+1 202 555 0100', message: 'x'.repeat(200) },
    ];
    const first = await account.sendBatch(batch, key);
    const standing = await account.standing();
    const second = await account.sendBatch(batch, key);
    expect(second.headers['idempotent-replayed']).toBe('true');
    expect([second.status, second.text]).toEqual([201, first.text]);
    expect(await account.standing()).toEqual(standing);
  });

  test('a repeat answers the same body when the numbers were redacted meanwhile', async () => {
    const key = freshKey();
    const batch = [GOOD, { recipient: '0046 700 100 202', message: 'hi' }];
    const first = await account.sendBatch(batch, key);
    await account.request('POST', `/v1/message/batch/${first.as<{ batchId: string }>().batchId}/cancel`);
    const { status } = await account.request('POST', '/v1/account/redactions', {
      body: JSON.stringify({ recipient: '+46700100202' }),
      headers: { 'Content-Type': 'application/json' },
    });
    expect(status).toBe(200);
    expect((await account.sendBatch(batch, key)).text).toBe(first.text);
  });

  test('without a key a repeat is another message', async () => {
    const [one, two] = [await account.send(GOOD), await account.send(GOOD)];
    expect(one.as<SendResult>().messageId).not.toBe(two.as<SendResult>().messageId);
  });

  test('formatting and the order of fields make no difference', async () => {
    const key = freshKey();
    const first = await account.send(GOOD, key);
    const body = `{ "message" : "h\\u0069", "recipient" : "${RECIPIENT}" }`;
    const headers = { ...key, 'Content-Type': 'application/json' };
    expect((await account.request('POST', '/v1/message/send', { body, headers })).text).toBe(first.text);
  });

  test('an option that is false is one that is left out', async () => {
    const key = freshKey();
    const first = await account.send(GOOD, key);
    const again = await account.send({ ...GOOD, smartEncoding: false, uniqueReference: false }, key);
    expect([again.status, again.text]).toEqual([201, first.text]);
    expectProblem(await account.send({ ...GOOD, smartEncoding: true }, key), 422, 'idempotency_key_reused');
  });

  test.each([
    ['another text', { ...GOOD, message: 'ho' }],
    ['another recipient', { ...GOOD, recipient: '+46700100201' }],
    ['the same number written otherwise', { ...GOOD, recipient: '0046700100200' }],
  ])('the key with %s is refused', async (_what, other) => {
    const key = freshKey();
    const first = await account.send(GOOD, key);
    const standing = await account.standing();
    expectProblem(await account.send(other, key), 422, 'idempotency_key_reused');
    expect(await account.standing()).toEqual(standing);
    expect((await account.send(GOOD, key)).text).toBe(first.text);
  });

  test('the key of a send is refused on a batch of the same message, and the other way round', async () => {
    const key = freshKey();
    await account.send(GOOD, key);
    expectProblem(await account.sendBatch([GOOD], key), 422, 'idempotency_key_reused');
    const batchKey = freshKey();
    await account.sendBatch([GOOD], batchKey);
    expectProblem(await account.send(GOOD, batchKey), 422, 'idempotency_key_reused');
  });

  test('a batch in another order is another payload', async () => {
    const key = freshKey();
    const other = { ...GOOD, message: 'ho' };
    await account.sendBatch([GOOD, other], key);
    expectProblem(await account.sendBatch([other, GOOD], key), 422, 'idempotency_key_reused');
  });

  test.each([
    ['empty', ''],
    ['of 256 characters', 'k'.repeat(256)],
    ['with a letter outside ASCII', 'cl\xe9'],
    ['with a tab', 'a\tb'],
  ])('a key that is %s answers 400', async (_what, key) => {
    expectProblem(await account.send(GOOD, { 'Idempotency-Key': key }), 400, 'idempotency_key_invalid');
    expectProblem(await account.sendBatch([GOOD], { 'Idempotency-Key': key }), 400, 'idempotency_key_invalid');
  });

  test('a key in several lines is refused: Node would make another key of them', async () => {
    const { 'Idempotency-Key': key } = freshKey();
    const twice = { 'Idempotency-Key': [key, key] };
    await account.send(GOOD, { 'Idempotency-Key': key });
    const standing = await account.standing();
    const [send, batch] = ['/v1/message/send', '/v1/message/send-batch'];
    for (const reply of [
      await account.request('POST', send, { json: GOOD, headers: twice }),
      await account.request('POST', batch, { json: { messages: [GOOD] }, headers: twice }),
    ]) {
      expectProblem(reply, 400, 'idempotency_key_invalid');
    }
    expect(await account.standing()).toEqual(standing);
  });

  test.each([
    ['one character', '!'],
    ['255 characters', '~'.repeat(255)],
    ['punctuation and spaces', `"order" 4711; a=b, c\\d {'e'}`],
  ])('a key may be %s', async (_what, key) => {
    const first = await account.send(GOOD, { 'Idempotency-Key': key });
    expect(first.status).toBe(201);
    expect((await account.send(GOOD, { 'Idempotency-Key': key })).text).toBe(first.text);
  });

  test('only successes are kept: after a top-up the same key buys the message', async () => {
    const poor = await gateway.account({ deposit: '0.01' });
    const key = freshKey();
    expectProblem(await poor.send(GOOD, key), 402, 'insufficient_balance');
    expectProblem(await poor.send({ ...GOOD, message: '' }, key), 400, 'message_empty');
    expectProblem(await poor.send({ ...GOOD, recipient: '+999700100200' }, key), 422, 'no_rate');
    await poor.deposit('1');
    const bought = await poor.send(GOOD, key);
    expect([bought.status, bought.headers['idempotent-replayed']]).toEqual([201, undefined]);
    expect((await poor.send(GOOD, key)).text).toBe(bought.text);
    expect(await poor.standing()).toEqual({ balance: 0.935, messages: 1 });
  });

  test('a replay needs no money, and tells the price of the first time though the tariff has changed', async () => {
    const rates = (price: string) => [{ prefix: '46', price: parseMicros(price) }];
    await importTariff(gateway.database, { name: 'changing', currency: 'EUR', rates: rates('0.1') });
    const poor = await gateway.account({ deposit: '0.1', tariff: 'changing' });
    const key = freshKey();
    const first = await poor.send(GOOD, key);
    await importTariff(gateway.database, { name: 'changing', currency: 'EUR', rates: rates('0.2') });
    const second = await poor.send(GOOD, key);
    expect([second.status, second.text]).toEqual([201, first.text]);
    expect(second.text).toContain('"balanceDeduction":"0.1"');
  });

  test('a replay is answered although the destination has left the tariff; another payload is not', async () => {
    const rates = (prefix: string) => [{ prefix, price: parseMicros('0.1') }];
    await importTariff(gateway.database, { name: 'leaving', currency: 'EUR', rates: rates('46') });
    const sender = await gateway.account({ tariff: 'leaving' });
    const key = freshKey();
    const first = await sender.send(GOOD, key);
    await importTariff(gateway.database, { name: 'leaving', currency: 'EUR', rates: rates('1') });
    const noRate = () => sender.send({ ...GOOD, message: 'other' }, key);
    await eventually(async () => expectProblem(await noRate(), 422, 'no_rate'));
    const second = await sender.send(GOOD, key);
    expect([second.status, second.text]).toEqual([201, first.text]);
    expect(second.headers['idempotent-replayed']).toBe('true');
  });

  test('a key belongs to one account', async () => {
    const other = await gateway.account();
    const key = freshKey();
    const mine = (await account.send(GOOD, key)).as<SendResult>();
    const theirs = await other.send({ ...GOOD, message: 'other payload' }, key);
    expect(theirs.status).toBe(201);
    expect(theirs.as<SendResult>().messageId).not.toBe(mine.messageId);
  });

  test('it holds for every key of the account and at every gateway, also one that takes smaller batches', async () => {
    const second = await TestGateway.start({ beside: gateway, settings: { BATCH_MESSAGES_MAX: '2' } });
    try {
      const key = freshKey();
      const first = await account.send(GOOD, key);
      const headers = { 'X-Authorization': (await account.anotherKey()).apiKey, ...key };
      const again = await second.http.request('POST', '/v1/message/send', { json: GOOD, headers });
      expect(again.text).toBe(first.text);
      expect(again.headers['idempotent-replayed']).toBe('true');
      const messages = [{ ...GOOD, message: 'a “quote”', smartEncoding: true }, GOOD, GOOD];
      const batchKey = freshKey();
      const batch = await account.sendBatch(messages, batchKey);
      const batchThere = (own: object) =>
        second.http.request('POST', '/v1/message/send-batch', { json: { messages }, headers: { ...headers, ...own } });
      expect((await batchThere(batchKey)).text).toBe(batch.text);
      expectProblem(await batchThere(freshKey()), 400, 'batch_too_large');
    } finally {
      await second.close();
    }
  });

  test('100 twins at once are one charge and 100 equal answers', async () => {
    const twin = await gateway.account({ deposit: '1' });
    const key = freshKey();
    const replies = await Promise.all(Array.from({ length: 100 }, () => twin.send(GOOD, key)));
    expect(new Set(replies.map(({ status, text }) => `${status} ${text}`)).size).toBe(1);
    expect(replies[0]?.status).toBe(201);
    expect(replies.filter(({ headers }) => headers['idempotent-replayed'] === undefined)).toHaveLength(1);
    expect(await twin.standing()).toEqual({ balance: 0.925, messages: 1 });
  });

  test('of 60 at once with one key and two payloads one payload wins whole', async () => {
    const twin = await gateway.account({ deposit: '1' });
    const key = freshKey();
    const replies = await Promise.all(
      Array.from({ length: 60 }, (_, n) => twin.send({ ...GOOD, message: `text ${n % 2}` }, key)),
    );
    const won = replies.filter(({ status }) => status === 201);
    expect(won).toHaveLength(30);
    expect(new Set(won.map(({ text }) => text)).size).toBe(1);
    for (const reply of replies) if (reply.status !== 201) expectProblem(reply, 422, 'idempotency_key_reused');
    expect(await twin.standing()).toEqual({ balance: 0.925, messages: 1 });
  });

  test('is ignored by a quote', async () => {
    expect((await account.post('/v1/message/quote', GOOD, { 'Idempotency-Key': '' })).status).toBe(200);
  });
});
