import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { PIPELINED_MAX } from '../../apps/gateway/http/pipelining.js';
import { eventually } from '../support/eventually.js';
import { RECIPIENT, type TestAccount, TestGateway } from '../support/gateway.js';

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await TestGateway.start();
});
afterAll(() => gateway.close());

/** Everything that is answered until the connection ends. */
const answersTo = (port: number, requests: string): Promise<string[]> =>
  new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => socket.write(requests));
    let answer = '';
    socket.on('data', (chunk) => {
      answer += chunk.toString('latin1');
    });
    socket.on('error', () => undefined);
    socket.on('close', () => resolve(answer.split(/(?=HTTP\/1\.1 )/)));
  });

function sendOf({ apiKey }: TestAccount, host = 'Host: x\r\n'): string {
  const body = JSON.stringify({ recipient: RECIPIENT, message: 'hi' });
  return (
    `POST /v1/message/send HTTP/1.1\r\n${host}X-Authorization: ${apiKey}\r\n` +
    `Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`
  );
}

const areAccepted = (answers: readonly string[]) =>
  expect(answers.filter((answer) => !answer.startsWith('HTTP/1.1 201 '))).toEqual([]);

describe('2,000 requests at once on a connection', () => {
  test('are begun in part: a send is accepted exactly if it is answered', async () => {
    const account = await gateway.account({ deposit: '1000' });
    const answers = await answersTo(gateway.port, sendOf(account).repeat(2_000));
    areAccepted(answers);
    expect(answers.at(-1)).toMatch(/^connection: close/im);
    expect((await account.standing()).messages).toBe(answers.length);
    expect(answers.length).toBeGreaterThan(PIPELINED_MAX);
    expect(answers.length).toBeLessThan(2_000);
  });

  test('that cannot be routed are answered in part', async () => {
    const answers = await answersTo(gateway.port, 'GET /%zz HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(2_000));
    expect(answers.at(-1)).toMatch(/^connection: close/im);
    expect(answers.length).toBeLessThan(2_000);
  });
});

describe('a request that comes before the answer to another one', () => {
  test('sees what the one before it has done', async () => {
    const account = await gateway.account({ deposit: '1' });
    const balance = (ends: string) =>
      `GET /v1/account/balance HTTP/1.1\r\nHost: x\r\nX-Authorization: ${account.apiKey}\r\n${ends}\r\n`;
    const requests = [balance(''), sendOf(account), balance(''), sendOf(account), balance('Connection: close\r\n')];
    const answers = await answersTo(gateway.port, requests.join(''));
    const [before, after, atLast] = answers.flatMap((answer) => /"balance":([\d.]+)/.exec(answer)?.[1] ?? []);
    expect(answers).toHaveLength(5);
    expect(before).toBe('1');
    expect(Number(before) - Number(after)).toBeGreaterThan(0);
    expect(Number(after) - Number(atLast)).toBeCloseTo(Number(before) - Number(after));
  });

  test('is not begun when that answer ends the connection', async () => {
    const account = await gateway.account({ deposit: '1' });
    for (let time = 0; time < 10; time++) {
      const [answer, ...others] = await answersTo(gateway.port, sendOf(account, '') + sendOf(account).repeat(3));
      expect(answer).toMatch(/^HTTP\/1.1 400 /);
      expect(others).toEqual([]);
    }
    expect((await account.standing()).messages).toBe(0);
  });

  test('is not begun when the gateway stops: a send is accepted exactly if it is answered', async () => {
    const beside = await TestGateway.start({ beside: gateway, settings: { SHUTDOWN_NOTICE_MS: '1500' } });
    const account = await gateway.account({ deposit: '1' });
    const closing = beside.close();
    await eventually(async () => expect((await beside.http.request('GET', '/readyz')).status).toBe(503));
    const answers = await answersTo(beside.port, sendOf(account).repeat(5));
    await closing;
    areAccepted(answers);
    expect((await account.standing()).messages).toBe(answers.length);
  });
});
