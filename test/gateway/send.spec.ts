import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { changeAccount, importTariff } from '#persistence';
import { type MessageOrderList, type SendResult, UUID } from '../support/contract.js';
import { eventually } from '../support/eventually.js';
import { RECIPIENT, type TestAccount, TestGateway } from '../support/gateway.js';

let gateway: TestGateway;
let account: TestAccount;
beforeAll(async () => {
  gateway = await TestGateway.start();
  account = await gateway.account({ deposit: '1000' });
});
afterAll(() => gateway.close());

async function lastOrder() {
  const [order] = (await account.get('/v1/account/messages?limit=1')).as<MessageOrderList>().data;
  return order;
}

describe('POST /v1/message/send', () => {
  test('answers 201 with exactly the fields of the contract', async () => {
    const reply = await account.send({ recipient: RECIPIENT, message: 'Your code is 4711' });
    expect(reply.status).toBe(201);
    expect(reply.headers['content-type']).toBe('application/json; charset=utf-8');
    expect(reply.json).toStrictEqual({
      success: true,
      messageId: expect.stringMatching(UUID),
      balanceDeduction: '0.075',
      currency: 'EUR',
    });
  });

  test('the price is taken from the balance, and the order can be read at once', async () => {
    const before = await account.standing();
    const sent = (await account.send({ recipient: '+49 170 1234567', message: 'hello' })).as<SendResult>();
    expect(sent.balanceDeduction).toBe('0.0174');
    const after = await account.standing();
    expect(after.messages).toBe(before.messages + 1);
    expect(after.balance).toBeCloseTo(before.balance - 0.0174, 9);
    expect(await lastOrder()).toMatchObject({
      message_uuid: sent.messageId,
      external_status: 'queued',
      amount: 0.0174,
    });
  });

  test.each([
    ['E.164 with plus', '+46700100200'],
    ['00 in front', '0046700100200'],
    ['bare digits', '46700100200'],
    ['spaces', '+46 70 010 02 00'],
    ['dots', '46.70.010.02.00'],
    ['dashes', '+46-70-010-02-00'],
    ['parentheses', '+46 (70) 0100200'],
    ['all separators together', ' 00 (46) 70-010.02.00 '],
    ['7 digits', '+4670010'],
    ['15 digits', '+467001002003004'],
  ])('a recipient written with %s is taken and echoed as it was written', async (_form, recipient) => {
    const reply = await account.send({ recipient, message: 'hello' });
    expect(reply.status).toBe(201);
    expect(reply.as<SendResult>().balanceDeduction).toBe('0.075');
    expect((await lastOrder())?.recipient).toBe(recipient);
  });

  test('every form of a number is priced as the same number, by its longest prefix', async () => {
    for (const recipient of ['+1 242 555 0100', '0012425550100', '12425550100']) {
      expect((await account.send({ recipient, message: 'hi' })).as<SendResult>().balanceDeduction).toBe('0.000001');
    }
    expect((await account.send({ recipient: '+12025550100', message: 'hi' })).as<SendResult>().balanceDeduction).toBe(
      '0.01',
    );
  });

  test.each([
    ['160 standard characters', 'x'.repeat(160), '0.075'],
    ['161 standard characters', 'x'.repeat(161), '0.15'],
    ['306 standard characters', 'x'.repeat(306), '0.15'],
    ['307 standard characters', 'x'.repeat(307), '0.225'],
    ['39,015 standard characters', 'x'.repeat(39_015), '19.125'],
    ['70 extended units', 'é'.repeat(70), '0.075'],
    ['71 extended units', 'é'.repeat(71), '0.15'],
    ['126 extended units', 'é'.repeat(126), '0.15'],
    ['127 extended units', 'é'.repeat(127), '0.225'],
    ['16,065 extended units', 'é'.repeat(16_065), '19.125'],
    ['a brace, which is outside the standard set, and 70 more', `{${'x'.repeat(70)}`, '0.15'],
  ])('%s are charged by the segment and stored to the letter', async (_length, message, price) => {
    const reply = await account.send({ recipient: RECIPIENT, message });
    expect(reply.as<SendResult>().balanceDeduction).toBe(price);
    const order = await lastOrder();
    expect(order?.message === message).toBe(true);
    expect(order?.amount).toBe(Number(price));
  });

  test('white space, case, line ends and emoji of a text are kept', async () => {
    const message = '  Ünïcode \r\n two  spaces 👍🏽 \n';
    await account.send({ recipient: RECIPIENT, message });
    expect((await lastOrder())?.message).toBe(message);
  });

  test('a message may be free', async () => {
    const before = await account.standing();
    const reply = await account.send({ recipient: '+33612345678', message: 'free of charge' });
    expect(reply.as<SendResult>().balanceDeduction).toBe('0');
    expect(await account.standing()).toEqual({ balance: before.balance, messages: before.messages + 1 });
  });

  test.each([
    ['a charset', 'application/json; charset=utf-8'],
    ['another case', 'Application/JSON'],
  ])('the content type may have %s', async (_what, contentType) => {
    const reply = await account.post(
      '/v1/message/send',
      { recipient: RECIPIENT, message: 'hi' },
      { 'Content-Type': contentType },
    );
    expect(reply.status).toBe(201);
  });

  test('a body may come in chunks, and with a byte order mark', async () => {
    const body = `\ufeff{"recipient":"${RECIPIENT}","message":"hi"}`;
    const headers = { 'Content-Type': 'application/json' };
    expect((await account.request('POST', '/v1/message/send', { body, headers, chunked: true })).status).toBe(201);
  });

  test('the request id of the client comes back when it is plain; otherwise there is a new one', async () => {
    const body = { recipient: RECIPIENT, message: 'hi' };
    expect((await account.send(body, { 'X-Request-Id': 'order-4711' })).headers['x-request-id']).toBe('order-4711');
    for (const strange of ['with space', 'x'.repeat(129), '<script>']) {
      expect((await account.send(body, { 'X-Request-Id': strange })).headers['x-request-id']).toMatch(UUID);
    }
    expect((await account.send(body)).headers['x-request-id']).toMatch(UUID);
  });

  test('an account in another currency pays by its own tariff', async () => {
    const dollars = await gateway.account({ currency: 'USD' });
    expect((await dollars.send({ recipient: RECIPIENT, message: 'hi' })).json).toMatchObject({
      balanceDeduction: '0.08',
      currency: 'USD',
    });
  });
});

test('a send costs what the quote says, before, while and after a planned price begins', async () => {
  const tariff = (price: bigint) => ({ name: 'planned', currency: 'EUR', rates: [{ prefix: '4', price }] });
  const own = await gateway.account({ deposit: '1000' });
  await importTariff(gateway.database, tariff(50_000n));
  await changeAccount(gateway.database, own.accountId, { tariff: 'planned' });
  const message = { recipient: RECIPIENT, message: 'Hello' };
  const quoted = async () => (await own.post('/v1/message/quote', message)).as<{ price: number }>().price;
  await eventually(async () => expect(await quoted()).toBe(0.05));
  await importTariff(gateway.database, { ...tariff(60_000n), validFrom: new Date(Date.now() + 3_000) });
  const strange: unknown[] = [];
  await eventually(async () => {
    const before = await quoted();
    const charged = Number((await own.send(message)).as<SendResult>().balanceDeduction);
    const after = await quoted();
    if (charged < before || charged > after || before > after) strange.push({ before, charged, after });
    return before === 0.06;
  });
  expect(strange).toEqual([]);
});
