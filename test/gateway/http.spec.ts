import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { HEAD_LIMITS } from '../../apps/gateway/http/head-limits.js';
import type { Problem } from '../support/contract.js';
import { DocumentedAnswers } from '../support/documented-answers.js';
import { expectProblem } from '../support/expect-problem.js';
import { RECIPIENT, type TestAccount, TestGateway } from '../support/gateway.js';
import { HttpClient } from '../support/http-client.js';
import type { Document } from '../support/openapi.js';

/** In place of the 10 seconds of docs/operations.md. */
const HEAD_MS = 1_000;

let gateway: TestGateway;
let account: TestAccount;
beforeAll(async () => {
  // The gateway looks for late heads as often as it always does.
  gateway = await TestGateway.start({ headLimits: { ...HEAD_LIMITS, headersTimeout: HEAD_MS } });
  account = await gateway.account();
});
afterAll(() => gateway.close());

describe('a path or method that is not served', () => {
  test.each([
    '/v1/nothing',
    '/v1/account/',
    '/v2/account',
    '/v1/message/send/1',
    '/V1/account',
    '/etc/passwd',
    '/v1//account',
  ])('GET %s answers 404', async (path) => {
    expectProblem(await account.get(path), 404, 'not_found');
  });

  test.each([
    ['GET', '/v1/message/send', 'POST'],
    ['PUT', '/v1/message/send-batch?x=1', 'POST'],
    ['PATCH', '/v1/message/quote', 'POST'],
    ['POST', '/v1/account', 'GET, HEAD'],
    ['PUT', '/v1/account/keys', 'GET, HEAD, POST'],
    ['DELETE', '/v1/account/messages', 'GET, HEAD'],
    ['OPTIONS', '/v1/account/balance', 'GET, HEAD'],
    ['POST', '/healthz', 'GET, HEAD'],
  ])('%s %s answers 405, and Allow names what is', async (method, path, allowed) => {
    const reply = await account.request(method, path);
    const { detail } = expectProblem(reply, 405, 'method_not_allowed');
    expect(detail).toMatch(/^Use [A-Z]+(, [A-Z]+)*( or [A-Z]+)? here\.$/);
    expect(reply.headers.allow?.split(', ').sort().join(', ')).toBe(allowed);
  });

  test('is told before the body is looked at', async () => {
    const headers = { 'Content-Type': 'text/plain' };
    expectProblem(await account.request('POST', '/v1/nothing', { body: 'x', headers }), 404, 'not_found');
    expectProblem(await account.request('PUT', '/v1/message/send', { body: '{', headers }), 405, 'method_not_allowed');
  });

  test('HEAD answers what GET would, without a body', async () => {
    const [head, get] = [await account.request('HEAD', '/v1/account'), await account.get('/v1/account')];
    expect([head.status, head.text]).toEqual([200, '']);
    expect(head.headers['content-length']).toBe(get.headers['content-length']);
    const unauthorized = await gateway.http.request('HEAD', '/v1/account');
    expect([unauthorized.status, unauthorized.text]).toEqual([401, '']);
  });
});

/** The status and the problem of a bare answer. */
function bareProblem(answer: string): { status: number; problem: Problem; head: string } {
  const [head = '', body = ''] = answer.split('\r\n\r\n');
  return { status: Number(head.split(' ')[1]), problem: JSON.parse(body) as Problem, head };
}

test.each(['application/json', 'application/x-www-form-urlencoded', 'text/plain;charset=UTF-8'])(
  '%s of no bytes is no body: it is refused only where a body is needed',
  async (type) => {
    const { paths } = (await gateway.http.request('GET', '/openapi.json')).as<Document>();
    const headers = { 'Content-Type': type };
    let optional = 0;
    for (const [path, methods] of Object.entries(paths)) {
      const url = path.replaceAll(/\{\w+\}/g, 'x');
      for (const [method, { requestBody }] of Object.entries(methods)) {
        const reply = await account.request(method.toUpperCase(), url, { headers });
        if (requestBody?.required) expectProblem(reply, 400, 'malformed_json');
        else
          expect([method, path, reply.status]).toEqual([
            method,
            path,
            (await account.request(method.toUpperCase(), url)).status,
          ]);
        optional += requestBody?.required ? 0 : 1;
      }
    }
    expect(optional).toBeGreaterThan(10);
  },
);

