import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { callbackSignature } from '#carrier';
import { addCarrier, changeAccount, changeCarrier, findAccount, storeInbound } from '#persistence';
import { callbackCarrier, CALLBACK_TOKEN as TOKEN } from '../support/callback-carrier.js';
import type { Pagination } from '../support/contract.js';
import { eventually } from '../support/eventually.js';
import { expectProblem, faultsOf } from '../support/expect-problem.js';
import { type TestAccount, TestGateway } from '../support/gateway.js';
import { inboundDelivery } from '../support/inbound.js';
import { isSuppressed } from '../support/is-suppressed.js';
import { operatorApi } from '../support/operator-api.js';

const PUBLIC_URL = 'https://sms.example.org';
const NUMBER = '46768000111';

interface Inbound {
  readonly inboundId: string;
  readonly sender: string;
  readonly recipient: string;
  readonly message: string;
  readonly keyword: string | null;
  readonly inReplyTo: string | null;
}
interface List {
  readonly data: readonly Inbound[];
  readonly pagination: Pagination & { readonly next: string | null; readonly total_is_capped: boolean };
}

let gateway: TestGateway;
let account: TestAccount;
let stranger: TestAccount;
beforeAll(async () => {
  gateway = await TestGateway.start();
  account = await gateway.account();
  stranger = await gateway.account();
  await changeAccount(gateway.database, account.accountId, { sender: `+${NUMBER}` });
  const { carrierId } = await addCarrier(gateway.database, callbackCarrier(PUBLIC_URL));
  const carrier = { carrierId, sender: 'Heliograph', isSenderFixed: false };
  for (let n = 1; n <= 25; n += 1) {
    const source = n % 5 === 0 ? '46700100205' : '46700100201';
    const text = n === 20 ? 'STOP' : `answer ${n}`;
    await storeInbound(gateway.database, carrier, [inboundDelivery({ source, destination: NUMBER, text })]);
  }
});
afterAll(() => gateway.close());

const list = async (query = '', of = account) => (await of.get(`/v1/message/inbound${query}`)).as<List>();
const textsOf = ({ data }: List) => data.map(({ message }) => message);
const newest = (from: number, to: number) =>
  Array.from({ length: from - to + 1 }, (_, index) => (from - index === 20 ? 'STOP' : `answer ${from - index}`));

describe('GET /v1/message/inbound', () => {
  test('lists what handsets sent to the account, newest first, and nothing of others', async () => {
    const found = await list();
    expect(textsOf(found)).toEqual(newest(25, 6));
    expect(found.data[5]).toEqual({
      inboundId: expect.any(String),
      sender: '46700100205',
      recipient: NUMBER,
      message: 'STOP',
      keyword: 'stop',
      inReplyTo: null,
      parts: 1,
      missingParts: 0,
      receivedAt: expect.any(String),
    });
    expect(found.pagination).toMatchObject({ page: 1, limit: 20, total: 25, total_pages: 2, total_is_capped: false });
    expect(await list('', stranger)).toMatchObject({ data: [], pagination: { total: 0, next: null } });
  });

  test('goes on by page and by cursor, with and without filters', async () => {
    expect(textsOf(await list('?page=2'))).toEqual(newest(5, 1));
    const first = await list('?limit=10&sender=46700100201');
    expect(first.pagination).toMatchObject({ total: 20, total_pages: 2 });
    const second = await list(`?limit=10&sender=%2B46700100201&cursor=${first.pagination.next}`);
    expect([...textsOf(first), ...textsOf(second)]).toEqual(
      newest(25, 1).filter((text) => text !== 'STOP' && Number(text.split(' ')[1]) % 5 !== 0),
    );
    expect(second.pagination).toMatchObject({ page: 2, total: 20, next: null });
    expect(textsOf(await list('?page=3&limit=20'))).toEqual([]);
  });

  test.each([
    ['keyword=stop', ['STOP']],
    ['keyword=start', []],
    ['recipient=46768000112', []],
    [`recipient=%2B${NUMBER}&sender=46700100205&limit=2`, ['answer 25', 'STOP']],
    ['to=2020-01-01', []],
    ['from=2020-01-01&limit=1', ['answer 25']],
  ])('finds by %s', async (query, texts) => {
    expect(textsOf(await list(`?${query}`))).toEqual(texts);
  });

  test('a page of a large inbox ends after 5,000 messages, and says where the rest begins', async () => {
    const owner = await gateway.account();
    await gateway.database.query(
      `with box as (insert into inbox values ($1, 6000)), any_carrier as (select min(carrier_id) as id from carrier)
       insert into inbound_message (inbound_id, account_id, number, carrier_id, source, destination, message, parts, keyword)
       select gen_random_uuid(), $1, n, any_carrier.id, '46700100200', $2, 'answer ' || n, 1,
              case when n in (500, 2000) then 'stop' when n in (600, 3000, 4000) then 'help' end
         from any_carrier, generate_series(1, 6000) n`,
      [owner.accountId, NUMBER],
    );
    const newest = await list('?keyword=stop', owner);
    expect(textsOf(newest)).toEqual(['answer 2000']);
    expect(newest.pagination).toMatchObject({ total: 1, total_is_capped: true, next: expect.any(String) });
    const rest = await list(`?keyword=stop&cursor=${newest.pagination.next}`, owner);
    expect(textsOf(rest)).toEqual(['answer 500']);
    expect(rest.pagination).toMatchObject({ page: 2, next: null });
    // A page that is full by the messages that were examined.
    const full = await list('?keyword=help&limit=1', owner);
    expect(textsOf(full)).toEqual(['answer 4000']);
    expect(full.pagination).toMatchObject({ total: 2, total_is_capped: true, next: expect.any(String) });
    expect((await list('?from=2020-01-01', owner)).pagination).toMatchObject({ total: 1_000, total_is_capped: true });
  });

  test('names what a query has wrong', async () => {
    const reply = await account.get('/v1/message/inbound?keyword=halt&from=soon&sendr=1&limit=0');
    const problem = expectProblem(reply, 400, 'invalid_request');
    expect(
      faultsOf(problem)
        .map(({ field }) => field)
        .sort(),
    ).toEqual(['from', 'keyword', 'limit', 'sendr']);
    expectProblem(await account.get('/v1/message/inbound?cursor=abc'), 400, 'invalid_request');
  });

  test('needs a key that may read', async () => {
    const sender = await account.withKey({ scopes: ['send'] });
    expectProblem(await sender.get('/v1/message/inbound'), 403, 'insufficient_scope');
    expect((await (await account.withKey({ scopes: ['read'] })).get('/v1/message/inbound')).status).toBe(200);
  });
});

