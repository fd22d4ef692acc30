import { inspect } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { Heliograph, type MessageOrder } from '#client';
import { RECIPIENT, type TestAccount, TestGateway } from '../support/gateway.js';
import type { Document } from '../support/openapi.js';
import { HeardFetch } from './heard-fetch.js';

let gateway: TestGateway;
let account: TestAccount;
let client: Heliograph;
const heard = new HeardFetch();

beforeAll(async () => {
  gateway = await TestGateway.start();
  account = await gateway.account({ deposit: '1000' });
  client = new Heliograph({ baseUrl: gateway.url, apiKey: account.apiKey, fetch: heard.fetch });
});
afterAll(() => gateway.close());

async function all<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const found: Item[] = [];
  for await (const item of items) found.push(item);
  return found;
}

async function text(parts: AsyncIterable<Uint8Array>): Promise<string> {
  return Buffer.concat(await all(parts)).toString();
}

const batchOf = (count: number, tag: string) => ({
  messages: Array.from({ length: count }, (_, index) => ({ recipient: RECIPIENT, message: `${tag} ${index}` })),
  tag,
});

describe('messages', () => {
  test('a send is answered as the API answers it, and the message can be read', async () => {
    const sent = await client.messages.send({ recipient: RECIPIENT, message: 'Hi', reference: 'order-1' });
    expect(sent).toMatchObject({ success: true, balanceDeduction: '0.075', currency: 'EUR', reference: 'order-1' });
    const message = await client.messages.get(sent.messageId);
    expect(message).toMatchObject({ messageId: sent.messageId, status: 'queued', recipient: RECIPIENT, message: 'Hi' });
  });

  test('a batch is answered with one entry for each message', async () => {
    const { orderSummary, balanceDeduction } = await client.messages.sendBatch(batchOf(3, 'three'));
    expect(orderSummary.map(({ arrayPosition, tag }) => [arrayPosition, tag])).toEqual([
      [0, 'three'],
      [1, 'three'],
      [2, 'three'],
    ]);
    expect(balanceDeduction).toBe('0.225');
  });

  test('a message and a batch are sent later, and canceled: nothing is charged', async () => {
    const { balance } = await client.account.balance();
    const sendAt = new Date(Date.now() + 3_600_000).toISOString();
    const sent = await client.messages.send({ recipient: RECIPIENT, message: 'Hi', sendAt, maxPrice: 1 });
    expect((await client.messages.get(sent.messageId)).status).toBe('scheduled');
    const canceled = await client.messages.cancel(sent.messageId);
    expect([canceled.status, canceled.balanceReleased]).toEqual(['canceled', '0.075']);
    const { batchId } = await client.messages.sendBatch({ ...batchOf(2, 'later'), sendAt });
    expect(await client.messages.getBatch(batchId ?? '')).toMatchObject({ byStatus: { scheduled: 2 }, sendAt });
    const { orderSummary } = await client.messages.cancelBatch(batchId ?? '');
    expect(orderSummary.map(({ status }) => status)).toEqual(['canceled', 'canceled']);
    expect((await client.account.balance()).balance).toBe(balance);
  });

  test('a quote of a message and of a batch charge nothing', async () => {
    const { balance } = await client.account.balance();
    const one = await client.messages.quote({ recipient: RECIPIENT, message: 'a/b' });
    expect([one.encoding, one.offendingCharacters[0]?.character]).toEqual(['extended', '/']);
    const several = await client.messages.quote(batchOf(2, 'quote'));
    expect([several.messages.length, several.price]).toEqual([2, 0.15]);
    expect((await client.account.balance()).balance).toBe(balance);
  });

  test('a list, awaited, is its first page, with the filters that were given', async () => {
    await client.messages.sendBatch(batchOf(2, 'page'));
    const { data, pagination } = await client.messages.list({ tag: 'page', limit: 1 });
    expect(data.map(({ message, tag }) => [message, tag])).toEqual([['page 1', 'page']]);
    expect(pagination).toMatchObject({ page: 1, limit: 1, total: 2 });
  });

  test('a list, iterated, is every message once, also while others are sent', async () => {
    await client.messages.sendBatch(batchOf(250, 'many'));
    const seen: MessageOrder[] = [];
    heard.forget();
    for await (const message of client.messages.list({ tag: 'many' })) {
      if (seen.length % 60 === 0) await client.messages.send({ recipient: RECIPIENT, message: 'late', tag: 'many' });
      seen.push(message);
    }
    const wanted = Array.from({ length: 250 }, (_, index) => `many ${249 - index}`);
    expect(seen.map(({ message }) => message)).toEqual(wanted);
    expect(heard.requests.filter(({ url }) => url.includes('cursor=')).length).toBe(2);
  });

  test('an iteration that is left early asks for no further page', async () => {
    heard.forget();
    for await (const _message of client.messages.list({ limit: 1 })) break;
    expect(heard.requests.length).toBe(1);
  });

  test('iterated from a page on, a list goes on from there', async () => {
    await client.messages.sendBatch(batchOf(5, 'from'));
    const rest = await all(client.messages.list({ tag: 'from', page: 2, limit: 2 }));
    expect(rest.map(({ message }) => message)).toEqual(['from 2', 'from 1', 'from 0']);
  });

  test('an export is the file, and its rows are the messages of the list', async () => {
    await client.messages.sendBatch({
      ...batchOf(3, 'export'),
      messages: [{ recipient: RECIPIENT, message: 'é\n"x"' }],
    });
    const listed = await all(client.messages.list({ tag: 'export' }));
    expect(await all(client.messages.exportRows({ tag: 'export' }))).toEqual(listed);
    const csv = await text(client.messages.export({ tag: 'export', format: 'csv' }));
    expect(csv.split('\r\n')[0]).toContain('message_uuid');
    expect(csv).toContain('"é\n""x"""');
  });
});

