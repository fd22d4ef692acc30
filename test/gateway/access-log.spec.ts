import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import type { Problem, SendResult } from '../support/contract.js';
import { eventually } from '../support/eventually.js';
import { RECIPIENT, type TestAccount, TestGateway } from '../support/gateway.js';
import type { HttpReply } from '../support/http-client.js';
import { LogLines } from '../support/log-lines.js';

const SEND = '/v1/message/send';
const GOOD = { recipient: RECIPIENT, message: 'a text that is nobody else’s business' };
const log = new LogLines('gateway');
let gateway: TestGateway;
let account: TestAccount;
beforeAll(async () => {
  gateway = await TestGateway.start({ log });
  account = await gateway.account();
});
afterEach(() => log.clear());
afterAll(() => gateway.close());

const lineOf = (requestId: string | undefined, lines = log) =>
  eventually(() => {
    const found = lines.saying('request').filter((line) => line.requestId === requestId);
    expect(found).toHaveLength(1);
    return found[0];
  });

describe('the requestId of every refusal finds its line in the log', () => {
  const unsupported = { body: 'x', headers: { 'Content-Type': 'text/plain' } };
  test.each<[string, number, string, (account: TestAccount) => Promise<HttpReply>]>([
    ['a fault of a field', 400, 'unknown_field', (of) => of.send({ ...GOOD, at: 1 })],
    ['a destination without a price', 422, 'no_rate', (of) => of.send({ ...GOOD, recipient: '+999700100200' })],
    ['a path that nothing serves', 404, 'not_found', (of) => of.get('/v1/nothing')],
    ['another method', 405, 'method_not_allowed', (of) => of.get(SEND)],
    ['another content type', 415, 'unsupported_media_type', (of) => of.request('POST', SEND, unsupported)],
    ['a URL that cannot be read', 400, 'malformed_request', (of) => of.get('/v1/%zz')],
    ['no key', 401, 'unauthorized', () => gateway.http.request('GET', '/v1/account')],
  ])('%s', async (_what, status, code, ask) => {
    const reply = await ask(account);
    const { requestId } = reply.as<Problem>();
    expect(await lineOf(requestId)).toMatchObject({ status, code, level: 30 });
  });

  test('what is no HTTP at all', async () => {
    const answer = await gateway.http.raw('nonsense\r\n\r\n');
    const { requestId } = JSON.parse(answer.split('\r\n\r\n')[1] ?? '') as Problem;
    expect(await lineOf(requestId)).toMatchObject({ status: 400, code: 'malformed_request' });
  });

  test('and says whose it was, on which route, with what came of it', async () => {
    const reply = await account.send({ ...GOOD, at: 1 }, { 'X-Request-Id': 'of-the-client' });
    const line = await lineOf('of-the-client');
    expect(line).toEqual({
      level: 30,
      time: expect.any(String),
      pid: process.pid,
      hostname: expect.any(String),
      name: 'gateway',
      requestId: 'of-the-client',
      accountId: account.accountId,
      method: 'POST',
      route: SEND,
      status: 400,
      code: 'unknown_field',
      durationMs: expect.any(Number),
      bytes: Buffer.byteLength(reply.text),
      msg: 'request',
    });
  });
});

test('no line has a text, a number, a key or a path', async () => {
  const secrets = ['nobody else', '46700', '999700', account.apiKey, 'where-it-hurts'];
  await account.send({ ...GOOD, recipient: '+999700100200' });
  await account.send({ ...GOOD, '+46700100200': 'nobody else' });
  await account.get('/v1/where-it-hurts?recipient=46700100200');
  await gateway.http.request('GET', '/v1/account', { headers: { 'X-Authorization': `${account.apiKey}x` } });
  await eventually(() => expect(log.saying('request')).toHaveLength(4));
  for (const secret of secrets) expect(log.text).not.toContain(secret);
});

