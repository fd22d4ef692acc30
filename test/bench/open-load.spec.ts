import { createServer, type Server } from 'node:http';
import { afterEach, expect, test } from '@jest/globals';
import { listen } from '../../tools/harness/listen.js';
import { LoadRun } from '../../tools/harness/load/load-run.js';

const servers: Server[] = [];

afterEach(() => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    server.close();
  }
});

/** Answers at once, but for one stretch of time in which it answers nothing. */
async function stallingServer(stallMs: number): Promise<number> {
  let stalledUntil = 0;
  let isFirst = true;
  const server = createServer((_request, response) => {
    if (isFirst) stalledUntil = performance.now() + stallMs;
    isFirst = false;
    setTimeout(() => response.writeHead(201, { 'content-length': '0' }).end(), stalledUntil - performance.now());
  });
  servers.push(server);
  return listen(server);
}

test('under an open load a stall is felt by every request that was due in it, not only by those under way', async () => {
  const port = await stallingServer(400);
  const request = { kind: 'send', apiKeys: ['k'] } as const;
  const job = { port, connections: 2, request, expectedStatus: 201, warmupMs: 0, windowMs: 800 };

  const open = await new LoadRun({ ...job, mode: 'open', perSecond: 200 }).run();

  expect(open.unexpected).toEqual({});
  expect(open.answeredInAll).toBeGreaterThanOrEqual(160);
  // Half of the requests were due in the stall: of an even 0 to 400 ms the median of all is near its end.
  expect(open.p99Ms).toBeGreaterThan(300);
  // Here only one request of each connection is under way in the stall: two of the many that follow it.
  const closedPort = await stallingServer(400);
  const closed = await new LoadRun({ ...job, port: closedPort, mode: 'closed', windowMs: 2_000 }).run();
  expect(closed.p99Ms).toBeLessThan(open.p99Ms);
});
