import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { heedPollFactor, pacedMs } from '../../apps/console/shell/poll-every.js';
import { PollPace } from '../../apps/gateway/http/poll-pace.js';
import { eventually } from '../support/eventually.js';
import { type TestAccount, TestGateway } from '../support/gateway.js';
import { operatorApi } from '../support/operator-api.js';

/** Evenly spread between 0 and 1, the same in each run. */
const chanceOf = (count: number) => (count * 0.618_033_988_749) % 1;

/** Pages that would like to ask every so often, and heed what they are told. Gives the polls of each second. */
function simulate(pace: PollPace, startMs: number, pages: number, everyMs: number, seconds: number): number[] {
  const polls = Array.from({ length: seconds }, () => 0);
  const dueMs = Array.from({ length: pages }, (_, page) => startMs + (page * everyMs) / pages);
  let asked = 0;
  for (let second = 0; second < seconds; second += 1) {
    const endMs = startMs + (second + 1) * 1_000;
    for (;;) {
      const page = earliestOf(dueMs);
      const atMs = dueMs[page] as number;
      if (atMs >= endMs) break;
      asked += 1;
      heedPollFactor(String(pace.take(atMs)));
      dueMs[page] = atMs + pacedMs(everyMs, chanceOf(asked));
      polls[second] = (polls[second] as number) + 1;
    }
  }
  return polls;
}

function earliestOf(dueMs: readonly number[]): number {
  let earliest = 0;
  for (let page = 1; page < dueMs.length; page += 1) {
    if ((dueMs[page] as number) < (dueMs[earliest] as number)) earliest = page;
  }
  return earliest;
}

const mean = (counts: readonly number[]) => counts.reduce((sum, count) => sum + count, 0) / counts.length;

describe('open consoles', () => {
  test('that are few ask as often as they like', () => {
    const polls = simulate(new PollPace(), performance.now(), 200, 5_000, 60);
    expect(mean(polls)).toBeCloseTo(40, 0);
  });

  test.each([
    [1_000, 3_000],
    [1_000, 5_000],
    [1_000, 15_000],
  ])('that are %d and want to ask every %d ms ask together for no more than 50 a second', (pages, everyMs) => {
    const polls = simulate(new PollPace(), performance.now(), pages, everyMs, 300);
    expect(mean(polls.slice(120))).toBeLessThan(52);
    expect(mean(polls.slice(120))).toBeGreaterThan(40);
  });

  test('ask as often as before when most have been closed', () => {
    const pace = new PollPace();
    const startMs = performance.now();
    simulate(pace, startMs, 1_000, 5_000, 120);
    const polls = simulate(pace, startMs + 120_000, 20, 5_000, 300);
    expect(mean(polls.slice(-60))).toBeCloseTo(4, 0);
  });
});

describe('an answer tells how many times less often to ask', () => {
  let gateway: TestGateway;
  let account: TestAccount;
  beforeAll(async () => {
    gateway = await TestGateway.start();
    account = await gateway.account();
  });
  afterAll(() => gateway.close());

  test('of both consoles, and only if the page has asked by itself', async () => {
    const headers = { 'X-Background': '1' };
    const poll = () => account.request('GET', '/v1/account', { headers });
    expect((await poll()).headers).not.toHaveProperty('x-poll-factor');
    // More than 50 a second, for longer than a window of two seconds.
    await eventually(async () => {
      const replies = await Promise.all(Array.from({ length: 20 }, poll));
      return replies.some((reply) => Number(reply.headers['x-poll-factor']) > 1);
    });
    expect((await account.request('GET', '/v1/account')).headers).not.toHaveProperty('x-poll-factor');
    const operators = operatorApi(gateway);
    const overview = await operators.request('GET', '/api/overview', { headers });
    expect(Number(overview.headers['x-poll-factor'])).toBeGreaterThanOrEqual(1);
    operators.close();
  });
});