test('a successful request has no line, unless ACCESS_LOG is all; then one in ACCESS_LOG_SAMPLE', async () => {
  await account.send(GOOD);
  await account.send({});
  await eventually(() => expect(log.saying('request').map(({ status }) => status)).toEqual([400]));

  const lines = new LogLines('gateway');
  const all = await TestGateway.start({ beside: gateway, log: lines, settings: { ACCESS_LOG: 'all' } });
  const reply = await account.at(all).send(GOOD);
  expect(reply.as<SendResult>().success).toBe(true);
  await eventually(() =>
    expect(lines.saying('request')).toMatchObject([{ accountId: account.accountId, status: 201 }]),
  );
  await all.close();

  const sample = new LogLines('gateway');
  const sampling = { ACCESS_LOG: 'all', ACCESS_LOG_SAMPLE: '10' };
  const sampled = await TestGateway.start({ beside: gateway, log: sample, settings: sampling });
  for (let n = 0; n < 25; n += 1) await account.at(sampled).get('/v1/account');
  await account.at(sampled).get('/v1/account?page=1');
  await eventually(() => expect(sample.saying('request').map(({ status }) => status)).toEqual([200, 200, 200, 400]));
  await sampled.close();
});

test('ACCESS_LOG=off writes none', async () => {
  const lines = new LogLines('gateway');
  const off = await TestGateway.start({ beside: gateway, log: lines, settings: { ACCESS_LOG: 'off' } });
  await account.at(off).send({});
  await off.close();
  expect(lines.saying('request')).toEqual([]);
});

test('a flood of refusals leaves the log readable: few lines, the number of the others, and the lines of accounts', async () => {
  // A gateway of its own: what is left of this second's lines is not the next test's.
  const lines = new LogLines('gateway');
  const flooded = await TestGateway.start({ beside: gateway, log: lines });
  const wrong = { headers: { 'X-Authorization': 'wrong' } };
  for (let n = 0; n < 30; n += 1) {
    await Promise.all(Array.from({ length: 10 }, () => flooded.http.request('GET', '/v1/account', wrong)));
  }
  const { requestId } = (await account.at(flooded).send({})).as<Problem>();
  await lineOf(requestId, lines);
  await eventually(() => {
    const leftOut = lines.saying('refused requests were not logged').map((line) => Number(line.leftOut));
    const written = lines.saying('request').filter(({ status }) => status === 401).length;
    expect(written + leftOut.reduce((sum, count) => sum + count, 0)).toBe(300);
    expect(leftOut.length).toBeGreaterThan(0);
  });
  await flooded.close();
});

describe('only a fault of the service is an error in the log', () => {
  test.each([
    ['/docs/.', 404],
    ['/docs/..', 404],
    ['/docs/../../package.json', 404],
    ['/docs/%00', 404],
    ['/docs/%2e%2e/package.json', 404],
    ['/docs/.git', 404],
    [`/docs/${'x'.repeat(5_000)}`, 404],
    ['/docs/%zz', 400],
  ])('GET %s is the client’s', async (path, status) => {
    const reply = await gateway.http.request('GET', path);
    expect(reply.status).toBe(status);
    await lineOf(reply.as<Problem>().requestId);
    expect(log.text).not.toMatch(/"level":50|stack/);
  });

  test('a fault that comes with every request has ten lines a second with a stack, and the number of the others', async () => {
    await gateway.database.query('alter table account_balance rename to misplaced');
    for (let n = 0; n < 10; n += 1) {
      await Promise.all(Array.from({ length: 10 }, () => account.get('/v1/account/balance?')));
      await Promise.all(Array.from({ length: 10 }, () => account.get('/v1/account/messages')));
    }
    await gateway.database.query('alter table misplaced rename to account_balance');
    const failed = log.saying('request failed');
    expect(failed[0]).toMatchObject({
      level: 50,
      code: 'internal_error',
      err: { type: 'DatabaseError', code: '42P01' },
    });
    expect(failed.length).toBeLessThan(100);
    await eventually(() => {
      const leftOut = log
        .saying('further requests failed; see the metric heliograph_requests_refused_total')
        .map((line) => Number(line.leftOut));
      expect(failed.length + leftOut.reduce((sum, count) => sum + count, 0)).toBe(200);
    });
  });
});
