import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import { connect, Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect, jest, test } from '@jest/globals';
import { adjustBalance, bookDeposit } from '#persistence';
import { DocumentedAnswers } from '../support/documented-answers.js';
import { eventually } from '../support/eventually.js';
import { expectProblem, faultsOf } from '../support/expect-problem.js';
import { RECIPIENT, type TestAccount, TestGateway } from '../support/gateway.js';
import type { Document } from '../support/openapi.js';

let gateway: TestGateway;
let account: TestAccount;
beforeAll(async () => {
  gateway = await TestGateway.start({ settings: { DATABASE_POOL_SIZE: '8' } });
  account = await gateway.account();
});
afterAll(() => gateway.close());

/** RFC 4180, as a spreadsheet reads it. */
function parseCsv(text: string): string[][] {
  const rows: string[][] = [];
  for (const [, row = ''] of text.matchAll(/((?:"(?:[^"]|"")*"|[^"\r\n]|[\r\n](?<!\r\n))*)\r\n/g)) {
    const cells = [...row.matchAll(/(?:^|,)(?:"((?:[^"]|"")*)"|([^",]*))/g)];
    rows.push(cells.map(([, quoted, plain]) => quoted?.replaceAll('""', '"') ?? plain ?? ''));
  }
  return rows;
}

const listOf = async (of: TestAccount, name: string) =>
  (await of.get(`/v1/account/${name}?limit=100`)).as<{ data: Record<string, unknown>[] }>().data;

test('statements are listed, made and exported as documented', async () => {
  const STATEMENTS = '/v1/account/statements';
  const answers = new DocumentedAnswers((await gateway.http.request('GET', '/openapi.json')).as<Document>());
  const months = await account.get(STATEMENTS);
  answers.expect('get', STATEMENTS, months);
  const [{ month } = { month: '' }] = months.as<{ data: { month: string }[] }>().data;
  const [of, path] = [`${STATEMENTS}/{month}`, `${STATEMENTS}/${month}`];
  const statement = await account.get(path);
  answers.expect('get', of, statement);
  const { balance } = (await account.get('/v1/account/balance')).as<{ balance: number }>();
  expect(statement.json).toMatchObject({ month, is_final: false, closing_balance: balance, not_itemised: 0 });
  answers.expect('get', of, await account.get(`${STATEMENTS}/October`), 'invalid_request');
  for (const other of ['2999-01', '2020-01', '0099-12']) {
    answers.expect('get', of, await account.get(`${STATEMENTS}/${other}`), 'not_found');
  }
  answers.expect('get', of, await gateway.http.request('GET', path), 'unauthorized');
  for (const [format, media] of [
    ['csv', 'text/csv'],
    ['html', 'text/html'],
  ] as const) {
    const file = await account.get(`${path}/export?format=${format}`);
    expect(file.headers['content-type']?.split(';')[0]).toBe(media);
    expect(file.headers['content-disposition']).toMatch(/^attachment; filename="statement-\d+-[\d-]+\.(csv|html)"$/);
  }
  const strange = await account.get(`${path}/export?format=pdf`);
  answers.expect('get', `${of}/export`, strange, 'invalid_request');
});

test('a statement of test mode names the account, and says that it is of test mode', async () => {
  const tester = await account.withKey({ isTest: true });
  const months = (await tester.get('/v1/account/statements')).as<{ data: { month: string }[] }>();
  const [{ month } = { month: '' }] = months.data;
  const page = await tester.get(`/v1/account/statements/${month}/export?format=html`);
  const name = `statement-${account.accountId}-test-${month}.html`;
  expect(page.headers['content-disposition']).toBe(`attachment; filename="${name}"`);
  expect(page.text).toContain(`<title>Statement ${month}, account ${account.accountId}, test mode</title>`);
  expect(page.text).not.toContain(`-${account.accountId},`);
});