test('a client that ends its side after whole requests gets their answers', async () => {
  const body = JSON.stringify({ recipient: RECIPIENT, message: 'hi' });
  const send =
    `POST /v1/message/send HTTP/1.1\r\nHost: x\r\nX-Authorization: ${account.apiKey}\r\n` +
    `Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
  const answers = await gateway.http.raw(`${send}${send}`, { ends: true });
  expect(answers.match(/HTTP\/1.1 \d+/g)).toEqual(['HTTP/1.1 201', 'HTTP/1.1 201']);
});

test.each([
  ['[]', 'application/json', 'invalid_request'],
  ['{', 'application/json', 'malformed_json'],
  ['all', 'text/plain', 'unsupported_media_type'],
])('a DELETE with the body %s is refused as its documentation says', async (body, type, code) => {
  const document = (await gateway.http.request('GET', '/openapi.json')).as<Document>();
  const answers = new DocumentedAnswers(document);
  const paths = Object.keys(document.paths).filter((path) => document.paths[path]?.delete !== undefined);
  expect(paths).not.toEqual([]);
  for (const path of paths) {
    const url = path.replaceAll(/\{\w+\}/g, 'x');
    answers.expect(
      'delete',
      path,
      await account.request('DELETE', url, { body, headers: { 'Content-Type': type } }),
      code,
    );
  }
});

const CONNECT = 'CONNECT a.example:443 HTTP/1.1\r\nHost: a.example:443\r\n\r\n';

describe('what is not a valid request is answered with a problem as well', () => {
  test.each([
    ['no HTTP at all', 'hello\r\n\r\n', 400, 'malformed_request'],
    ['a bad method', 'FETCH!! /v1/account HTTP/1.1\r\nHost: x\r\n\r\n', 400, 'malformed_request'],
    ['a header without a colon', 'GET /v1/account HTTP/1.1\r\nHost: x\r\nbroken\r\n\r\n', 400, 'malformed_request'],
    [
      'two lengths',
      'POST /v1/message/send HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nxx',
      400,
      'malformed_request',
    ],
    [
      'a length beside chunks (request smuggling)',
      'POST /v1/message/send HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
      400,
      'malformed_request',
    ],
    ['what a proxy is asked', CONNECT, 400, 'malformed_request'],
    ['no host', 'GET /v1/account HTTP/1.1\r\n\r\n', 400, 'malformed_request'],
    ['two hosts', 'GET /v1/account HTTP/1.1\r\nHost: x\r\nHost: y\r\n\r\n', 400, 'malformed_request'],
    [
      'an expectation that nobody knows',
      'POST /v1/message/send HTTP/1.1\r\nHost: x\r\nExpect: foo\r\nConnection: close\r\n\r\n',
      417,
      'expectation_failed',
    ],
    ['a head without an end, within seconds', 'GET /v1/account HTTP/1.1\r\nHost: x\r\n', 408, 'request_timeout'],
    ['headers over 16 KiB', `GET / HTTP/1.1\r\nHost: x\r\nA: ${'x'.repeat(17_000)}\r\n\r\n`, 431, 'headers_too_large'],
  ])('%s', async (_what, bytes, status, code) => {
    const { status: answered, problem, head } = bareProblem(await gateway.http.raw(bytes));
    expect([answered, problem.status, problem.code, problem.success]).toEqual([status, status, code, false]);
    expect(head).toMatch(/Content-Type: application\/problem\+json/i);
    expect(head).toMatch(/Connection: close/i);
    expect(head).toContain(problem.requestId);
  });

  test('a head has the time that docs/operations.md says', () => {
    expect(HEAD_LIMITS.headersTimeout).toBe(10_000);
  });

  test('HTTP/1.0 needs no host', async () => {
    expect(bareProblem(await gateway.http.raw('GET /v1/account HTTP/1.0\r\n\r\n'))).toMatchObject({ status: 401 });
  });

  test("the operators' listener answers them with problems as well", async () => {
    const operators = new HttpClient(gateway.operatorPort);
    for (const [head, status] of [
      ['', 400],
      ['Host: x\r\nExpect: foo\r\n', 417],
    ] as const) {
      const answer = await operators.raw(`GET /healthz HTTP/1.1\r\n${head}Connection: close\r\n\r\n`);
      expect(bareProblem(answer)).toMatchObject({ status, problem: { status, success: false } });
    }
    expect(bareProblem(await operators.raw(CONNECT))).toMatchObject({ status: 400, problem: { success: false } });
    const answers = await operators.raw('GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n\0');
    expect(answers.match(/HTTP\/1.1 \d+/g)).toEqual(['HTTP/1.1 401', 'HTTP/1.1 400']);
  });

  test.each([
    '/v1/%zz',
    '/%',
    '/v1/account/%c3%28',
    '/v1/account/messages?tag=caf%E9',
    '/%76%31/account/messages?tag=caf%E9',
    '/v1/account/messages/export?tag=100%',
  ])('the URL %s', async (path) => {
    expectProblem(await account.get(path), 400, 'malformed_request');
  });

  test('a body that ends early is dropped, and nothing is charged', async () => {
    const before = await account.standing();
    const body = JSON.stringify({ recipient: RECIPIENT, message: 'hi' });
    const head =
      `POST /v1/message/send HTTP/1.1\r\nHost: x\r\nX-Authorization: ${account.apiKey}\r\n` +
      `Content-Type: application/json\r\nContent-Length: ${body.length + 1}\r\n\r\n`;
    await new Promise<void>((resolve) => {
      const socket = connect(gateway.port, '127.0.0.1', () => socket.end(head + body));
      socket.on('close', () => resolve());
      socket.on('error', () => undefined);
      socket.resume();
    });
    expect(await account.standing()).toEqual(before);
  });

  test('a whole send before it is answered first, because it is charged', async () => {
    const before = await account.standing();
    const body = JSON.stringify({ recipient: RECIPIENT, message: 'hi' });
    const send =
      `POST /v1/message/send HTTP/1.1\r\nHost: x\r\nX-Authorization: ${account.apiKey}\r\n` +
      `Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
    const answers = await gateway.http.raw(`${send}${send}\0`);
    expect(answers.match(/HTTP\/1.1 \d+/g)).toEqual(['HTTP/1.1 201', 'HTTP/1.1 201', 'HTTP/1.1 400']);
    const behindOne = await gateway.http.raw(`${send}${CONNECT}`);
    expect(behindOne.match(/HTTP\/1.1 \d+/g)).toEqual(['HTTP/1.1 201', 'HTTP/1.1 400']);
    expect((await account.standing()).messages).toBe(before.messages + 3);
  });

  test('no header is left out, however many there are', async () => {
    const many = Array.from({ length: 1_500 }, (_, index) => [`a${index}`, '']);
    const headers = { ...Object.fromEntries(many), 'Idempotency-Key': 'after many' };
    const send = () => account.send({ recipient: RECIPIENT, message: 'hi' }, headers);
    const first = await send();
    expect([first.status, (await send()).text]).toEqual([201, first.text]);
  });

  test('the service lives on', async () => {
    expect((await account.get('/v1/account')).status).toBe(200);
  });
});

describe('headers of every answer', () => {
  test.each([
    ['a success', () => account.get('/v1/account'), 200],
    ['a refusal', () => account.send({}), 400],
    ['a missing key', () => gateway.http.request('GET', '/v1/account'), 401],
    ['an unknown path', () => account.get('/nothing'), 404],
  ])('%s may not be sniffed, framed, cached or referred to', async (_what, ask, status) => {
    const reply = await ask();
    expect(reply.status).toBe(status);
    expect(reply.headers).toMatchObject({
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
      'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
      'cache-control': 'no-store',
    });
    expect(reply.headers['x-request-id']).toMatch(/./);
    expect(reply.headers['x-powered-by']).toBeUndefined();
  });
});
