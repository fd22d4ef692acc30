import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { MessageOrderList } from '../support/contract.js';
import { expectProblem, faultsOf } from '../support/expect-problem.js';
import { RECIPIENT, type TestAccount, TestGateway } from '../support/gateway.js';

interface List extends MessageOrderList {
  readonly pagination: MessageOrderList['pagination'] & { next: string | null; total_is_capped: boolean };
}

const MESSAGES = 30;
const OTHER = '+46700100201';
let gateway: TestGateway;
let account: TestAccount;
beforeAll(async () => {
  gateway = await TestGateway.start();
  account = await gateway.account();
  for (let n = 1; n <= MESSAGES; n += 1) {
    await account.send({
      recipient: n % 3 === 0 ? OTHER : RECIPIENT,
      message: `message ${n}`,
      ...(n % 2 === 0 && { tag: 'even' }),
      ...(n % 10 === 0 && { reference: `tenth & ${n}` }),
    });
  }
});
afterAll(() => gateway.close());

const list = async (query: string) => (await account.get(`/v1/account/messages${query}`)).as<List>();
const numbersOf = ({ data }: List) => data.map(({ message }) => Number(message.split(' ')[1]));
const expected = (fits: (n: number) => boolean) =>
  Array.from({ length: MESSAGES }, (_, n) => MESSAGES - n).filter(fits);

describe('GET /v1/account/messages finds messages', () => {
  test.each([
    ['recipient=%2B46700100201', (n: number) => n % 3 === 0],
    ['recipient=+46700100201', (n: number) => n % 3 === 0],
    ['recipient=0046-700-100-201', (n: number) => n % 3 === 0],
    ['tag=even', (n: number) => n % 2 === 0],
    [`reference=${encodeURIComponent('tenth & 20')}`, (n: number) => n === 20],
    ['tag=even&recipient=46700100201', (n: number) => n % 6 === 0],
    ['status=queued', () => true],
    ['status=delivered', () => false],
    ['status=failed', () => false],
    ['tag=odd', () => false],
    ['from=2020-01-01', () => true],
    ['to=2020-01-01', () => false],
    ['from=2020-01-01T00:00:00.000%2B01:00&to=2100-01-01T00:00:00+01:00', () => true],
  ])('by %s', async (query, fits) => {
    const found = await list(`?limit=100&${query}`);
    expect(numbersOf(found)).toEqual(expected(fits));
    expect(found.pagination).toEqual({
      page: 1,
      limit: 100,
      total: expected(fits).length,
      total_pages: expected(fits).length > 0 ? 1 : 0,
      next: null,
      total_is_capped: false,
    });
  });

  test.each(['', 'tag=even', 'from=2020-01-01', 'recipient=46700100200&status=queued'])(
    'page after page by cursor, with %s; each answer says which page it is and how many there are',
    async (filters) => {
      const all = numbersOf(await list(`?limit=100&${filters}`));
      const found: number[] = [];
      let page = await list(`?limit=4&${filters}`);
      for (let number = 1; ; number += 1) {
        found.push(...numbersOf(page));
        expect(page.pagination).toMatchObject({
          page: number,
          total: all.length,
          total_pages: Math.ceil(all.length / 4),
        });
        const { next } = page.pagination;
        if (next === null) break;
        page = await list(`?limit=4&cursor=${next}&${filters}`);
      }
      expect(found).toEqual(all);
    },
  );

  test.each([
    ['status=done', 'status', 'invalid_request'],
    ['status=queued&status=sent', 'status', 'invalid_request'],
    ['recipient=me', 'recipient', 'recipient_invalid'],
    ['recipient=', 'recipient', 'recipient_invalid'],
    ['from=yesterday', 'from', 'invalid_request'],
    ['from=2026-11-20T09:30:00', 'from', 'invalid_request'],
    ['from=2026-13-01', 'from', 'invalid_request'],
    ['from=2026-11-31', 'from', 'invalid_request'],
    ['to=2026-11-31T10:00:00Z', 'to', 'invalid_request'],
    ['to=1', 'to', 'invalid_request'],
    ['from=2026-11-20&to=2026-11-20', 'to', 'invalid_request'],
    ['reference=', 'reference', 'invalid_request'],
    [`tag=${'x'.repeat(101)}`, 'tag', 'invalid_request'],
    ['tag=%00', 'tag', 'invalid_request'],
    ['cursor=', 'cursor', 'invalid_request'],
    ['cursor=abc', 'cursor', 'invalid_request'],
  ])('%s is refused', async (query, field, code) => {
    const problem = expectProblem(await account.get(`/v1/account/messages?${query}`), 400, code);
    expect(faultsOf(problem)).toEqual([{ field, code }]);
  });

  test('a cursor excludes a page number, and belongs to the filters of its list', async () => {
    const { next } = (await list('?limit=4&tag=even')).pagination;
    const both = await account.get(`/v1/account/messages?tag=even&page=2&cursor=${next}`);
    expect(expectProblem(both, 400, 'invalid_request').detail).toBe('cursor and page exclude each other.');
    const other = await account.get(`/v1/account/messages?tag=odd&cursor=${next}`);
    expect(expectProblem(other, 400, 'invalid_request').detail).toMatch(/with the same filters\.$/);
    const forged = Buffer.from(
      Buffer.from(next ?? '', 'base64url')
        .toString()
        .replace(/\.\d+\./, '.x.'),
    );
    expectProblem(
      await account.get(`/v1/account/messages?tag=even&cursor=${forged.toString('base64url')}`),
      400,
      'invalid_request',
    );
  });

  test('a cursor of another account shows nothing of it', async () => {
    const { next } = (await list('?limit=4')).pagination;
    const stranger = await gateway.account();
    expect((await stranger.get(`/v1/account/messages?cursor=${next}`)).json).toMatchObject({ data: [] });
  });
});
