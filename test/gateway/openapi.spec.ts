import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { Ajv } from 'ajv';
import addFormats from 'ajv-formats';
import pg from 'pg';
import { setAccountStatus } from '#persistence';
import { RECIPIENT, type TestAccount, TestGateway } from '../support/gateway.js';
import type { HttpReply } from '../support/http-client.js';

interface Schema {
  type?: string;
  $ref?: string;
  properties?: Record<string, Schema>;
  required?: string[];
  items?: Schema;
  oneOf?: Schema[];
  enum?: string[];
  example?: unknown;
  additionalProperties?: boolean;
}
interface Media {
  schema: Schema;
  examples?: Record<string, { value: unknown }>;
}
interface Answer {
  description: string;
  headers?: Record<string, unknown>;
  content: Record<string, Media>;
}
interface Operation {
  operationId: string;
  summary: string;
  description: string;
  tags: string[];
  security: unknown[];
  parameters: { name: string; in: string; required: boolean; description?: string }[];
  requestBody?: { required: boolean; content: Record<string, Media> };
  responses: Record<string, Answer>;
}
interface Document {
  openapi: string;
  servers: { url: string }[];
  tags: { name: string; description: string }[];
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, Schema>; securitySchemes: Record<string, unknown> };
}

const GOOD = { recipient: RECIPIENT, message: 'hi' };
const JSON_TYPE = { 'Content-Type': 'application/json' };
const SEND = '/v1/message/send';
const BATCH = '/v1/message/send-batch';
const QUOTE = '/v1/message/quote';
const READS = ['/v1/account', '/v1/account/balance', '/v1/account/deposits', '/v1/account/messages'];
/** It takes ten seconds of silence to meet this one. */
const NOT_ASKED_FOR = ['request_timeout'];

let gateway: TestGateway;
let account: TestAccount;
let document: Document;
/** Of the document as it is, and of one in which every object names all that it has. */
let lenient: Ajv;
let strict: Ajv;
const met = new Set<string>();

beforeAll(async () => {
  gateway = await TestGateway.start({ settings: { ACCEPT_PENDING_MAX: '1', ACCEPT_WAIT_MAX_MS: '200' } });
  account = await gateway.account({ deposit: '1000' });
  document = (await gateway.http.request('GET', '/openapi.json')).as<Document>();
  lenient = validatorOf(document);
  strict = validatorOf(closed(structuredClone(document)));
});
afterAll(() => gateway.close());

function validatorOf(described: Document): Ajv {
  const ajv = new Ajv({ strict: false, allErrors: true });
  (addFormats as unknown as (ajv: Ajv) => void)(ajv);
  ajv.addSchema(described, 'openapi');
  return ajv;
}

/** Allows no field that is not named. */
function closed(described: Document): Document {
  for (const schema of Object.values(described.components.schemas)) close(schema);
  return described;
}

function close(schema: Schema): void {
  if (schema.properties !== undefined) schema.additionalProperties = false;
  for (const inner of [...Object.values(schema.properties ?? {}), ...(schema.items ? [schema.items] : [])])
    close(inner);
}

function pointer(...steps: string[]): string {
  return `openapi#/${steps.map((step) => encodeURIComponent(step.replaceAll('~', '~0').replaceAll('/', '~1'))).join('/')}`;
}

function expectValid(ajv: Ajv, at: string, value: unknown): void {
  const validate = ajv.getSchema(at) ?? ajv.compile({ $ref: at });
  const isValid = validate(value);
  expect({ at, isValid, errors: validate.errors ?? [] }).toEqual({ at, isValid: true, errors: [] });
}

/** Holds a real reply against what the document says of its endpoint and status. */
function expectDocumented(method: string, path: string, reply: HttpReply, code?: string): void {
  const operation = document.paths[path]?.[method];
  const status = operation?.responses[reply.status] === undefined ? 'default' : String(reply.status);
  const answer = operation?.responses[status];
  const contentType = reply.headers['content-type']?.split(';')[0] ?? '';
  const at = pointer('paths', path, method, 'responses', status, 'content', contentType, 'schema');
  expect([...Object.keys(answer?.content ?? {})]).toEqual([contentType]);
  expectValid(lenient, at, reply.json);
  expectValid(strict, at, reply.json);
  const documented = Object.keys(answer?.headers ?? {}).map((name) => name.toLowerCase());
  const worthKnowing = [
    'x-request-id',
    'retry-after',
    'ratelimit',
    'ratelimit-policy',
    'www-authenticate',
    'idempotent-replayed',
  ];
  expect(documented).toEqual(expect.arrayContaining(worthKnowing.filter((name) => reply.headers[name] !== undefined)));
  if (code === undefined) return;
  expect(reply.as<{ code: string }>().code).toBe(code);
  expect(Object.keys(answer?.content[contentType]?.examples ?? {})).toContain(code);
  met.add(code);
}