describe('money', () => {
  test('summary, balance and usage are those of the account', async () => {
    const own = await gateway.account({ deposit: '5' });
    const its = new Heliograph({ baseUrl: new URL(gateway.url), apiKey: own.apiKey });
    await its.messages.send({ recipient: RECIPIENT, message: 'Hi' });
    expect(await its.account.balance()).toEqual({ balance: 4.925, currency: 'EUR' });
    expect(await its.account.summary()).toMatchObject({ totalDeposits: 5, totalConsumed: 0.075 });
    expect((await its.account.usage()).data).toMatchObject([{ destination: '46', messages: 1, amount: 0.075 }]);
    const { data: months } = await its.account.statements();
    const statement = await its.account.statement(months[0]?.month ?? '');
    expect(statement).toMatchObject({ closing_balance: 4.925, charges: [{ destination: '46', unit_price: 0.075 }] });
    const page = await text(its.account.exportStatement(statement.month, { format: 'html' }));
    expect(page).toContain('Statement of account');
  });

  test('deposits and ledger are iterated and exported', async () => {
    const own = await gateway.account({ deposit: '5' });
    await own.deposit('7', 'USD');
    const its = new Heliograph({ baseUrl: gateway.url, apiKey: own.apiKey });
    const deposits = await all(its.deposits.list({ limit: 1 }));
    expect(deposits.map(({ amount, currency }) => [amount, currency])).toEqual([
      [7, 'USD'],
      [5, 'EUR'],
    ]);
    expect(await all(its.deposits.exportRows())).toEqual(deposits);
    expect((await text(its.deposits.export())).trim().split('\n').length).toBe(3);
    const entries = await all(its.ledger.list({ limit: 1 }));
    expect(entries.map(({ entry, balance_after }) => [entry, balance_after])).toEqual([
      [2, 11.3],
      [1, 5],
    ]);
    expect(await all(its.ledger.exportRows())).toEqual(entries);
    expect((await text(its.ledger.export({ format: 'ndjson' }))).trim().split('\n').length).toBe(2);
  });
});

describe('keys', () => {
  test('are made, listed, renamed, rotated and revoked', async () => {
    const own = await gateway.account();
    const { keys } = new Heliograph({ baseUrl: gateway.url, apiKey: own.apiKey });
    const made = await keys.create({ name: 'shop', scopes: ['send'] });
    const shop = new Heliograph({ baseUrl: gateway.url, apiKey: made.apiKey });
    expect((await shop.messages.send({ recipient: RECIPIENT, message: 'Hi' })).success).toBe(true);
    expect((await keys.rename(made.keyId, { name: 'store' })).name).toBe('store');
    const { apiKey, keyId, replacedKey } = await keys.rotate(made.keyId);
    expect([apiKey.startsWith('hg_'), replacedKey.keyId]).toEqual([true, made.keyId]);
    expect((await keys.revoke(keyId)).status).toBe('revoked');
    expect((await keys.get(keyId)).name).toBe('store');
    const listed = await all(keys.list({ limit: 1 }));
    expect(listed.map((key) => key.keyId)).toEqual([keyId, made.keyId, own.keyId]);
  });
});

test('a client with a test key sets its test balance', async () => {
  const own = await gateway.account();
  const { keys } = new Heliograph({ baseUrl: gateway.url, apiKey: own.apiKey });
  const { apiKey } = await keys.create({ name: 'tests', scopes: ['read', 'manage'], test: true });
  const tester = new Heliograph({ baseUrl: gateway.url, apiKey });
  expect(await tester.account.setTestBalance('25.50')).toEqual({ balance: 25.5, currency: 'EUR', test: true });
  expect((await tester.account.balance()).balance).toBe(25.5);
});

test('an account sets below which balance it is told, reads that, and ends it', async () => {
  const own = await gateway.account();
  const client = new Heliograph({ baseUrl: gateway.url, apiKey: own.apiKey });
  expect(await client.account.balanceAlert()).toEqual({ threshold: null, currency: 'EUR' });
  expect(await client.account.setBalanceAlert('10.00')).toEqual({ threshold: 10, currency: 'EUR' });
  expect(await client.account.balanceAlert()).toEqual({ threshold: 10, currency: 'EUR' });
  expect(await client.account.setBalanceAlert(null)).toEqual({ threshold: null, currency: 'EUR' });
});

