import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import pg from 'pg';
import {
  ACTIVE_KEYS_MAX,
  addCarrier,
  addRoute,
  closeAccount,
  removeRoute,
  suspendAccount,
  WEBHOOKS_MAX,
} from '#persistence';
import { CODES_OF_GUARDS, CODES_OF_SENDS_WITH_OPTIONS, DocumentedAnswers } from '../support/documented-answers.js';
import { eventually } from '../support/eventually.js';
import { RECIPIENT, type TestAccount, TestGateway } from '../support/gateway.js';
import type { HttpReply } from '../support/http-client.js';
import { type Document, OpenApiSchemas } from '../support/openapi.js';
import { smppCarrier } from '../support/smpp-carrier.js';

const GOOD = { recipient: RECIPIENT, message: 'hi' };
const JSON_TYPE = { 'Content-Type': 'application/json' };
const SEND = '/v1/message/send';
const BATCH = '/v1/message/send-batch';
const QUOTE = '/v1/message/quote';
const MESSAGE = '/v1/message/{messageId}';
const KEYS = '/v1/account/keys';
const KEY = `${KEYS}/{keyId}`;
const MESSAGES = '/v1/account/messages';
const READS = ['', '/balance', '/deposits', '/ledger', '/messages', '/usage'].map((path) => `/v1/account${path}`);
/** The first takes ten seconds of silence, the second a carrier; `privacy.spec.ts` has the third. */
const OTHERS = ['request_timeout', 'signature_invalid', 'live_key_required', ...CODES_OF_GUARDS];

let gateway: TestGateway;
let account: TestAccount;
let document: Document;
let schemas: OpenApiSchemas;
let answers: DocumentedAnswers;

beforeAll(async () => {
  gateway = await TestGateway.start({ settings: { ACCEPT_PENDING_MAX: '1', ACCEPT_WAIT_MAX_MS: '200' } });
  account = await gateway.account({ deposit: '1000' });
  document = (await gateway.http.request('GET', '/openapi.json')).as<Document>();
  schemas = new OpenApiSchemas(document);
  answers = new DocumentedAnswers(document);
});
afterAll(() => gateway.close());

const expectDocumented = (method: string, path: string, reply: HttpReply, code?: string): void =>
  answers.expect(method, path, reply, code);

