import { randomUUID } from 'node:crypto';
import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { expectProblem } from '../support/expect-problem.js';
import { RECIPIENT, TestGateway } from '../support/gateway.js';

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await TestGateway.start();
});
afterAll(() => gateway.close());

const UPLOAD_BYTES = 100 * 1024 * 1024;
const CHUNK = Buffer.alloc(64 * 1024, 0x20);

/** Uploads 100 MB until the gateway hangs up, and tells how much went and what was answered. */
function upload(head: string, chunked: boolean): Promise<{ sentBytes: number; answer: string }> {
  return new Promise((resolve) => {
    const socket = connect(gateway.port, '127.0.0.1');
    let answer = '';
    let sentBytes = 0;
    const more = () => {
      while (sentBytes < UPLOAD_BYTES && socket.writable) {
        sentBytes += CHUNK.length;
        if (!socket.write(chunked ? Buffer.concat([Buffer.from('10000\r\n'), CHUNK, Buffer.from('\r\n')]) : CHUNK))
          return;
      }
    };
    socket.on('connect', () => {
      socket.write(
        `${head}Host: x\r\n${chunked ? 'Transfer-Encoding: chunked' : `Content-Length: ${UPLOAD_BYTES}`}\r\n\r\n`,
      );
      more();
    });
    socket.on('drain', more);
    socket.on('data', (chunk) => {
      answer += chunk.toString('latin1');
    });
    socket.on('error', () => undefined);
    socket.on('close', () => resolve({ sentBytes, answer }));
  });
}

describe('a body of 100 MB that nobody asked for', () => {
  test.each([
    ['without a key', 'POST /v1/message/send HTTP/1.1\r\nContent-Type: application/json\r\n', 401],
    [
      'with a wrong key',
      `POST /v1/message/send-batch HTTP/1.1\r\nX-Authorization: ${'hg_00000000_'.padEnd(55, 'A')}\r\n`,
      401,
    ],
    ['to a path that is not there', 'POST /nothing HTTP/1.1\r\n', 404],
    ['with a read', 'GET /healthz HTTP/1.1\r\n', 200],
    ['to a carrier', 'POST /carriers/x/status HTTP/1.1\r\nContent-Type: application/x-www-form-urlencoded\r\n', 413],
  ])('%s is answered at once, is not read, and ends the connection', async (_what, head, status) => {
    for (const chunked of [false, true]) {
      const { sentBytes, answer } = await upload(head, chunked);
      expect(answer).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
      expect(answer).toMatch(/connection: close/i);
      // What the kernels on both sides hold, and not what was to be sent.
      expect(sentBytes).toBeLessThan(UPLOAD_BYTES / 8);
    }
  });

  test('is not asked for with 100 Continue by those who wait for it', async () => {
    const head = 'POST /v1/message/send HTTP/1.1\r\nHost: x\r\nContent-Length: 1000000\r\nExpect: 100-continue\r\n\r\n';
    const answer = await gateway.http.raw(head);
    expect(answer).toMatch(/^HTTP\/1.1 401 /);
    const { apiKey } = await gateway.account();
    const json = `X-Authorization: ${apiKey}\r\nContent-Type: application/json\r\nHost: x`;
    expect(await gateway.http.raw(head.replace('Host: x', json))).toMatch(/^HTTP\/1.1 413 /);
  });
});

test('who has a key and waits for 100 Continue gets it, and the message is sent', async () => {
  const account = await gateway.account();
  const body = JSON.stringify({ recipient: RECIPIENT, message: 'hi' });
  const answer = await new Promise<string>((resolve) => {
    let text = '';
    const socket = connect(gateway.port, '127.0.0.1', () =>
      socket.write(
        `POST /v1/message/send HTTP/1.1\r\nHost: x\r\nX-Authorization: ${account.apiKey}\r\nConnection: close\r\n` +
          `Content-Type: application/json\r\nContent-Length: ${body.length}\r\nExpect: 100-continue\r\n\r\n`,
      ),
    );
    socket.on('data', (chunk) => {
      if (text === '') socket.write(body);
      text += chunk.toString();
    });
    socket.on('close', () => resolve(text));
  });
  expect(answer).toMatch(/^HTTP\/1.1 100 Continue\r\n\r\nHTTP\/1.1 201 /);
});

