import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { OPERATOR_PASSWORD, TestGateway } from '../support/gateway.js';
import { OperatorBrowser } from '../support/operator-api.js';

let gateway: TestGateway;
const browsers: OperatorBrowser[] = [];
beforeAll(async () => {
  gateway = await TestGateway.start();
});
afterAll(async () => {
  for (const { api } of browsers) api.close();
  await gateway.close();
});

function browser(): OperatorBrowser {
  const one = new OperatorBrowser(gateway);
  browsers.push(one);
  return one;
}

describe('OPERATOR_PASSWORD', () => {
  test('is the password of admin as long as there is no admin', async () => {
    const admin = browser();
    const refused = await admin.signIn('admin', 'something else entirely');
    expect([refused.status, refused.json]).toMatchObject([401, { code: 'sign_in_failed' }]);
    expect((await admin.signIn('Admin ', OPERATOR_PASSWORD)).status).toBe(204);
    expect((await admin.api.get('/api/me')).json).toMatchObject({ name: 'admin', role: 'admin', isToken: false });
  });
});