describe('what the document says is what the gateway does', () => {
  test.each(READS)('GET %s', async (path) => {
    await account.sendBatch([GOOD, { ...GOOD, message: 'é'.repeat(80) }]);
    expectDocumented('get', path, await account.get(path));
    expectDocumented('get', path, await gateway.http.request('GET', path), 'unauthorized');
    expectDocumented('get', path, await account.get(`${path}?order=asc`), 'unknown_field');
    if (/(s|ledger)$/.test(path) && path !== READS[0])
      expectDocumented('get', path, await account.get(`${path}?page=0`), 'invalid_request');
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

  test('GET /v1/account/messages with filters, and sends with references', async () => {
    const labels = { reference: 'r', tag: 't', uniqueReference: true };
    expectDocumented('post', SEND, await account.post(SEND, { ...GOOD, ...labels }));
    expectDocumented('post', BATCH, await account.post(BATCH, { messages: [GOOD], reference: 's', tag: 't' }));
    expectDocumented('post', SEND, await account.post(SEND, { ...GOOD, ...labels }), 'reference_used');
    expectDocumented('get', MESSAGES, await account.get(`${MESSAGES}?tag=t&limit=1`));
    expectDocumented('get', MESSAGES, await account.get(`${MESSAGES}?recipient=me`), 'recipient_invalid');
  });

  test.each(['messages', 'deposits', 'ledger'])('GET /v1/account/%s/export', async (name) => {
    const path = `/v1/account/${name}/export`;
    expectDocumented('get', path, await account.get(`${path}?format=xlsx`), 'invalid_request');
    for (const format of ['csv', 'ndjson']) {
      const { status, headers } = await account.get(`${path}?format=${format}`);
      const documented = Object.keys(document.paths[path]?.get?.responses[status]?.content ?? {});
      expect(documented).toContain(headers['content-type']?.split(';')[0]);
    }
  });

  test('GET /v1/message/{messageId}', async () => {
    const { messageId } = (await account.send(GOOD)).as<{ messageId: string }>();
    const path = `/v1/message/${messageId}`;
    expectDocumented('get', MESSAGE, await account.get(path));
    expectDocumented('get', MESSAGE, await account.get(`/v1/message/${messageId.replace(/^0/, 'f')}`), 'not_found');
    expectDocumented('get', MESSAGE, await gateway.http.request('GET', path), 'unauthorized');
    expectDocumented('get', MESSAGE, await account.get(`${path}?page=1`), 'unknown_field');
    expectDocumented('get', MESSAGE, await account.get(SEND), 'method_not_allowed');
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
      ['unknown_field', { ...GOOD, send_at: 'later' }],
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

  test('the keys of an account, and their refusals', async () => {
    const made = await account.post(KEYS, { name: 'shop', scopes: ['send'] });
    expectDocumented('post', KEYS, made);
    const { keyId, apiKey } = made.as<{ keyId: string; apiKey: string }>();
    const at = `${KEYS}/${keyId}`;
    expectDocumented('get', KEYS, await account.get(KEYS));
    expectDocumented('get', KEY, await account.get(at));
    expectDocumented('get', KEY, await account.get(`${KEYS}/00000000`), 'not_found');
    const renamed = await account.request('PATCH', at, { json: { name: 'store' } });
    expectDocumented('patch', KEY, renamed);
    expectDocumented('patch', KEY, await account.request('PATCH', at, { json: { name: '' } }), 'invalid_request');
    expectDocumented('post', `${KEY}/rotate`, await account.post(`${at}/rotate`, { overlapSeconds: 0 }));
    expectDocumented('post', `${KEY}/rotate`, await account.post(`${at}/rotate`, {}), 'key_ended');
    const expired = account.by({ keyId, apiKey });
    for (const path of READS) expectDocumented('get', path, await expired.get(path), 'key_expired');
    expectDocumented('post', `${KEY}/revoke`, await account.post(`${at}/revoke`, {}));
    const last = await account.post(`${KEYS}/${account.keyId}/revoke`, {});
    expectDocumented('post', `${KEY}/revoke`, last, 'last_manage_key');
  });

  test('refusals of a key with bounds', async () => {
    const reader = await account.withKey({ scopes: ['read', 'manage'] });
    for (const path of [SEND, BATCH, QUOTE]) {
      expectDocumented('post', path, await reader.post(path, {}), 'insufficient_scope');
    }
    const wider = await reader.post(KEYS, { name: 'wider', scopes: ['send'] });
    expectDocumented('post', KEYS, wider, 'exceeds_own_key');
    const balance = await account.post('/v1/account/test-balance', { balance: '5' });
    expectDocumented('post', '/v1/account/test-balance', balance, 'test_key_required');
    const signedIn = await account.post('/v1/console/token', {});
    expectDocumented('post', '/v1/console/token', signedIn);
    const headers = { 'X-Authorization': signedIn.as<{ token: string }>().token };
    const again = await account.post('/v1/console/token', {}, headers);
    expectDocumented('post', '/v1/console/token', again, 'api_key_required');
    const out = await account.request('DELETE', '/v1/console/token', { headers });
    expectDocumented('delete', '/v1/console/token', out);
    const alert = '/v1/account/balance-alert';
    expectDocumented('post', alert, await account.post(alert, { threshold: '5.50' }));
    expectDocumented('get', alert, await account.get(alert));
    expectDocumented('post', alert, await account.post(alert, { threshold: 5.5 }), 'invalid_request');
    const elsewhere = await account.withKey({ networks: ['192.0.2.0/24'] });
    for (const path of READS) expectDocumented('get', path, await elsewhere.get(path), 'network_not_allowed');
  });

  test('the webhooks of an account, and their refusals', async () => {
    const [all, one] = ['/v1/webhooks', '/v1/webhooks/{id}'];
    const wanted = { url: 'https://example.com/', events: ['message.sent'] };
    const made = await account.post(all, wanted);
    expectDocumented('post', all, made);
    const at = `${all}/${made.as<{ id: string }>().id}`;
    expectDocumented('get', all, await account.get(all));
    expectDocumented('get', one, await account.get(at));
    expectDocumented('patch', one, await account.request('PATCH', at, { json: { description: 'shop' } }));
    for (const change of ['test', 'rotate', 'disable']) {
      expectDocumented('post', `${one}/${change}`, await account.post(`${at}/${change}`, {}));
    }
    expectDocumented('post', `${one}/test`, await account.post(`${at}/test`, {}), 'webhook_disabled');
    expectDocumented('get', `${one}/deliveries`, await account.get(`${at}/deliveries`));
    expectDocumented('delete', one, await account.request('DELETE', at));
    for (let count = 0; count < WEBHOOKS_MAX; count += 1) await account.post(all, wanted);
    expectDocumented('post', all, await account.post(all, wanted), 'too_many_webhooks');
    const keyless = await TestGateway.start({ beside: gateway, settings: { SECRETS_KEY: '' } });
    const other = (await gateway.account()).at(keyless);
    expectDocumented('post', all, await other.post(all, wanted), 'webhooks_unavailable');
    await keyless.close();
  });

  test('too many keys, and too many changes of keys', async () => {
    const full = await gateway.account();
    for (let n = 1; n < ACTIVE_KEYS_MAX; n += 1) await full.anotherKey();
    const one = { name: 'one more', scopes: ['send'] };
    expectDocumented('post', KEYS, await full.post(KEYS, one), 'too_many_keys');
    const replies = await Promise.all(Array.from({ length: 25 }, () => full.post(KEYS, one)));
    const limited = replies.find(({ status }) => status === 429);
    expect(limited).toBeDefined();
    if (limited !== undefined) expectDocumented('post', KEYS, limited, 'rate_limited');
  });

  test('refusals of a destination without a route', async () => {
    await addCarrier(gateway.database, smppCarrier());
    await addRoute(gateway.database, { prefix: '1', carrier: 'acme', rank: 1, weight: 1, cost: undefined }, true);
    await eventually(async () => expect((await account.send(GOOD)).status).toBe(422));
    expectDocumented('post', SEND, await account.post(SEND, GOOD), 'no_route');
    expectDocumented('post', QUOTE, await account.post(QUOTE, GOOD), 'no_route');
    expectDocumented('post', BATCH, await account.post(BATCH, { messages: [GOOD] }), 'no_route');
    await removeRoute(gateway.database, '1', undefined);
    await eventually(async () => expect((await account.post(QUOTE, GOOD)).status).toBe(200));
  });

  test('refusals of HTTP itself', async () => {
    expectDocumented('get', '/v1/account', await account.get('/v1/nothing'), 'not_found');
    expectDocumented('get', '/v1/account', await account.get('/v1/%zz'), 'malformed_request');
    expectDocumented('post', SEND, await account.send(GOOD, { Expect: 'x' }), 'expectation_failed');
    const bytes = await gateway.http.raw(`GET / HTTP/1.1\r\nHost: x\r\nA: ${'x'.repeat(17_000)}\r\n\r\n`);
    const body: unknown = JSON.parse(bytes.split('\r\n\r\n')[1] ?? '');
    schemas.expectNamed(['components', 'schemas', 'Problem'], body);
    expect(body).toMatchObject({ code: 'headers_too_large' });
    answers.met.add('headers_too_large');
  });

  test('a suspended account', async () => {
    const doomed = await gateway.account();
    await suspendAccount(gateway.database, doomed.accountId);
    for (const path of READS) expectDocumented('get', path, await doomed.get(path), 'account_suspended');
    for (const path of [SEND, BATCH, QUOTE]) {
      expectDocumented('post', path, await doomed.post(path, {}), 'account_suspended');
    }
  });

  test('a closed account', async () => {
    const closed = await gateway.account();
    await closeAccount(gateway.database, closed.accountId);
    for (const path of READS) expectDocumented('get', path, await closed.get(path), 'account_closed');
    for (const path of [SEND, BATCH, QUOTE]) {
      expectDocumented('post', path, await closed.post(path, {}), 'account_closed');
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
    expect([...answers.met, ...OTHERS, ...CODES_OF_SENDS_WITH_OPTIONS].sort()).toEqual([...codes].sort());
  });
});