describe('an export of messages', () => {
  beforeAll(async () => {
    await account.sendBatch([
      { recipient: RECIPIENT, message: 'plain', reference: 'a', tag: 'x' },
      { recipient: RECIPIENT, message: 'a "quoted", and\r\nbroken line', tag: 'x' },
      { recipient: RECIPIENT, message: '=1+1' },
      { recipient: RECIPIENT, message: '\n=1+1' },
      { recipient: '+491701234567', message: '@home €', reference: '+46' },
    ]);
  });

  test('as NDJSON has the items of the list, one a line', async () => {
    const reply = await account.get('/v1/account/messages/export?format=ndjson');
    expect(reply.headers['content-type']).toBe('application/x-ndjson; charset=utf-8');
    expect(reply.headers['content-disposition']).toBe('attachment; filename="messages.ndjson"');
    const lines = reply.text.split('\n');
    expect(lines.pop()).toBe('');
    expect(lines.map((line) => JSON.parse(line))).toEqual(await listOf(account, 'messages'));
  });

  test('as CSV has the same, below a line of the names', async () => {
    const reply = await account.get('/v1/account/messages/export');
    expect(reply.headers['content-type']).toBe('text/csv; charset=utf-8; header=present');
    const [names = [], ...rows] = parseCsv(reply.text);
    const listed = await listOf(account, 'messages');
    expect(names).toEqual(Object.keys(listed[0] ?? {}));
    expect(rows).toEqual(
      listed.map((item) => Object.values(item).map((value) => String(value ?? '').replace(/^([=@\n]|\+46$)/, "'$1"))),
    );
  });

  test('as CSV gives a spreadsheet no formula to compute: an apostrophe stands before it', async () => {
    const { text } = await account.get('/v1/account/messages/export?format=csv');
    expect(text).toContain(",'=1+1,");
    expect(text).toContain(`,"'\n=1+1",`);
    expect(text).toContain(",'@home €,");
    expect(text).toContain(",'+46,");
    expect(text).toContain(`,${RECIPIENT},`);
  });

  test('takes the filters of the list', async () => {
    const count = async (filters: string) =>
      parseCsv((await account.get(`/v1/account/messages/export?${filters}`)).text).length - 1;
    expect(await count('tag=x')).toBe(2);
    expect(await count('tag=x&reference=a')).toBe(1);
    expect(await count('recipient=491701234567')).toBe(1);
    expect(await count('status=delivered')).toBe(0);
    expect(await count('to=2020-01-01')).toBe(0);
  });

  test('of an account without messages is a line of names alone, and nothing as NDJSON', async () => {
    const fresh = await gateway.account();
    expect((await fresh.get('/v1/account/messages/export')).text).toMatch(/^message_uuid,[a-z_,]+,send_at\r\n$/);
    expect((await fresh.get('/v1/account/messages/export?format=ndjson')).text).toBe('');
  });

  test('is refused in another format, with unknown parameters and without a key', async () => {
    const format = await account.get('/v1/account/messages/export?format=xlsx');
    expect(faultsOf(expectProblem(format, 400, 'invalid_request'))).toEqual([
      { field: 'format', code: 'invalid_request' },
    ]);
    expectProblem(await account.get('/v1/account/messages/export?limit=5'), 400, 'unknown_field');
    expectProblem(await account.get('/v1/account/deposits/export?from=2026-01-01'), 400, 'unknown_field');
    expectProblem(await gateway.http.request('GET', '/v1/account/messages/export'), 401, 'unauthorized');
  });

  test('a HEAD is answered without rows, and without a length that the file does not have', async () => {
    const reply = await account.request('HEAD', '/v1/account/messages/export');
    expect([reply.text, reply.headers['content-length']]).toEqual(['', undefined]);
    expect([reply.status, reply.headers['content-type']]).toEqual([200, 'text/csv; charset=utf-8; header=present']);
  });
});