test('who speaks HTTP/1.0 gets no 100 Continue: it would be taken for the answer', async () => {
  const { apiKey } = await gateway.account();
  const body = JSON.stringify({ recipient: RECIPIENT, message: 'hi' });
  const answer = await gateway.http.raw(
    `POST /v1/message/send HTTP/1.0\r\nX-Authorization: ${apiKey}\r\nContent-Type: application/json\r\n` +
      `Content-Length: ${body.length}\r\nExpect: 100-continue\r\n\r\n${body}`,
  );
  expect(answer).toMatch(/^HTTP\/1.1 201 /);
});

test('a small body that is refused leaves the connection open for the next request', async () => {
  const body = '{"recipient":"x"}';
  const request = (close: string) =>
    `POST /v1/message/send HTTP/1.1\r\nHost: x\r\n${close}Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
  const answer = await gateway.http.raw(request('') + request('Connection: close\r\n'));
  expect(answer.match(/HTTP\/1.1 401 /g)).toHaveLength(2);
});

test('a malformed body that was read leaves the connection open for the next request', async () => {
  const { apiKey } = await gateway.account();
  const body = '{"recipient":';
  const request = (close: string) =>
    `POST /v1/message/send HTTP/1.1\r\nHost: x\r\nX-Authorization: ${apiKey}\r\n${close}Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
  const answer = await gateway.http.raw(request('') + request('Connection: close\r\n'));
  expect(answer.match(/HTTP\/1.1 400 /g)).toHaveLength(2);
  expect(answer.match(/"code":"malformed_json"/g)).toHaveLength(2);
});

test('an empty body in chunks needs no content type, and leaves the connection open; another one is 415', async () => {
  const { apiKey } = await gateway.account();
  const request = (chunks: string) =>
    `POST /v1/message/${randomUUID()}/cancel HTTP/1.1\r\nHost: x\r\nX-Authorization: ${apiKey}\r\n` +
    `Transfer-Encoding: chunked\r\n\r\n${chunks}`;
  const answer = await gateway.http.raw(request('0\r\n\r\n') + request('2\r\n{}'));
  expect(answer.match(/HTTP\/1.1 \d+/g)).toEqual(['HTTP/1.1 404', 'HTTP/1.1 415']);
});

test('two Host headers are refused, and end the connection', async () => {
  const answer = await gateway.http.raw('GET /healthz HTTP/1.1\r\nHost: a\r\nhost: b\r\n\r\n');
  expect(answer).toMatch(/^HTTP\/1.1 400 /);
  expect(answer).toMatch(/connection: close/i);
  expect(answer).toContain('"code":"malformed_request"');
});

describe('the body of a legal request is never too large', () => {
  test('the longest message, each character written in six bytes', async () => {
    const account = await gateway.account();
    const message = '\\u0061'.repeat(39_015);
    const body = `{"recipient":"${RECIPIENT}","message":"${message}"}`;
    const headers = { 'Content-Type': 'application/json' };
    for (const path of ['quote', 'send']) {
      const reply = await account.request('POST', `/v1/message/${path}`, { body, headers });
      expect([path, reply.status]).toEqual([path, path === 'send' ? 201 : 200]);
    }
  });

  test('a batch of as many entries as are allowed, each of 4 KiB; more bytes are 413 before they are read', async () => {
    const account = await gateway.account();
    const entry = { recipient: '+33612345678', message: 'x'.repeat(4_000) };
    const reply = await account.post('/v1/message/quote', { messages: Array.from({ length: 1_000 }, () => entry) });
    expect(reply.status).toBe(200);
    const { sentBytes, answer } = await upload(
      `POST /v1/message/send-batch HTTP/1.1\r\nX-Authorization: ${account.apiKey}\r\nContent-Type: application/json\r\n`,
      false,
    );
    expect(answer).toMatch(/^HTTP\/1.1 413 /);
    expect(sentBytes).toBeLessThan(UPLOAD_BYTES / 8);
    expect(answer).toContain('The body has more than 4,096,000 bytes, the most that this endpoint takes.');
    const single = await account.post('/v1/message/send', { x: 'y'.repeat(300_000) });
    expect(expectProblem(single, 413, 'body_too_large').detail).toBe(
      'The body has more than 262,144 bytes, the most that this endpoint takes.',
    );
  });
});