describe('what the document says is what the gateway does', () => {
  test.each(READS)('GET %s', async (path) => {
    await account.sendBatch([GOOD, { ...GOOD, message: 'é'.repeat(80) }]);
    expectDocumented('get', path, await account.get(path));
    expectDocumented('get', path, await gateway.http.request('GET', path), 'unauthorized');
    if (path.endsWith('s')) expectDocumented('get', path, await account.get(`${path}?page=0`), 'invalid_request');
    expectDocumented('get', path, await account.request('OPTIONS', path), 'method_not_allowed');
  });

  test.each([
    [SEND, GOOD],
    [BATCH, { messages: [GOOD, GOOD] }],
  ])('POST %s, and its replay', async (path, body) => {
    const key = { 'Idempotency-Key': path };
    expectDocumented('post', path, await account.post(path, body, key));
    const replay = await account.post(path, body, key);
    expect(replay.headers['idempotent-replayed']).toBe('true');
    expectDocumented('post', path, replay);
    const other = path === SEND ? { ...GOOD, message: 'ho' } : { messages: [GOOD] };
    expectDocumented('post', path, await account.post(path, other, key), 'idempotency_key_reused');
    expectDocumented(
      'post',
      path,
      await account.post(path, body, { 'Idempotency-Key': '' }),
      'idempotency_key_invalid',
    );
    const poor = await gateway.account({ deposit: '0.01' });
    expectDocumented('post', path, await poor.post(path, body), 'insufficient_balance');
    const limited = await gateway.account({ rateLimitPerSecond: 1 });
    await limited.post(path, body);
    expectDocumented('post', path, await limited.post(path, body), 'rate_limited');
  });

  test('POST /v1/message/quote', async () => {
    expectDocumented('post', QUOTE, await account.post(QUOTE, { ...GOOD, message: 'a € [b]' }));
    expectDocumented('post', QUOTE, await account.post(QUOTE, { messages: [GOOD, { ...GOOD, message: '€' }] }));
  });

  describe.each([
    [SEND, (entry: unknown) => entry],
    [QUOTE, (entry: unknown) => entry],
    [BATCH, (entry: unknown) => ({ messages: [GOOD, entry] })],
    [QUOTE, (entry: unknown) => ({ messages: [GOOD, entry] })],
  ])('refusals of POST %s', (path, wrap) => {
    test.each([
      ['invalid_request', { recipient: RECIPIENT }],
      ['recipient_invalid', { ...GOOD, recipient: 'me' }],
      ['message_empty', { ...GOOD, message: ' ' }],
      ['message_invalid_character', { ...GOOD, message: 'a\u0000' }],
      ['message_too_long', { ...GOOD, message: 'x'.repeat(39_016) }],
      ['no_rate', { ...GOOD, recipient: '+999700100200' }],
    ])('%s', async (code, entry) => {
      expectDocumented('post', path, await account.post(path, wrap(entry)), code);
    });

    test('of bodies and keys', async () => {
      const post = (body: string, headers: Record<string, string> = JSON_TYPE) =>
        account.request('POST', path, { body, headers });
      expectDocumented('post', path, await post('{'), 'malformed_json');
      expectDocumented('post', path, await post('x', { 'Content-Type': 'text/plain' }), 'unsupported_media_type');
      expectDocumented('post', path, await post(`"${'x'.repeat(17 * 1024 * 1024)}"`), 'body_too_large');
      expectDocumented('post', path, await gateway.http.request('POST', path), 'unauthorized');
      expectDocumented('post', path, await account.get(path), 'method_not_allowed');
    });
  });

  test.each([BATCH, QUOTE])('refusals of a batch at %s', async (path) => {
    expectDocumented('post', path, await account.post(path, { messages: [] }), 'batch_empty');
    expectDocumented('post', path, await account.post(path, { messages: Array(1_001).fill(GOOD) }), 'batch_too_large');
  });

  test('refusals of HTTP itself', async () => {
    expectDocumented('get', '/v1/account', await account.get('/v1/nothing'), 'not_found');
    expectDocumented('get', '/v1/account', await account.get('/v1/%zz'), 'malformed_request');
    const bytes = await gateway.http.raw(`GET / HTTP/1.1\r\nHost: x\r\nA: ${'x'.repeat(17_000)}\r\n\r\n`);
    const body: unknown = JSON.parse(bytes.split('\r\n\r\n')[1] ?? '');
    expectValid(strict, pointer('components', 'schemas', 'Problem'), body);
    expect(body).toMatchObject({ code: 'headers_too_large' });
    met.add('headers_too_large');
  });

  test('a suspended account', async () => {
    const doomed = await gateway.account();
    await setAccountStatus(gateway.database, doomed.accountId, 'suspended');
    for (const path of READS) expectDocumented('get', path, await doomed.get(path), 'account_suspended');
    for (const path of [SEND, BATCH, QUOTE]) {
      expectDocumented('post', path, await doomed.post(path, {}), 'account_suspended');
    }
  });

  test('an overload, a fault of the service, and a database that is away', async () => {
    const client = new pg.Client({ connectionString: gateway.databaseUrl });
    client.on('error', () => undefined);
    await client.connect();
    await client.query('begin');
    await client.query('select from account_balance where account_id = $1 for update', [account.accountId]);
    const waiting = account.send(GOOD);
    let shed = await account.send(GOOD);
    while (shed.status !== 503) shed = await account.send(GOOD);
    expectDocumented('post', SEND, shed, 'overloaded');
    await client.query('rollback');
    await waiting;

    await client.query('alter table account_balance rename to misplaced');
    for (const path of READS) expectDocumented('get', path, await account.get(path), 'internal_error');
    await client.query('alter table misplaced rename to account_balance');

    // The statement of a page that is stuck behind this lock is ended by its timeout.
    await client.query('begin');
    await client.query('lock table account_balance');
    expectDocumented('get', '/v1/account', await account.get('/v1/account'), 'unavailable');
    await client.query('rollback');
    await client.end();
  });

  test('every code of the catalogue was met', () => {
    const codes = document.components.schemas.Problem?.properties?.code?.enum ?? [];
    expect([...met, ...NOT_ASKED_FOR].sort()).toEqual([...codes].sort());
  });
});

