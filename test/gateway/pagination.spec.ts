import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { type DepositList, type MessageOrderList, TIMESTAMP, UUID } from '../support/contract.js';
import { expectProblem, faultsOf } from '../support/expect-problem.js';
import { RECIPIENT, type TestAccount, TestGateway } from '../support/gateway.js';

const MESSAGES = 123;
const DEPOSITS = 24;

let gateway: TestGateway;
let account: TestAccount;
beforeAll(async () => {
  gateway = await TestGateway.start();
  account = await gateway.account({ deposit: '100' });
  for (let n = 2; n <= DEPOSITS; n += 1) await account.deposit(`${n}`);
  const numbered = Array.from({ length: MESSAGES }, (_, n) => ({ recipient: RECIPIENT, message: `message ${n + 1}` }));
  await account.sendBatch(numbered.slice(0, 100));
  for (const message of numbered.slice(100)) await account.send(message);
});
afterAll(() => gateway.close());

const messagesPage = async (query: string) =>
  (await account.get(`/v1/account/messages${query}`)).as<MessageOrderList>();
const numbersOf = ({ data }: MessageOrderList) => data.map(({ message }) => Number(message.split(' ')[1]));
const downFrom = (first: number, count: number) => Array.from({ length: count }, (_, n) => first - n);

describe('GET /v1/account/messages', () => {
  test('answers 200 with the fields of the contract, then those that were added', async () => {
    const reply = await account.get('/v1/account/messages?limit=1');
    expect(reply.status).toBe(200);
    expect(reply.headers['content-type']).toBe('application/json; charset=utf-8');
    expect(reply.json).toStrictEqual({
      data: [
        {
          message_uuid: expect.stringMatching(UUID),
          recipient: RECIPIENT,
          message: `message ${MESSAGES}`,
          amount: 0.075,
          currency: 'EUR',
          external_status: 'queued',
          created_at: expect.stringMatching(TIMESTAMP),
          segments: 1,
          encoding: 'standard',
          reason: null,
          carrier_code: null,
          send_at: null,
          sent_at: null,
          final_at: null,
          reference: null,
          tag: null,
        },
      ],
      pagination: {
        page: 1,
        limit: 1,
        total: MESSAGES,
        total_pages: MESSAGES,
        next: expect.stringMatching(/^[\w-]+$/),
        total_is_capped: false,
      },
    });
  });

  test('an account without messages has an empty list of no pages', async () => {
    const fresh = await gateway.account();
    expect((await fresh.get('/v1/account/messages')).json).toStrictEqual({
      data: [],
      pagination: { page: 1, limit: 20, total: 0, total_pages: 0, next: null, total_is_capped: false },
    });
  });

  test('gives 20 items of page 1 unless asked otherwise, the most recent first', async () => {
    const page = await messagesPage('');
    expect(page.pagination).toMatchObject({ page: 1, limit: 20, total: MESSAGES, total_pages: 7 });
    expect(numbersOf(page)).toEqual(downFrom(MESSAGES, 20));
  });

  test('all pages together are every message once, in order', async () => {
    const pages = await Promise.all([1, 2, 3, 4, 5].map((page) => messagesPage(`?page=${page}&limit=25`)));
    expect(pages.flatMap(numbersOf)).toEqual(downFrom(MESSAGES, MESSAGES));
    expect(pages.map(({ data }) => data.length)).toEqual([25, 25, 25, 25, 23]);
  });

  test.each(['100', '101', '100000', '99999999999999999999999999'])(
    'limit=%s gives 100, and says so',
    async (limit) => {
      const page = await messagesPage(`?limit=${limit}`);
      expect(page.pagination).toMatchObject({ page: 1, limit: 100, total: MESSAGES, total_pages: 2 });
      expect(page.data).toHaveLength(100);
    },
  );

  test.each(['8', '1000000', '99999999999999999999999999'])('page=%s, past the end, is empty', async (number) => {
    const page = await messagesPage(`?page=${number}`);
    expect(page.data).toEqual([]);
    expect(page.pagination).toMatchObject({ limit: 20, total: MESSAGES, total_pages: 7 });
  });

  test('a page past the end is echoed', async () => {
    expect((await messagesPage('?page=8')).pagination.page).toBe(8);
  });

  test('leading zeros do no harm', async () => {
    expect((await messagesPage('?page=02&limit=010')).pagination).toMatchObject({ page: 2, limit: 10 });
  });
});

/** What follows the equals sign; the last one makes the parameter come twice. */
const NO_COUNTS = ['0', '-1', '1.5', 'abc', '', '1e2', '0x10', '%2B1', 'NaN', 'Infinity', '1%00', '%201', '1&FIELD=2'];

describe.each(['/v1/account/messages', '/v1/account/deposits'])('GET %s answers 400', (path) => {
  test.each(NO_COUNTS.flatMap((value) => ['page', 'limit'].map((field): [string, string] => [field, value])))(
    'to %s=%s',
    async (field, value) => {
      const reply = await account.get(`${path}?${field}=${value.replace('FIELD', field)}`);
      const problem = expectProblem(reply, 400, 'invalid_request');
      expect(faultsOf(problem)).toEqual([{ field, code: 'invalid_request' }]);
    },
  );

  test('to both at once, and names both', async () => {
    const problem = expectProblem(await account.get(`${path}?page=0&limit=0`), 400, 'invalid_request');
    expect(faultsOf(problem).map(({ field }) => field)).toEqual(['page', 'limit']);
  });
});

describe('GET /v1/account/deposits', () => {
  test('is paged like messages, newest first', async () => {
    const page = async (number: number) =>
      (await account.get(`/v1/account/deposits?page=${number}&limit=10`)).as<DepositList>();
    const pages = await Promise.all([1, 2, 3, 4].map(page));
    expect(pages.map(({ pagination }) => pagination)).toMatchObject(
      [1, 2, 3, 4].map((number) => ({ page: number, limit: 10, total: DEPOSITS, total_pages: 3 })),
    );
    const amounts = pages.flatMap(({ data }) => data.map(({ amount }) => amount));
    expect(amounts).toEqual([...downFrom(DEPOSITS, DEPOSITS - 1), 100]);
    expect((await account.get('/v1/account/deposits?limit=1000')).json).toMatchObject({ pagination: { limit: 100 } });
  });
});
