import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { type TestAccount, TestGateway } from '../support/gateway.js';
import { type Document, OpenApiSchemas } from '../support/openapi.js';

const SEND = '/v1/message/send';
const BATCH = '/v1/message/send-batch';
const QUOTE = '/v1/message/quote';
const MESSAGE = '/v1/message/{messageId}';
const READS = [
  '/v1/account',
  '/v1/account/balance',
  '/v1/account/deposits',
  '/v1/account/ledger',
  '/v1/account/messages',
  '/v1/account/usage',
];
const EXPORTS = ['/v1/account/messages/export', '/v1/account/deposits/export', '/v1/account/ledger/export'];
const STATEMENTS = '/v1/account/statements';
const KEYS = '/v1/account/keys';
const WEBHOOKS = '/v1/webhooks';
const GUARDS = '/v1/account/guards';
const INBOUND = '/v1/message/inbound';
const WEBHOOK = `${WEBHOOKS}/{id}`;
/** Fields that may be left out, by the schema. */
const SEND_OPTIONS = [
  'reference',
  'tag',
  'sendAt',
  'validitySeconds',
  'maxPrice',
  'maxSegments',
  'sender',
  'smartEncoding',
];
const OPTIONAL: Record<string, string[]> = {
  Problem: [
    ...['errors', 'errorsOmitted', 'balance', 'required', 'currency', 'scope', 'violated-policies'],
    ...['period', 'limit', 'spent'],
  ],
  SuppressionRequest: ['reason'],
  RetentionRequest: ['textDays', 'numberDays'],
  CreateKeyRequest: ['networks', 'expiresAt', 'test'],
  RotateKeyRequest: ['overlapSeconds', 'expiresAt'],
  CreateWebhookRequest: ['description'],
  ChangeWebhookRequest: ['url', 'events', 'description'],
  RotateSecretRequest: ['overlapSeconds'],
  EnableWebhookRequest: ['resume'],
  ReplayRequest: ['eventId', 'from', 'until'],
  SendRequest: [...SEND_OPTIONS, 'uniqueReference'],
  SendEntry: SEND_OPTIONS,
  SendBatchRequest: [...SEND_OPTIONS, 'uniqueReference'],
  Statement: ['test'],
  SendResult: ['reference', 'tag', 'sendAt', 'replacedCharacters', 'test'],
  // A batch that a version before gave no id may still be repeated.
  SendBatchResult: ['batchId', 'test'],
  Message: ['test'],
  Batch: ['test'],
  MessageOrder: ['test'],
  AccountSummary: ['test'],
  Balance: ['test'],
  OrderSummaryEntry: ['reference', 'tag', 'sendAt', 'replacedCharacters'],
  QuoteResult: ['replacedCharacters'],
  QuoteBatchEntry: ['replacedCharacters'],
};
let gateway: TestGateway;
let account: TestAccount;
let document: Document;
let schemas: OpenApiSchemas;
beforeAll(async () => {
  gateway = await TestGateway.start();
  account = await gateway.account({ deposit: '1000' });
  document = (await gateway.http.request('GET', '/openapi.json')).as<Document>();
  schemas = new OpenApiSchemas(document);
});
afterAll(() => gateway.close());

