import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { addCarrier } from '#persistence';
import { TestGateway } from '../support/gateway.js';
import { type OperatorApi, operatorApi } from '../support/operator-api.js';
import { smppCarrier } from '../support/smpp-carrier.js';
import { TEST_CERTIFICATE_PEM } from '../support/tls-identity.js';

let gateway: TestGateway;
let api: OperatorApi;
beforeAll(async () => {
  gateway = await TestGateway.start({ settings: { BATCH_MESSAGES_MAX: '1' } });
  api = operatorApi(gateway);
  await addCarrier(gateway.database, smppCarrier({ name: 'acme' }));
});
afterAll(async () => {
  api.close();
  await gateway.close();
});

test("as many of a carrier's records as a request may have are taken with all their columns, however small batches are", async () => {
  const began = await api.post('/api/reconciliations', { carrier: 'acme', currency: 'EUR' });
  const { reconciliationId } = began.as<{ reconciliationId: string }>();
  const column = <Item>(itemOf: (n: number) => Item) => Array.from({ length: 5_000 }, (_, n) => itemOf(n));
  const reply = await api.post(`/api/reconciliations/${reconciliationId}/lines`, {
    lines: column((n) => n + 1),
    ids: column((n) => `7c3f${n}`),
    parts: column(() => 1),
    costs: column(() => '0.0040'),
    times: column((n) => new Date(Date.UTC(2026, 9, 1) + n).toISOString()),
  });
  expect([reply.status, reply.json]).toEqual([200, { lines: 5_000 }]);
});

test("a comparison with a carrier's records that cannot be made is refused by what is wrong", async () => {
  const begin = async (wanted: object) =>
    (await api.post('/api/reconciliations', { carrier: 'acme', ...wanted })).as<{ detail: string }>().detail;
  expect(await begin({ unitCost: '-0.01' })).toBe('The unit cost is 0 or above.');
  expect(await begin({ tolerance: '-1' })).toBe('The tolerance is 0 or above.');
  const [from, to] = ['2026-11-01T00:00:00Z', '2026-10-01T00:00:00Z'];
  expect(await begin({ from, to })).toBe('The period would end before it begins.');
  const began = await api.post('/api/reconciliations', { carrier: 'acme' });
  const { reconciliationId } = began.as<{ reconciliationId: string }>();
  const reply = await api.post(`/api/reconciliations/${reconciliationId}/lines`, { lines: [1e300], ids: ['a'] });
  expect(reply.json).toMatchObject({ code: 'invalid_request', errors: [{ field: 'lines.0' }] });
});

test('as many routes as there may be are read at once, however small batches are', async () => {
  const route = { carrier: 'nobody', rank: 1, weight: 1, cost: '0.0040', currency: 'EUR' };
  const routes = Array.from({ length: 1_000 }, (_, n) => ({ prefix: String(46_000 + n), ...route }));
  const reply = await api.put('/api/routes', { routes });
  expect(reply).toMatchObject({ status: 404, json: { detail: 'There is no carrier nobody.' } });
});

test('a carrier may be trusted by all the authorities of a system', async () => {
  const options = { tlsCaPem: TEST_CERTIFICATE_PEM.repeat(Math.ceil(220_000 / TEST_CERTIFICATE_PEM.length)) };
  const added = { name: 'tls', url: 'smpps://user@127.0.0.1:2776', password: 'secret', paused: true, options };
  expect((await api.post('/api/carriers', added)).status).toBe(201);
  expect((await api.patch('/api/carriers/tls', { options })).status).toBe(200);
});
