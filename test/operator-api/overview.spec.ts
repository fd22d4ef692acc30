import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { Ajv, type AnySchema } from 'ajv';
import { addCarrier, foldTraffic } from '#persistence';
import { recordHeartbeat } from '../../libs/persistence/database/heartbeat.js';
import { RECIPIENT, TestGateway } from '../support/gateway.js';
import { type OperatorApi, operatorApi } from '../support/operator-api.js';
import { smppCarrier } from '../support/smpp-carrier.js';

let gateway: TestGateway;
let api: OperatorApi;
beforeAll(async () => {
  gateway = await TestGateway.start();
  api = operatorApi(gateway);
});
afterAll(async () => {
  api.close();
  await gateway.close();
});

interface Document {
  readonly paths: Record<
    string,
    { get: { responses: Record<'200', { content: Record<string, { schema: AnySchema }> }> } }
  >;
}

test('the overview shows messages and money as it is described, and all viewers see one snapshot', async () => {
  const account = await gateway.account();
  const { json } = await account.send({ recipient: RECIPIENT, message: 'Hello' });
  expect(json).toMatchObject({ success: true });
  await foldTraffic(gateway.database, 100);
  const document = (await api.get('/api/openapi.json')).as<Document>();
  const overview = await api.get('/api/overview');
  expect(overview.json).toMatchObject({
    traffic: { lastHour: { accepted: 1, delivered: 0 } },
    accounts: [{ accountId: account.accountId, lastHour: { accepted: 1 } }],
    money: [{ currency: 'EUR', deposited: '100' }],
    work: { queued: 1 },
    processes: { gateway: 1, worker: 0 },
  });
  const schema = document.paths['/api/overview']?.get.responses['200'].content['application/json']?.schema ?? false;
  const validate = new Ajv({ strict: false, validateFormats: false }).compile(schema);
  expect([validate(overview.json), validate.errors]).toEqual([true, null]);
  const again = await api.get('/api/overview');
  expect(again.as<{ at: string }>().at).toBe(overview.as<{ at: string }>().at);
});

test('who has the overview already is told so, and others get it compressed if they take that', async () => {
  const overview = await api.get('/api/overview');
  const etag = String(overview.headers.etag);
  const known = await api.request('GET', '/api/overview', { headers: { 'If-None-Match': etag } });
  expect([known.status, known.text]).toEqual([304, '']);
  const headers = { 'Accept-Encoding': 'gzip, br', 'If-None-Match': 'W/"another"' };
  const compressed = await api.request('GET', '/api/overview', { headers });
  expect([compressed.status, compressed.headers['content-encoding']]).toEqual([200, 'gzip']);
  expect(Number(compressed.headers['content-length'])).toBeLessThan(overview.text.length);
  const stranger = await api.request('GET', '/api/overview', {
    headers: { 'If-None-Match': etag, Authorization: 'Bearer hgo_nobody' },
  });
  expect(stranger.status).toBe(401);
});

test('the queues show how many jobs all workers together end in a second, by carrier', async () => {
  await addCarrier(gateway.database, smppCarrier({ name: 'acme' }));
  for (const [processId, jobPace] of [
    ['w1', 1.1],
    ['w2', 2.2],
  ] as const) {
    const carriers = [{ name: 'acme', state: 'bound', pace: 30, jobPace }];
    await recordHeartbeat(gateway.database, { processId, role: 'worker', details: { carriers } });
  }
  expect((await api.get('/api/queues')).json).toMatchObject({
    isUp: true,
    carriers: [{ carrier: 'acme', state: 'bound', jobsPerSecond: 3.3, segmentsPerSecond: 60 }],
  });
});

test('many who list messages at one moment wait for their turn, and none of them is refused', async () => {
  const asked = await Promise.all(Array.from({ length: 12 }, () => api.get('/api/messages')));
  expect(asked.map(({ status }) => status)).toEqual(Array(12).fill(200));
});
