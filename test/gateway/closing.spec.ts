import { once } from 'node:events';
import { Agent, request } from 'node:http';
import { Worker } from 'node:worker_threads';
import { afterEach, describe, expect, test } from '@jest/globals';
import pg from 'pg';
import { loadConfig } from '#config';
import { eventually } from '../support/eventually.js';
import { RECIPIENT, TestGateway } from '../support/gateway.js';
import { lockWaits } from '../support/lock-waits.js';

const NOTICE_MS = 500;
const NOTICE = { SHUTDOWN_NOTICE_MS: String(NOTICE_MS) };

interface Outcome {
  readonly status?: number;
  readonly connection?: string | undefined;
  readonly error?: string;
  /** The connection had carried a request before, so the gateway had surely taken it on. */
  readonly isReused?: boolean;
}

/** One send on an agent's connection; tells what came back, or how it failed. */
function send(port: number, apiKey: string, agent: Agent): Promise<Outcome> {
  const body = JSON.stringify({ recipient: RECIPIENT, message: 'hi' });
  const headers = {
    'X-Authorization': apiKey,
    'Content-Type': 'application/json',
    'Content-Length': String(body.length),
  };
  return new Promise((resolve) => {
    const sent = request(
      { host: '127.0.0.1', port, method: 'POST', path: '/v1/message/send', headers, agent },
      (reply) => {
        reply.resume();
        reply.on('end', () => resolve({ status: reply.statusCode ?? 0, connection: reply.headers.connection }));
        reply.on('error', (error) => resolve({ error: error.message }));
      },
    );
    sent.on('error', (error: NodeJS.ErrnoException) =>
      resolve({ error: error.code ?? error.message, isReused: sent.reusedSocket }),
    );
    sent.end(body);
  });
}

/**
 * In a thread of its own: opens connections with one request each, and on a word sends the next one on all of them.
 * Counts in `sent` those that have left it.
 */
const KEPT_ALIVE_CLIENT = `
  const { parentPort, workerData: { port, connections, sent } } = require('node:worker_threads');
  const { Agent, get } = require('node:http');
  const agents = Array.from({ length: connections }, () => new Agent({ keepAlive: true }));
  const ask = (agent) => new Promise((resolve) => {
    get({ host: '127.0.0.1', port, path: '/v1/account', agent }, (reply) => {
      reply.resume().on('end', () => resolve(reply.statusCode));
    }).on('error', (error) => resolve(error.code)).on('finish', () => {
      Atomics.add(sent, 0, 1);
      Atomics.notify(sent, 0);
    });
  });
  const askAll = () => Promise.all(agents.map(ask)).then((statuses) => parentPort.postMessage(statuses));
  parentPort.once('message', askAll);
  askAll();
`;

