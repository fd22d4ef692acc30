import { connect, type Socket } from 'node:net';
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { eventually } from '../support/eventually.js';
import { RECIPIENT, type TestAccount, TestGateway } from '../support/gateway.js';

let gateway: TestGateway;
let account: TestAccount;
beforeAll(async () => {
  gateway = await TestGateway.start();
});
// Its key is not known to the gateway yet.
beforeEach(async () => {
  account = await gateway.account();
});
afterAll(() => gateway.close());

const QUOTE = '/v1/message/quote';
const JSON_TYPE = { 'Content-Type': 'application/json' };
/** So many of these fill the memory that an account may have for large bodies. */
const LARGE_MAX = 4;
const LARGE = JSON.stringify({
  messages: Array.from({ length: 1_000 }, () => ({ recipient: RECIPIENT, message: 'm'.repeat(3_900) })),
});

const headOf = (length: string) =>
  `POST ${QUOTE} HTTP/1.1\r\nHost: x\r\nX-Authorization: ${account.apiKey}\r\nContent-Type: application/json\r\n${length}\r\n\r\n`;
const times = <Result>(count: number, work: () => Result) => Array.from({ length: count }, work);

test('the memory of large bodies is given back if clients leave while their key is looked up', async () => {
  await gateway.database.transaction(async (transaction) => {
    await transaction.query('lock table api_key in access exclusive mode');
    const left = () => gateway.http.raw(headOf(`Content-Length: ${Buffer.byteLength(LARGE)}`), { ends: true });
    await Promise.all(times(LARGE_MAX, left));
  });
  expect((await account.request('POST', QUOTE, { body: LARGE, headers: JSON_TYPE })).status).toBe(200);
});

test('a small body takes none of it, also if it declares no length', async () => {
  const sockets: Socket[] = [];
  const answers: string[] = [];
  /** Begins to send a body in chunks, and does not go on. */
  const begin = (part: string) => {
    const chunk = `${part.length.toString(16)}\r\n${part}\r\n`;
    const socket = connect(gateway.port, '127.0.0.1', () => {
      socket.write(`${headOf('Transfer-Encoding: chunked')}${chunk}`);
    });
    sockets.push(socket);
    socket.on('error', () => undefined);
    socket.on('data', (answer) => answers.push(answer.toString()));
  };
  const body = JSON.stringify({ messages: [{ recipient: RECIPIENT, message: 'hi' }] });
  const small = () => account.request('POST', QUOTE, { body, headers: JSON_TYPE, chunked: true });
  try {
    times(2 * LARGE_MAX, () => begin('{'));
    for (const reply of await Promise.all(times(2 * LARGE_MAX, small))) expect(reply.status).toBe(200);
    times(LARGE_MAX + 1, () => begin(' '.repeat(300_000)));
    await eventually(() => answers.length > 0);
    expect(answers).toHaveLength(1);
    expect(answers[0]).toMatch(/^HTTP\/1.1 503 /);
    expect((await small()).status).toBe(200);
  } finally {
    for (const socket of sockets) socket.destroy();
  }
});
