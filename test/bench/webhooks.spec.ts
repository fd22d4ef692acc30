import { request } from 'node:http';
import { connect } from 'node:net';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { type Figure, publish, type Window } from '../../tools/bench/figures.js';
import { CountingReceiver } from '../../tools/bench/receiver/counting-receiver.js';
import { boundLines } from '../../tools/bench/report-text.js';
import { eventually } from '../support/eventually.js';

let receiver: CountingReceiver;

beforeEach(async () => {
  receiver = await CountingReceiver.start();
});
afterEach(() => receiver.close());

function eventOf(messageId: string, status: string, atMs: number): string {
  return JSON.stringify({ timestamp: new Date(atMs).toISOString(), data: { messageId, status, tag: 'é' } });
}

function post(body: string): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const headers = { 'content-length': Buffer.byteLength(body) };
    const sent = request(receiver.url, { method: 'POST', headers }, (response) => {
      response.resume().on('end', () => resolve(response.statusCode));
    });
    sent.on('error', reject).end(body);
  });
}

describe('the receiver of the bench', () => {
  test('counts each change of a message once, however often it is told', async () => {
    for (const status of ['sent', 'delivered', 'sent']) expect(await post(eventOf('a', status, 0))).toBe(204);
    expect(await post(eventOf('b', 'sent', 0))).toBe(204);
    expect([receiver.changes, receiver.repeats]).toEqual([3, 1]);
  });

  test('tells how long events took from their change, also those that came when the window was over', async () => {
    const fromMs = Date.now() - 60_000;
    const toMs = fromMs + 30_000;
    await post(eventOf('in the window', 'sent', fromMs + 1_000));
    await post(eventOf('before the window', 'sent', fromMs - 1_000));
    const late = receiver.between(fromMs, toMs);
    expect(late.perSecond).toBe(0);
    expect(late.lag.p50Ms).toBeGreaterThanOrEqual(59_000);
    expect(late.lag.p99Ms).toBeLessThan(61_000);
    expect(receiver.between(toMs, toMs + 40_000).perSecond).toBe(2 / 40);
  });

  test('understands requests that come in pieces, and several in one piece', async () => {
    const wire = ['a', 'b', 'c'].map((id) => {
      const body = eventOf(id, 'sent', 0);
      return `POST /events HTTP/1.1\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;
    });
    const bytes = Buffer.from(wire.join(''));
    const socket = connect(Number(new URL(receiver.url).port), '127.0.0.1');
    let answers = '';
    socket.setNoDelay(true).on('data', (chunk) => {
      answers += String(chunk);
    });
    for (const [start, end] of [
      [0, 10],
      [10, 100],
      [100, bytes.length],
    ]) {
      await new Promise((written) => socket.write(bytes.subarray(start, end), written));
    }
    await eventually(() => expect(answers.match(/ 204 /g)).toHaveLength(3));
    expect(receiver.changes).toBe(3);
    socket.destroy();
  });
});

describe('what webhooks should not be below or above', () => {
  const window: Window = { perSecond: 2_000, p50Ms: 1, p99Ms: 800, p999Ms: 900, unexpected: {}, cores: {} };
  const figure: Figure = { id: 'on', title: 'told', unit: 'events', windows: [window], yardstick: 'off' };
  const off: Figure = { id: 'off', title: 'told', unit: 'events', windows: [{ ...window, perSecond: 2_500 }] };
  const linesOf = (bounds: Partial<Figure>) => publish([{ ...figure, ...bounds }, off]).flatMap(boundLines);

  test('a bound that a figure misses is told as LOW, and one that it keeps as ok', () => {
    expect(linesOf({})).toEqual([]);
    expect(linesOf({ floor: 0.9, perSecondMin: 3_000, p99MaxMs: 700 })).toEqual([
      'LOW  on is 0.80 of off; the floor is 0.9',
      'LOW  on is 2,000 events a second; the floor is 3,000',
      'LOW  on has a p99 of 800 ms; at most 700 is wanted',
    ]);
    expect(linesOf({ floor: 0.8, perSecondMin: 2_000, p99MaxMs: 800 }).every((line) => line.startsWith('ok '))).toBe(
      true,
    );
  });
});