describe('webhooks', () => {
  test('are made, listed, changed, disabled, tried, rotated and deleted', async () => {
    const own = await gateway.account();
    const { webhooks } = new Heliograph({ baseUrl: gateway.url, apiKey: own.apiKey });
    const url = 'https://shop.example.com/heliograph';
    const { id, secret } = await webhooks.create({ url, events: ['message.failed'] });
    expect(secret).toMatch(/^whsec_/);
    expect((await webhooks.list()).data.map((webhook) => [webhook.id, webhook.url])).toEqual([[id, url]]);
    expect((await webhooks.change(id, { description: 'shop' })).description).toBe('shop');
    expect((await webhooks.test(id)).eventId).toMatch(/^evt_/);
    expect(await webhooks.replay(id, { from: new Date(Date.now() - 60_000).toISOString() })).toEqual({ eventId: null });
    expect((await webhooks.rotate(id)).secret).not.toBe(secret);
    expect((await webhooks.disable(id)).status).toBe('disabled');
    expect((await webhooks.enable(id, { resume: 'now' })).status).toBe('enabled');
    expect(await all(webhooks.deliveries(id))).toEqual([]);
    expect((await webhooks.get(id)).description).toBe('shop');
    expect(await webhooks.delete(id)).toEqual({ id });
  });
});

describe('the client', () => {
  test('has a method for every endpoint of the API', async () => {
    const { paths } = (await gateway.http.request('GET', '/openapi.json')).as<Document>();
    const described = Object.entries(paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
    );
    const answers = Array.from({ length: described.length * 2 }, () => new Response('{"data":[],"pagination":{}}\n'));
    const asked = new HeardFetch(...answers);
    const its = new Heliograph({ baseUrl: gateway.url, apiKey: account.apiKey, fetch: asked.fetch });
    for (const part of Object.values(its) as object[]) {
      for (const name of Object.getOwnPropertyNames(Object.getPrototypeOf(part))) {
        if (name === 'constructor') continue;
        const answer = (part as Record<string, (...values: unknown[]) => unknown>)[name]?.('ID', {});
        if (answer instanceof Promise) await answer;
        else await all(answer as AsyncIterable<unknown>);
      }
    }
    const met = asked.requests.map(({ method, url }) => `${method} ${new URL(url).pathname}`);
    // A token is for pages in a browser: the client has the key itself.
    const ofPages = (call: string) => call.endsWith(' /v1/console/token');
    const wanted = described.filter((call) => !ofPages(call)).map((call) => call.replaceAll(/\{\w+\}/g, 'ID'));
    expect([...new Set(met)].sort()).toEqual(wanted.sort());
  });

  test('does not show its key where it is printed', () => {
    expect(inspect(client, { depth: 9, showHidden: true })).not.toContain(account.apiKey);
    expect(JSON.stringify(client)).not.toContain(account.apiKey);
  });

  test('refuses options that cannot be right before it sends anything', () => {
    expect(() => new Heliograph({ baseUrl: 'nowhere', apiKey: 'hg_x' })).toThrow(TypeError);
    for (const baseUrl of ['localhost:3000', 'ftp://example.com', 'https://user:password@example.com', 'https://u@x']) {
      expect(() => new Heliograph({ baseUrl, apiKey: 'hg_x' })).toThrow('baseUrl is not an address');
    }
    expect(() => new Heliograph({ baseUrl: gateway.url, apiKey: '' })).toThrow('apiKey is not an API key');
    expect(() => new Heliograph({ baseUrl: gateway.url, apiKey: 'hg_x\n' })).toThrow('apiKey is not an API key');
  });

  test('asks nobody for an id that would lead to another path', async () => {
    const none = new HeardFetch();
    const its = new Heliograph({ baseUrl: gateway.url, apiKey: account.apiKey, fetch: none.fetch });
    for (const id of ['', '.', '..']) {
      await expect(its.webhooks.get(id)).rejects.toThrow(TypeError);
      await expect(its.messages.cancelBatch(id)).rejects.toThrow(TypeError);
      await expect(its.account.unsuppress(id)).rejects.toThrow(TypeError);
    }
    expect(none.requests).toEqual([]);
  });

  test('keeps the path of its baseUrl, with or without a slash at the end', async () => {
    for (const baseUrl of ['https://example.com/sms', 'https://example.com/sms/']) {
      const asked = new HeardFetch(Response.json({}));
      await new Heliograph({ baseUrl, apiKey: 'hg_x', fetch: asked.fetch }).account.balance();
      expect(asked.requests.map(({ url }) => url)).toEqual(['https://example.com/sms/v1/account/balance']);
    }
  });

  test('names itself and the request to the service, and follows no redirect with its key', async () => {
    heard.forget();
    await client.account.balance({ requestId: 'mine-1' });
    const [request] = heard.requests;
    expect(request).toMatchObject({ redirect: 'manual', headers: { 'X-Request-Id': 'mine-1' } });
    expect(request?.headers['User-Agent']).toMatch(/^heliograph-client\/\d/);
  });
});
