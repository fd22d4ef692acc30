import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, test } from '@jest/globals';
import { LateRequests } from '../../apps/gateway/http/late-requests.js';
import { expectProblem } from '../support/expect-problem.js';
import { RECIPIENT, TestGateway } from '../support/gateway.js';

/** As long as a turn of the event loop may serve late requests. */
const WORK_MS = 1;
/** Late requests gather for 20 ms, and a timer of Node may be a little early. */
const GATHER_LEAST_MS = 15;

test('however many requests are late, others are served after each few of them, and they keep their order', async () => {
  const late = new LateRequests();
  const served: number[] = [];
  for (let n = 0; n < 50; n += 1) {
    late.later(() => {
      served.push(n);
      const endMs = performance.now() + WORK_MS;
      while (performance.now() < endMs);
    });
  }
  for (let before = 0; served.length < 50; before = served.length) {
    await nextTurn();
    expect(served.length - before).toBeLessThanOrEqual(1);
  }
  expect(served).toEqual(Array.from({ length: 50 }, (_, n) => n));
});

test('the first late request after a pause waits for nothing, and the next ones are served together', async () => {
  const late = new LateRequests();
  const servedMs: number[] = [];
  const serve = () => servedMs.push(performance.now());
  late.later(serve);
  await nextTurn();
  expect(servedMs).toHaveLength(1);
  for (let n = 0; n < 5; n += 1) late.later(serve);
  while (servedMs.length < 6) await nextTurn();
  const [first = 0, second = 0] = servedMs;
  expect(second - first).toBeGreaterThan(GATHER_LEAST_MS);
});

test('an account that was refused a thousand times is served as before, and refused for the same reasons', async () => {
  const gateway = await TestGateway.start();
  try {
    const account = await gateway.account();
    await account.deposit('10');
    const wrong = () => account.post('/v1/message/send', { recipient: 1, message: 'hi' });
    for (let round = 0; round < 20; round += 1) {
      const replies = await Promise.all(Array.from({ length: 50 }, wrong));
      for (const reply of replies) expectProblem(reply, 400, 'invalid_request');
    }
    expect((await account.post('/v1/message/send', { recipient: RECIPIENT, message: 'hi' })).status).toBe(201);
    expect((await account.get('/v1/account/balance')).status).toBe(200);
    expectProblem(
      await gateway.http.request('GET', '/v1/account', { headers: { 'X-Authorization': 'hg_wrong' } }),
      401,
      'unauthorized',
    );
  } finally {
    await gateway.close();
  }
});
