import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { Ajv, type AnySchema } from 'ajv';
import { foldTraffic } from '#persistence';
import { RECIPIENT, TestGateway } from '../support/gateway.js';
import { type OperatorApi, operatorApi } from '../support/operator-api.js';

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