describe('exports of deposits and of the ledger', () => {
  test.each(['deposits', 'ledger'])('%s: have the items of the list, in both formats', async (name) => {
    const own = await gateway.account({ deposit: '10' });
    await bookDeposit(gateway.database, own.accountId, { amount: 1n, currency: 'EUR', reference: '-1' });
    await adjustBalance(gateway.database, own.accountId, { amount: -5_000_000n, reason: 'paid "back"' });
    const listed = await listOf(own, name);
    const ndjson = (await own.get(`/v1/account/${name}/export?format=ndjson`)).text;
    expect(
      ndjson
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line)),
    ).toEqual(listed);
    const [names = [], ...rows] = parseCsv((await own.get(`/v1/account/${name}/export?format=csv`)).text);
    expect(names).toEqual(Object.keys(listed[0] ?? {}));
    expect(rows).toHaveLength(listed.length);
    expect(rows[0]).toContain('paid "back"');
    if (name === 'deposits') expect(rows[1]).toContain("'-1");
  });
});

describe('a long export', () => {
  const MESSAGES = 6_000;
  let owner: TestAccount;
  beforeAll(async () => {
    owner = await gateway.account();
    const message = 'x'.repeat(1_500);
    const batch = Array.from({ length: 1_000 }, () => ({ recipient: '+33612345678', message }));
    for (let sent = 0; sent < MESSAGES; sent += batch.length) expect((await owner.sendBatch(batch)).status).toBe(201);
  });

  const PATH = '/v1/account/messages/export?format=ndjson';
  /** An export whose client reads nothing yet: what fits in no buffer waits at the gateway. */
  const started = (path = PATH) =>
    new Promise<IncomingMessage>((resolve, reject) => {
      const headers = { 'X-Authorization': owner.apiKey };
      const request = get({ host: '127.0.0.1', port: gateway.port, path, headers, agent: false }, resolve);
      request.on('error', reject);
    });
  async function linesOf(response: IncomingMessage): Promise<number> {
    let lines = 0;
    for await (const chunk of response) lines += (chunk as Buffer).filter((byte) => byte === 10).length;
    return lines;
  }
  const untilNoneRuns = () => eventually(async () => expect((await owner.request('HEAD', PATH)).status).toBe(200));

  test('has every message once, and none that is sent after its start', async () => {
    const response = await started();
    await owner.send({ recipient: '+33612345678', message: 'late' });
    expect(await linesOf(response)).toBe(MESSAGES);
    await untilNoneRuns();
  });

  test('stops when its client goes away, and a third one at a time is refused until then', async () => {
    const [one, two] = [await started(), await started()];
    const refused = await owner.get(PATH);
    expectProblem(refused, 429, 'rate_limited');
    expect(refused.headers['retry-after']).toBe('10');
    one.destroy();
    two.destroy();
    await untilNoneRuns();
    expect(await linesOf(await started())).toBe(MESSAGES + 1);
  });

  /** While the rows cannot be read. */
  async function withoutRows(work: () => Promise<void>): Promise<void> {
    await gateway.database.query('alter function find_orders rename to misplaced');
    try {
      await work();
    } finally {
      await gateway.database.query('alter function misplaced rename to find_orders');
    }
  }

  test('that fails breaks the connection, so that nobody takes a part for the whole', async () => {
    const response = await started();
    await withoutRows(() => expect(linesOf(response)).rejects.toThrow('aborted'));
    await untilNoneRuns();
  });

  test('that fails resets a connection of HTTP/1.0, where an end in order is the end of the file', async () => {
    const resets = jest.spyOn(Socket.prototype, 'resetAndDestroy');
    const socket = connect(gateway.port, '127.0.0.1');
    const closed = new Promise((resolve) => socket.once('close', resolve));
    socket.write(`GET ${PATH} HTTP/1.0\r\nX-Authorization: ${owner.apiKey}\r\n\r\n`);
    await once(socket, 'readable');
    // libuv reads a reset as an error or as an end in order, so the client does not always know.
    socket.on('error', () => undefined);
    await withoutRows(async () => {
      socket.resume();
      await closed;
    });
    expect(resets).toHaveBeenCalledTimes(1);
    resets.mockRestore();
    await untilNoneRuns();
  });

  test('that cannot begin is answered with a problem', () =>
    withoutRows(async () => void expectProblem(await owner.get(PATH), 500, 'internal_error')));
});