describe('the document', () => {
  const operations = () =>
    Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
    );

  test('has the endpoints of the contract and those that were added, and no more', () => {
    expect(operations().map(({ path, method }) => `${method} ${path}`)).toEqual([
      `post ${SEND}`,
      `post ${BATCH}`,
      `post ${QUOTE}`,
      `get ${MESSAGE}`,
      `post ${MESSAGE}/cancel`,
      'get /v1/message/batch/{batchId}',
      'post /v1/message/batch/{batchId}/cancel',
      `get ${INBOUND}`,
      ...[...READS, ...EXPORTS].map((path) => `get ${path}`),
      ...['', '/{month}', '/{month}/export'].map((path) => `get ${STATEMENTS}${path}`),
      `get ${KEYS}`,
      `post ${KEYS}`,
      `get ${KEYS}/{keyId}`,
      `patch ${KEYS}/{keyId}`,
      `post ${KEYS}/{keyId}/revoke`,
      `post ${KEYS}/{keyId}/rotate`,
      ...['get', 'post'].map((method) => `${method} ${WEBHOOKS}`),
      ...['get', 'patch', 'delete'].map((method) => `${method} ${WEBHOOK}`),
      ...['rotate', 'disable', 'enable', 'test', 'replay'].map((what) => `post ${WEBHOOK}/${what}`),
      `get ${WEBHOOK}/deliveries`,
      'post /v1/console/token',
      'delete /v1/console/token',
      'post /v1/account/test-balance',
      'get /v1/account/balance-alert',
      'post /v1/account/balance-alert',
      'get /v1/account/suppressions',
      'post /v1/account/suppressions',
      'delete /v1/account/suppressions/{recipient}',
      'get /v1/account/guards',
      'get /v1/account/retention',
      'post /v1/account/retention',
      'post /v1/account/redactions',
      'post /v1/message/{messageId}/redact',
    ]);
    expect(document.openapi).toMatch(/^3\.0\./);
    expect(document.servers).toEqual([expect.objectContaining({ url: '/' })]);
  });

  test('tells of every endpoint what it is, who may call it and all that it takes', () => {
    expect(document.components.securitySchemes).toEqual({
      'api-key': expect.objectContaining({ type: 'apiKey', in: 'header', name: 'X-Authorization' }),
    });
    const ids = operations().map(({ operation }) => operation.operationId);
    const ofMessages = ['send', 'sendBatch', 'quote', 'message', 'cancel', 'batch', 'cancelBatch', 'inbound'];
    const ofAccount = ['summary', 'balance', 'deposits', 'ledger', 'messages', 'usage'];
    const ofKeys = ['listKeys', 'createKey', 'showKey', 'renameKey', 'revokeKey', 'rotateKey'];
    const exports = ['exportMessages', 'exportDeposits', 'exportLedger'];
    const ofStatements = ['statements', 'statement', 'exportStatement'];
    const ofWebhooks = ['listWebhooks', 'createWebhook', 'showWebhook', 'changeWebhook', 'deleteWebhook'];
    const toWebhooks = ['rotateWebhookSecret', 'disableWebhook', 'enableWebhook', 'testWebhook', 'replayEvents'];
    const ofTests = [
      'listDeliveries',
      'createConsoleToken',
      'endConsoleToken',
      'setTestBalance',
      'balanceAlert',
      'setBalanceAlert',
      'suppressions',
      'suppress',
      'unsuppress',
      'guards',
      'retention',
      'setRetention',
      'redactNumber',
      'redactMessage',
    ];
    expect(ids).toEqual([
      ...[...ofMessages, ...ofAccount, ...exports, ...ofStatements, ...ofKeys],
      ...[...ofWebhooks, ...toWebhooks, ...ofTests],
    ]);
    for (const { path, method, operation } of operations()) {
      expect(operation.security).toEqual([{ 'api-key': [] }]);
      expect(operation.summary).toMatch(/./);
      expect(operation.description).toMatch(/\n\nNeeds a key with the scope `(send|read|manage)`\.$/);
      expect(document.tags.map(({ name }) => name)).toEqual(expect.arrayContaining(operation.tags));
      const named = operation.parameters.filter(({ required }) => !required).map(({ name }) => name);
      const expected = ['X-Request-Id'];
      if ([SEND, BATCH].includes(path)) expected.push('Idempotency-Key');
      const isPaged = /(s|ledger)$/.test(path) && ![WEBHOOKS, GUARDS, STATEMENTS].includes(path);
      if (method === 'get' && isPaged) expected.push('page', 'limit');
      if (path.endsWith('/suppressions') && method === 'get') expected.push('recipient');
      if (/(deposits|ledger|deliveries)$/.test(path)) expected.push('cursor');
      if (path.endsWith('/messages')) expected.push('cursor');
      if (path.endsWith('/deliveries')) expected.push('outcome', 'type', 'from', 'to');
      if (path === INBOUND) expected.push('sender', 'recipient', 'keyword', 'from', 'to', 'page', 'limit', 'cursor');
      if (/\/messages(\/export)?$/.test(path)) expected.push('status', 'recipient', 'from', 'to', 'reference', 'tag');
      if (path.endsWith('/usage')) expected.push('from', 'to');
      if (path.endsWith('/export')) expected.push('format');
      expect(named.sort()).toEqual(expected.sort());
      const hasOptionalBody =
        /\/(rotate|revoke|cancel|redact|disable|enable|test|token)$/.test(path) && method === 'post';
      expect(operation.requestBody?.required ?? true).toBe(!hasOptionalBody);
    }
  });

  test('names every field, and says which of them need not be there', () => {
    for (const [name, schema] of Object.entries(document.components.schemas)) {
      const fields = Object.keys(schema.properties ?? {});
      const optional = OPTIONAL[name] ?? [];
      expect([name, (schema.required ?? []).toSorted()]).toEqual([
        name,
        fields.filter((field) => !optional.includes(field)).sort(),
      ]);
      // The document forbids nothing: fields may be added within /v1.
      expect(schema.additionalProperties).toBeUndefined();
    }
  });

  test('its examples are valid by its own schemas', () => {
    let examples = 0;
    for (const { path, method, operation } of operations()) {
      for (const [status, { content }] of Object.entries(operation.responses)) {
        for (const [type, media] of Object.entries(content)) {
          for (const { value } of Object.values(media.examples ?? {})) {
            schemas.expectNamed(['paths', path, method, 'responses', status, 'content', type, 'schema'], value);
            examples += 1;
          }
        }
      }
      for (const { value } of Object.values(operation.requestBody?.content['application/json']?.examples ?? {})) {
        schemas.expectNamed(['paths', path, method, 'requestBody', 'content', 'application/json', 'schema'], value);
        examples += 1;
      }
    }
    for (const [name, schema] of Object.entries(document.components.schemas)) {
      for (const [field, { example }] of Object.entries(schema.properties ?? {})) {
        if (example === undefined) continue;
        schemas.expectValid(['components', 'schemas', name, 'properties', field], example);
        examples += 1;
      }
    }
    expect(examples).toBeGreaterThan(100);
  });

  test.each([
    ['SendRequest', 'recipient', 'me'],
    ['SendRequest', 'reference', ''],
    ['SendBatchRequest', 'tag', 'a\nb'],
    ['SuppressionRequest', 'reason', '\u0000'],
    ['CreateKeyRequest', 'name', 'a\tb'],
    ['CreateWebhookRequest', 'description', '\u007f'],
    ['TestBalanceRequest', 'balance', '1e3'],
    ['BalanceAlertRequest', 'threshold', '-1'],
  ])('of a %s it does not allow a %s that the gateway refuses', (name, field, value) => {
    const place = ['components', 'schemas', name, 'properties', field];
    expect(() => schemas.expectValid(place, value)).toThrow();
  });

  test('its request examples are accepted', async () => {
    for (const { path, operation } of operations()) {
      for (const { value } of Object.values(operation.requestBody?.content['application/json']?.examples ?? {})) {
        expect([200, 201]).toContain((await account.post(path, value)).status);
      }
    }
  });
});

describe('the pages', () => {
  test('/docs/errors has a line for every code, where the type of a problem points to', async () => {
    const page = await gateway.http.request('GET', '/docs/errors');
    expect([page.status, page.headers['content-type']]).toEqual([200, 'text/html; charset=utf-8']);
    for (const code of document.components.schemas.Problem?.properties?.code?.enum ?? []) {
      expect(page.text).toMatch(new RegExp(`<tr id="${code}"><td>\\d{3} <code>${code}</code></td>`));
    }
  });
});

test('the page does not keep the API key in the browser', async () => {
  const page = await gateway.http.request('GET', '/docs/api');
  const scripts = [...page.text.matchAll(/<script[^>]*src="([^"]+)"/g)].map(
    ([, src = '']) => new URL(src, 'http://x/docs/api').pathname,
  );
  const texts = [page.text];
  for (const path of scripts) texts.push((await gateway.http.request('GET', path)).text);
  expect(texts.join('')).toContain('SwaggerUIBundle');
  expect(texts.join('')).not.toMatch(/["']?persistAuthorization["']?:\s*true/);
});