describe('the document', () => {
  const operations = () =>
    Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
    );

  test('has the endpoints of the contract and the quote, and no more', () => {
    expect(operations().map(({ path, method }) => `${method} ${path}`)).toEqual([
      `post ${SEND}`,
      `post ${BATCH}`,
      `post ${QUOTE}`,
      ...READS.map((path) => `get ${path}`),
    ]);
    expect(document.openapi).toMatch(/^3\.0\./);
    expect(document.servers).toEqual([expect.objectContaining({ url: '/' })]);
  });

  test('tells of every endpoint what it is, who may call it and all that it takes', () => {
    expect(document.components.securitySchemes).toEqual({
      'api-key': expect.objectContaining({ type: 'apiKey', in: 'header', name: 'X-Authorization' }),
    });
    const ids = operations().map(({ operation }) => operation.operationId);
    expect(ids).toEqual(['send', 'sendBatch', 'quote', 'summary', 'balance', 'deposits', 'messages']);
    for (const { path, operation } of operations()) {
      expect(operation.security).toEqual([{ 'api-key': [] }]);
      expect(operation.summary).toMatch(/./);
      expect(operation.description).toMatch(/./);
      expect(document.tags.map(({ name }) => name)).toEqual(expect.arrayContaining(operation.tags));
      const named = operation.parameters.filter(({ required }) => !required).map(({ name }) => name);
      const expected = ['X-Request-Id'];
      if ([SEND, BATCH].includes(path)) expected.push('Idempotency-Key');
      if (path.endsWith('s')) expected.push('page', 'limit');
      expect(named.sort()).toEqual(expected.sort());
      expect(operation.requestBody?.required ?? true).toBe(true);
    }
  });

  test('names every field, and says that all of a response but the extras of a problem are always there', () => {
    for (const [name, schema] of Object.entries(document.components.schemas)) {
      const fields = Object.keys(schema.properties ?? {});
      const optional = name === 'Problem' ? ['errors', 'balance', 'required', 'currency'] : [];
      expect([name, schema.required?.toSorted()]).toEqual([
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
            expectValid(strict, pointer('paths', path, method, 'responses', status, 'content', type, 'schema'), value);
            examples += 1;
          }
        }
      }
      for (const { value } of Object.values(operation.requestBody?.content['application/json']?.examples ?? {})) {
        const at = pointer('paths', path, method, 'requestBody', 'content', 'application/json', 'schema');
        expectValid(strict, at, value);
        examples += 1;
      }
    }
    for (const [name, schema] of Object.entries(document.components.schemas)) {
      for (const [field, { example }] of Object.entries(schema.properties ?? {})) {
        if (example === undefined) continue;
        expectValid(lenient, pointer('components', 'schemas', name, 'properties', field), example);
        examples += 1;
      }
    }
    expect(examples).toBeGreaterThan(100);
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
      expect(page.text).toMatch(new RegExp(`<tr id="${code}"><td>\\d{3}</td><td><code>${code}</code>`));
    }
    expect(page.text).not.toContain('`');
  });

  test('/docs is made of files of this gateway alone, and asks nobody else', async () => {
    const page = await gateway.http.request('GET', '/docs');
    expect(page.status).toBe(200);
    expect(page.text).toContain('<title>Heliograph API</title>');
    const files = [...page.text.matchAll(/(?:src|href)="([^"]+)"/g)].map(
      ([, file = '']) => new URL(file, `${gateway.url}/docs`),
    );
    expect(files.length).toBeGreaterThan(3);
    for (const file of files) {
      expect(file.origin).toBe(gateway.url);
      expect([file.pathname, (await gateway.http.request('GET', file.pathname)).status]).toEqual([file.pathname, 200]);
    }
    expect(page.headers['content-security-policy']).toMatch(/^default-src 'self'/);
    expect(page.text).not.toMatch(/<script>/);
  });
});
