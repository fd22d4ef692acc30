import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { afterEach, describe, expect, test } from '@jest/globals';
import { kannelConfig } from '../../tools/bench/against/kannel.js';
import { parseCommandLine } from '../../tools/bench/command-line.js';
import { listen } from '../../tools/harness/listen.js';
import {
  acceptedStatusOf,
  type Dialect,
  type ForeignTarget,
  readForeignTarget,
} from '../../tools/harness/load/dialects.js';
import { LoadRun } from '../../tools/harness/load/load-run.js';
import { messageOf } from '../../tools/harness/load/requests.js';

const servers: Server[] = [];

afterEach(() => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    server.close();
  }
});

interface Seen {
  readonly method: string;
  readonly path: string;
  readonly query: Readonly<Record<string, string>>;
}

/** A gateway that takes everything, and keeps what it was asked. */
async function standIn(answer: (response: ServerResponse) => void): Promise<{ port: number; seen: Seen[] }> {
  const seen: Seen[] = [];
  const server = createServer((request: IncomingMessage, response) => {
    const url = new URL(request.url ?? '', 'http://gateway');
    seen.push({ method: request.method ?? '', path: url.pathname, query: Object.fromEntries(url.searchParams) });
    answer(response);
  });
  servers.push(server);
  return { port: await listen(server), seen };
}

function load(dialect: Dialect, { port, path }: Pick<ForeignTarget, 'port' | 'path'>) {
  const request = { kind: 'foreign', dialect, path } as const;
  const job = { port, connections: 4, request, expectedStatus: acceptedStatusOf(dialect), mode: 'closed' } as const;
  return new LoadRun({ ...job, warmupMs: 0, windowMs: 300 }).run();
}

describe('the load on another gateway', () => {
  test('Kannel gets our texts by GET sendsms, and its 202 counts as accepted', async () => {
    const { port, seen } = await standIn((response) => {
      response.writeHead(202, { 'content-length': '24' });
      response.end('0: Accepted for delivery');
    });
    const result = await load('kannel', { port, path: '/cgi-bin/sendsms?username=u&password=p&dlr-mask=3' });

    expect(result.unexpected).toEqual({});
    expect(result.answeredInAll).toBe(seen.length);
    expect(result.answeredInAll).toBeGreaterThan(0);
    const texts = new Set(Array.from({ length: 1_000 }, (_, index) => messageOf(index).message));
    for (const { method, path, query } of seen) {
      const { text = '', to, ...rest } = query;
      expect([method, path, rest]).toEqual([
        'GET',
        '/cgi-bin/sendsms',
        { username: 'u', password: 'p', 'dlr-mask': '3' },
      ]);
      expect(to).toMatch(/^49151\d{7}$/);
      expect(texts).toContain(text);
    }
  });

  test('Jasmin gets them by GET send as content, and answers 200 in chunks', async () => {
    const { port, seen } = await standIn((response) => {
      response.writeHead(200);
      response.write('Success ');
      setTimeout(() => response.end('"07033084-5cfd-4812-90a4-e4d24ffb6e3d"'), 2);
    });
    const result = await load('jasmin', { port, path: '/send?username=u&password=p' });

    expect(result.unexpected).toEqual({});
    expect(result.answeredInAll).toBe(seen.length);
    expect(Object.keys(seen[0]?.query ?? {})).toEqual(['username', 'password', 'to', 'content']);
  });

  test('what it refuses is not counted as accepted', async () => {
    const { port, seen } = await standIn((response) => {
      response.writeHead(503, { 'content-length': '0' });
      response.end();
    });
    const result = await load('kannel', { port, path: '/cgi-bin/sendsms?username=u&password=p' });

    expect(result.answeredInAll).toBe(0);
    expect(result.unexpected).toEqual({ '503': seen.length });
  });
});

describe('how another gateway is named', () => {
  test.each([
    ['kannel+http://127.0.0.1:13013/cgi-bin/sendsms?username=u', 'kannel', 13_013, '/cgi-bin/sendsms?username=u'],
    ['jasmin+http://localhost/send', 'jasmin', 80, '/send'],
  ])('%s is understood', (value, dialect, port, path) => {
    expect(readForeignTarget(value)).toEqual({ dialect, port, path });
  });

  test.each([
    ['http://127.0.0.1:13013/', /DIALECT\+http/],
    ['smsc+http://127.0.0.1:13013/', /kannel, jasmin/],
    ['kannel+http://192.0.2.1/cgi-bin/sendsms', /must run on 127\.0\.0\.1/],
    ['kannel+http://[', /no URL/],
  ])('%s is refused, and it is said why', (value, reason) => {
    expect(() => readForeignTarget(value)).toThrow(reason);
  });

  test('with another gateway the comparison is what is measured, unless told otherwise', () => {
    expect(parseCommandLine(['--against-kannel', 'spool'])).toMatchObject({
      againstKannel: 'spool',
      scenarios: ['against', 'limited'],
    });
    const against = ['--against', 'jasmin+http://127.0.0.1:1401/send', '--only', 'single'];
    expect(parseCommandLine(against)).toMatchObject({
      against: { dialect: 'jasmin', port: 1401 },
      scenarios: ['single'],
    });
  });
});

describe('the Kannel that the bench starts', () => {
  const settings = {
    dir: '/run',
    adminPort: 1,
    smsboxPort: 2,
    sendPort: 3,
    simulatorPort: 4,
    carrierWindow: 50,
    submitsPerSecond: undefined,
  };

  test.each([
    ['spool', /store-type = spool\nstore-location = \/run\/spool\ndlr-storage = spool\ndlr-spool = \/run\/receipts\n/],
    ['file', /store-type = file\nstore-location = \/run\/store\.file\ndlr-storage = internal\n/],
    ['none', /^(?![\s\S]*store-type)[\s\S]*dlr-storage = internal\n/],
  ] as const)('keeps its messages in the %s store, bound to the simulator with our window', (store, expected) => {
    const text = kannelConfig({ ...settings, store });
    expect(text).toMatch(expected);
    expect(text).toMatch(/group = smsc\nsmsc = smpp\n[\s\S]*port = 4\n[\s\S]*max-pending-submits = 50\n/);
    expect(text).not.toContain('throughput');
  });

  test('an operator sets the carrier limit as its throughput', () => {
    expect(kannelConfig({ ...settings, store: 'file', submitsPerSecond: 100 })).toContain('throughput = 100\n');
  });
});