test('the lists of operators name the accounts of their rows, also those of test messages', async () => {
  const operator = operatorApi(gateway);
  const { accountId } = account;
  const { name: accountName } = await findAccount(gateway.database, accountId);
  const tests = await account.withKey({ isTest: true });
  expect((await tests.send({ recipient: '+46700100299', message: 'Hello' })).status).toBe(201);
  expect((await operator.put('/api/numbers/46768000112', { accountId })).status).toBe(200);
  const first = async (path: string) => {
    const { json } = await operator.get(path);
    return (Array.isArray(json) ? json : (json as { data: readonly object[] }).data)[0];
  };
  const lists = ['inbound?', 'numbers?', 'messages?test=true&', 'audit-log?'];
  for (const path of lists) {
    expect([path, await first(`/api/${path}account=${accountId}`)]).toMatchObject([path, { accountId, accountName }]);
  }
  operator.close();
});

test('the audit log says which operator has read texts', async () => {
  const operator = operatorApi(gateway);
  const read = await operator.get(`/api/inbound?account=${account.accountId}&limit=1&texts=true`);
  expect(read.json).toMatchObject({ data: [{ message: 'answer 25' }] });
  expect((await operator.get('/api/audit-log?subject=inbound_message')).json).toMatchObject({
    data: [
      {
        operator: expect.stringMatching(/^spec \(token /),
        actor: { apiClient: '127.0.0.1', command: 'GET /api/inbound' },
        action: 'read text',
      },
    ],
  });
  operator.close();
});

describe('the inbound callback of an HTTP carrier', () => {
  function call(fields: Record<string, string>, { token = TOKEN, path = 'inbound' } = {}) {
    const form = new URLSearchParams({ From: '+46700100300', To: `+${NUMBER}`, Body: 'Hello', ...fields });
    return gateway.http.request('POST', `/carriers/acme/${path}`, {
      body: form.toString(),
      headers: {
        'Content-Type': 'application/x-www-form-urlencoded',
        'X-Twilio-Signature': callbackSignature(`${PUBLIC_URL}/carriers/acme/inbound`, form, token),
      },
    });
  }

  test('is stored before it is answered, once however often it comes', async () => {
    const fields = { MessageSid: 'SM1', Body: 'Hej – 😀' };
    expect((await call(fields)).status).toBe(204);
    expect((await call({ ...fields, NumMedia: '0' })).status).toBe(204);
    expect(await list('?sender=46700100300')).toMatchObject({
      data: [{ sender: '46700100300', recipient: NUMBER, message: 'Hej – 😀' }],
      pagination: { total: 1 },
    });
  });

  test('with STOP puts the number on the list of the account', async () => {
    expect((await call({ MessageSid: 'SM2', From: '+46700100301', Body: 'Stop' })).status).toBe(204);
    expect(await isSuppressed(gateway.database, account.accountId, '46700100301')).toBe(true);
  });

  test('with STOP of a national number puts the international one on the list, if the carrier has a calling code', async () => {
    await changeCarrier(gateway.database, 'acme', { options: { callbackUrl: PUBLIC_URL, callingCode: '46' } });
    const stop = async (id: string) =>
      (await call({ MessageSid: id, From: '0700100302', To: `0${NUMBER.slice(2)}`, Body: 'Stop' })).status;
    // The gateway reads the changed carrier soon.
    await eventually(async () => {
      expect(await stop(`SM-${Math.random()}`)).toBe(204);
      expect(await isSuppressed(gateway.database, account.accountId, '46700100302')).toBe(true);
    });
  });

  test('is refused unless the provider has signed it for this address', async () => {
    expectProblem(await call({ MessageSid: 'SM3' }, { token: 'guessed' }), 403, 'signature_invalid');
    expectProblem(await call({ MessageSid: 'SM3' }, { path: 'status' }), 403, 'signature_invalid');
    expectProblem(await call({ MessageSid: '' }), 400, 'invalid_request');
    expect(textsOf(await list('?sender=46700100300'))).toHaveLength(1);
  });
});
