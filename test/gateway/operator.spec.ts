import { hostname } from 'node:os';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { addCarrier } from '#persistence';
import { recordHeartbeat } from '../../libs/persistence/database/heartbeat.js';
import { eventually } from '../support/eventually.js';
import { OPERATOR_PASSWORD, RECIPIENT, TestGateway } from '../support/gateway.js';
import { HttpClient } from '../support/http-client.js';
import { openQueue, QUEUE_BACK_ENDS } from '../support/queue.js';
import { smppCarrier } from '../support/smpp-carrier.js';

const basic = (password: string, user = 'operator') => ({
  Authorization: `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`,
});

describe.each(QUEUE_BACK_ENDS)('the operator listener with the queue on %s', (backEnd) => {
  let gateway: TestGateway;
  let http: HttpClient;
  beforeAll(async () => {
    gateway = await TestGateway.start({ backEnd });
    http = new HttpClient(gateway.operatorPort);
    await addCarrier(gateway.database, smppCarrier({ name: 'one' }));
    // The board reads the list of carriers at times.
    await eventually(async () => expect((await get('/queues/api/queues')).text).toContain('carrier-one'));
  });
  afterAll(async () => {
    http.close();
    await gateway.close();
  });

  const get = (path: string, headers: Record<string, string> = basic(OPERATOR_PASSWORD)) =>
    http.request('GET', path, { headers });

  /** The files that the board's page is made of. */
  async function assets(): Promise<string[]> {
    const page = await get('/queues');
    return [...page.text.matchAll(/(?:src|href)="([^"]+\.(?:js|css|svg|ico|png))"/g)].map(
      ([, path = '']) => new URL(path, 'http://x/queues/').pathname,
    );
  }

  test('every path but the pages of the console asks for the password, the files of the board as well', async () => {
    const paths = [
      '/queues',
      '/queues/',
      '/queues/api/queues',
      '/queues/queue/carrier-one',
      '/metrics',
      '/metrics/service',
      '/metrics/targets',
    ];
    const files = await assets();
    expect(files.length).toBeGreaterThan(0);
    for (const path of [...paths, ...files, '/queues/%61pi/queues']) {
      const reply = await get(path, {});
      expect([path, reply.status]).toEqual([path, 401]);
      expect(reply.headers['www-authenticate']).toBe('Basic realm="Heliograph operator", charset="UTF-8"');
    }
  });

  test.each([
    ['a wrong password', basic('wrong')],
    ['an empty one', basic('')],
    ['the right one and more', basic(`${OPERATOR_PASSWORD}x`)],
    ['another scheme', { Authorization: `Bearer ${OPERATOR_PASSWORD}` }],
    ['no base64', { Authorization: 'Basic ???' }],
  ])('%s opens nothing', async (_what, headers) => {
    expect((await get('/metrics', headers)).status).toBe(401);
  });

  test('any user name does', async () => {
    expect((await get('/metrics', basic(OPERATOR_PASSWORD, 'anybody'))).status).toBe(200);
    expect(
      (await get('/metrics', { Authorization: basic(OPERATOR_PASSWORD).Authorization.replace('Basic', 'basic') }))
        .status,
    ).toBe(200);
  });

  test('/queues is served whole, and shows jobs by number, without texts and recipients', async () => {
    const account = await gateway.account();
    const { json } = await account.send({ recipient: RECIPIENT, message: 'for your eyes only' });
    const producer = await openQueue(gateway.settings);
    const { message_uuid: id } = json as { message_uuid: string };
    await producer.queues.enqueue('one', 'interactive', [id]);
    await producer.close();
    for (const path of ['/queues', ...(await assets())]) expect([path, (await get(path)).status]).toEqual([path, 200]);
    const board = await eventually(async () => {
      const reply = await get('/queues/api/queues?activeQueue=carrier-one&status=latest&page=1');
      expect(reply.text).toContain('"orders":1');
      return reply;
    });
    expect(board.text).not.toMatch(/eyes only|46700100200/);
  });

  test('the board lets the browser ask nobody else, and bears the name of the service', async () => {
    const page = await get('/queues');
    expect(page.headers['content-security-policy']).toMatch(/^default-src 'self';/);
    expect(page.headers).toMatchObject({ 'x-content-type-options': 'nosniff', 'referrer-policy': 'no-referrer' });
    expect(page.text).toContain('<title>Heliograph queues</title>');
    expect(page.text).not.toMatch(/(src|href)="(https?:)?\/\//);
  });

  test('/queues changes nothing', async () => {
    const before = (await get('/queues/api/queues')).text;
    for (const action of ['clean/completed', 'pause', 'empty', 'obliterate', 'retry/failed']) {
      const reply = await http.request('PUT', `/queues/api/queues/carrier-one/${action}`, {
        headers: basic(OPERATOR_PASSWORD),
      });
      expect(reply.status).toBeGreaterThanOrEqual(400);
    }
    expect((await get('/queues/api/queues')).text.replaceAll(/\d{13}/g, '')).toBe(before.replaceAll(/\d{13}/g, ''));
  });

  test('/metrics counts what was accepted and refused, and tells of no account, number or text', async () => {
    const account = await gateway.account({ deposit: '1' });
    await account.sendBatch([
      { recipient: RECIPIENT, message: 'hush' },
      { recipient: RECIPIENT, message: 'hush' },
    ]);
    await account.send({ recipient: 'me', message: 'hush' });
    const { text, headers } = await get('/metrics');
    expect(headers['content-type']).toBe('text/plain; version=0.0.4; charset=utf-8');
    expect(text).toMatch(/^heliograph_messages_accepted_total [1-9]/m);
    expect(text).toMatch(/^heliograph_requests_refused_total\{code="recipient_invalid"\} [1-9]/m);
    expect(text).toMatch(/^heliograph_commit_requests_bucket/m);
    const service = (await get('/metrics/service')).text;
    expect(service).toMatch(/^heliograph_queue_jobs\{state="interactive"\} [1-9]/m);
    expect(service).toMatch(/^heliograph_ledger_units\{currency="EUR",bucket="reserved"\} 0\.\d+/m);
    expect(text + service).not.toMatch(/hush|46700100200|hg_/);
  });

  test('/metrics/targets names no address that leads elsewhere: the loopback one of another machine', async () => {
    const beat = (processId: string, host: string, metricsAddress: string) =>
      recordHeartbeat(gateway.database, { processId, role: 'worker', details: { host, metricsAddress } });
    await beat('far-1', 'another', '127.0.0.1:3002');
    await beat('far-2', 'another', '[::1]:3003');
    await beat('far-3', 'another', '192.0.2.7:3002');
    await beat('near', hostname(), '127.0.0.1:3004');
    const { json } = await get('/metrics/targets');
    const own = `127.0.0.1:${gateway.operatorPort}`;
    const wanted = [
      { targets: ['192.0.2.7:3002'], labels: { role: 'worker' } },
      { targets: ['127.0.0.1:3004'], labels: { role: 'worker' } },
      {
        targets: [own],
        labels: { __metrics_path__: '/metrics/service', job: 'heliograph-service', instance: 'service' },
      },
    ];
    expect(json).toEqual([{ targets: [own], labels: { role: 'gateway' } }, ...wanted]);
  });

  test('none of it is on the listener of the clients', async () => {
    for (const path of ['/queues', '/metrics']) expect((await gateway.http.request('GET', path)).status).toBe(404);
  });
});
