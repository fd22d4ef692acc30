import { describe, expect, test } from '@jest/globals';
import { parseCommandLine } from '../../tools/bench/command-line.js';
import { bodiesOf, encodeRequests, type Message, messageOf } from '../../tools/harness/load/requests.js';
import { coresBetween, parseMachineStat, parseStat, secondsByRoot } from '../../tools/harness/usage.js';

describe('what the bench sends', () => {
  test('a thousand sends go to a thousand recipients', () => {
    const bodies = bodiesOf({ kind: 'send', apiKeys: ['k'] }).map((body) => JSON.parse(body) as { recipient: string });
    expect(new Set(bodies.map(({ recipient }) => recipient)).size).toBe(1_000);
  });

  test('no recipient is one that the simulator treats specially, and no text needs a second segment', () => {
    const isOrdinary = ({ recipient, message }: Message) =>
      /^\+49151[1-8]\d{6}$/.test(recipient) &&
      !/999000\d\d$/.test(recipient) &&
      /^[A-Za-z0-9 .,]{1,160}$/.test(message);
    const messages = Array.from({ length: 20_000 }, (_, index) => messageOf(index));
    expect(messages.filter((message) => !isOrdinary(message))).toEqual([]);
  });

  test('a batch holds as many entries as were asked for', () => {
    const [first = ''] = bodiesOf({ kind: 'send-batch', apiKeys: ['k'], entries: 1_000 });
    expect((JSON.parse(first) as { messages: unknown[] }).messages).toHaveLength(1_000);
  });

  test('a request on the wire says its length and its key', () => {
    const [request] = encodeRequests({ kind: 'send', apiKeys: ['secret'] }, 8_080);
    const [head = '', body = ''] = String(request).split('\r\n\r\n');
    expect(head.split('\r\n')).toEqual([
      'POST /v1/message/send HTTP/1.1',
      'host: 127.0.0.1:8080',
      'connection: keep-alive',
      'x-authorization: secret',
      'content-type: application/json',
      `content-length: ${Buffer.byteLength(body)}`,
    ]);
  });

  test('of many accounts each sends, the n-th about 1/n of what the first sends, and the same in every run', () => {
    const apiKeys = Array.from({ length: 100 }, (_, index) => `key-${index + 1}`);
    const senders = () =>
      encodeRequests({ kind: 'send', apiKeys }, 80).map(
        (request) => /x-authorization: (\S+)/.exec(String(request))?.[1],
      );
    const counts = new Map<string | undefined, number>();
    for (const sender of senders()) counts.set(sender, (counts.get(sender) ?? 0) + 1);
    expect(counts.size).toBe(100);
    const first = counts.get('key-1') ?? 0;
    for (const n of [2, 4, 8]) {
      expect((counts.get(`key-${n}`) ?? 0) / first).toBeGreaterThan(0.7 / n);
      expect((counts.get(`key-${n}`) ?? 0) / first).toBeLessThan(1.4 / n);
    }
    expect(senders()).toEqual(senders());
  });

  test('a read has no body', () => {
    const [request] = encodeRequests({ kind: 'read', apiKeys: ['secret'], path: '/v1/account' }, 80);
    expect(String(request)).toMatch(/^GET \/v1\/account HTTP\/1\.1\r\n(?!content).*\r\n\r\n$/s);
    expect(String(request)).not.toContain('content-length');
  });
});

describe('how the bench is asked for', () => {
  test('a figure is the median of three windows of ten seconds at 64 connections unless told otherwise', () => {
    const options = parseCommandLine([]);
    expect(options).toMatchObject({ windows: 3, windowMs: 10_000, connections: 64, batch: 1_000 });
    expect(options.scenarios).toEqual(['e2e', 'reads', 'idle', 'single', 'batch']);
    expect(options.queue).toBeUndefined();
  });

  test('single scenarios can be picked', () => {
    expect(parseCommandLine(['--only', 'batch, single']).scenarios).toEqual(['batch', 'single']);
  });
});

describe('what the bench reads from the system', () => {
  const stat = (pid: number, name: string, parent: number, user: number, system: number) =>
    parseStat(`${pid} (${name}) S ${parent} 1 1 0 -1 4194560 1 2 3 4 ${user} ${system} 0 0 20 0 1 0 100`);

  test('a process is known by its number and parent, also when its name has spaces and parentheses', () => {
    expect(stat(12, 'post (x) y', 7, 150, 50)).toEqual({ pid: 12, parent: 7, name: 'post (x) y', seconds: 2 });
  });

  test('what a server lets its children do counts as its own, and strangers count for nobody', () => {
    const times = [
      stat(2, 'postgres', 9, 100, 0),
      stat(3, 'a', 2, 100, 100),
      stat(4, 'b', 3, 50, 50),
      stat(5, 'x', 9, 900, 0),
    ];
    expect(secondsByRoot(times, new Map([[2, 'postgres']]))).toEqual(new Map([['postgres', 4]]));
  });

  test('a machine is busy with everything but idling, waiting for the disk, and what the hypervisor took', () => {
    expect(parseMachineStat('cpu  100 20 30 9000 800 4 6 700 0 0\ncpu0 1 1 1 1 1 1 1 1 0 0\n')).toEqual({
      busySeconds: 1.6,
      stolenSeconds: 7,
    });
  });

  test('what strangers did to the machine meanwhile stands beside the figures', () => {
    const before = {
      atMs: 1_000,
      machine: { busySeconds: 50, stolenSeconds: 3 },
      seconds: new Map([
        ['gateway', 5],
        ['worker', 2],
      ]),
    };
    const after = {
      atMs: 11_000,
      machine: { busySeconds: 66, stolenSeconds: 8 },
      seconds: new Map([
        ['gateway', 14],
        ['worker', 2],
      ]),
    };
    expect(coresBetween(before, after)).toEqual({ gateway: 0.9, others: 0.7, stolen: 0.5 });
    expect(coresBetween({ ...before, machine: undefined }, after)).toEqual({ gateway: 0.9 });
  });
});