describe('a gateway that is told to stop', () => {
  const agents: Agent[] = [];
  const newAgent = () => {
    const agent = new Agent({ keepAlive: true });
    agents.push(agent);
    return agent;
  };
  afterEach(() => {
    for (const agent of agents.splice(0)) agent.destroy();
  });

  test('under load answers every request that reached it: no reset, and every accepted message is stored', async () => {
    const gateway = await TestGateway.start();
    const beside = await TestGateway.start({ beside: gateway, settings: NOTICE });
    const account = await gateway.account({ deposit: '10000' });
    const outcomes: Outcome[] = [];
    const clients = Array.from({ length: 24 }, async () => {
      const agent = newAgent();
      for (;;) {
        const outcome = await send(beside.port, account.apiKey, agent);
        outcomes.push(outcome);
        // A client that finds nobody listening any more was not cut off.
        if (outcome.error !== undefined) return;
      }
    });
    await eventually(() => outcomes.length > 200);
    await beside.close();
    await Promise.all(clients);

    // Whoever came after the end was refused, or was still in the kernel's queue of connections that nobody had
    // accepted.
    const failures = outcomes.filter(({ error }) => error !== undefined);
    expect(failures.filter(({ isReused }) => isReused)).toEqual([]);
    expect(['ECONNREFUSED', 'ECONNRESET']).toEqual(expect.arrayContaining(failures.map(({ error }) => error)));
    const answered = outcomes.filter(({ error }) => error === undefined);
    expect(new Set(answered.map(({ status }) => status))).toEqual(new Set([201]));
    expect(answered.filter(({ connection }) => connection === 'close').length).toBeGreaterThanOrEqual(24);
    expect((await account.standing()).messages).toBe(answered.length);
    await gateway.close();
  });

  test('finishes what waits for the database, is not ready meanwhile, and then takes no more', async () => {
    const gateway = await TestGateway.start();
    const beside = await TestGateway.start({ beside: gateway, settings: NOTICE });
    const account = await gateway.account();
    const holder = new pg.Client({ connectionString: gateway.databaseUrl });
    await holder.connect();
    await holder.query('begin');
    await holder.query('select from account_balance where account_id = $1 for update', [account.accountId]);
    const blocked = send(beside.port, account.apiKey, newAgent());
    await eventually(async () => (await lockWaits(gateway.database)) > 0);
    const idle = newAgent();
    const { port } = beside;
    const closing = beside.close();
    const ready = await new Promise<number>((resolve, reject) => {
      request({ host: '127.0.0.1', port, path: '/readyz', agent: idle }, (reply) => {
        reply.resume();
        resolve(reply.statusCode ?? 0);
      })
        .on('error', reject)
        .end();
    });
    expect(ready).toBe(503);
    await holder.query('rollback');
    await holder.end();
    expect(await blocked).toEqual({ status: 201, connection: 'close' });
    await closing;
    expect(await send(port, account.apiKey, newAgent())).toMatchObject({ error: 'ECONNREFUSED' });
    expect(await account.standing()).toEqual({ balance: 99.925, messages: 1 });
    await gateway.close();
  });

  test('cuts no connection whose request it had no time to read', async () => {
    const gateway = await TestGateway.start({ settings: { SHUTDOWN_NOTICE_MS: String(2 * NOTICE_MS) } });
    const sent = new Int32Array(new SharedArrayBuffer(4));
    const workerData = { port: gateway.port, connections: 12, sent };
    const client = new Worker(KEPT_ALIVE_CLIENT, { eval: true, workerData });
    await once(client, 'message');
    const closing = gateway.close();
    const toldMs = performance.now();
    await eventually(() => performance.now() - toldMs > NOTICE_MS);
    // The loop stands still from before the end of the notice until after it; the requests come meanwhile.
    client.postMessage('go');
    const untilMs = toldMs + 2 * NOTICE_MS + 200;
    let count = 0;
    do {
      count = sent[0] ?? 0;
    } while (count < 24 && Atomics.wait(sent, 0, count, 30_000) !== 'timed-out');
    Atomics.wait(sent, 0, 24, Math.max(0, untilMs - performance.now()));
    const [statuses] = (await once(client, 'message')) as [(number | string)[]];
    expect(statuses).toEqual(Array.from({ length: 12 }, () => 401));
    await closing;
    await client.terminate();
  });

  test('still takes new clients while its notice runs, though nobody was connected when it began', async () => {
    const gateway = await TestGateway.start({ settings: { SHUTDOWN_NOTICE_MS: '1500' } });
    const account = await gateway.account();
    const closing = gateway.close();
    await eventually(async () => expect((await gateway.http.request('GET', '/readyz')).status).toBe(503));
    expect(await send(gateway.port, account.apiKey, newAgent())).toEqual({ status: 201, connection: 'close' });
    await closing;
    expect(await send(gateway.port, account.apiKey, newAgent())).toMatchObject({ error: 'ECONNREFUSED' });
  });

  test('does not start with a notice that is longer than its grace', () => {
    const load = () => loadConfig({ SHUTDOWN_NOTICE_MS: '5000', SHUTDOWN_GRACE_MS: '5000' });
    expect(load).toThrow(/^SHUTDOWN_NOTICE_MS must be less than SHUTDOWN_GRACE_MS$/);
  });

  test('does not wait for clients that hold a connection and say nothing', async () => {
    const gateway = await TestGateway.start({ settings: NOTICE });
    const account = await gateway.account();
    const agent = newAgent();
    expect((await send(gateway.port, account.apiKey, agent)).status).toBe(201);
    const startedMs = performance.now();
    await gateway.close();
    expect(performance.now() - startedMs).toBeLessThan(5_000);
  });
});
