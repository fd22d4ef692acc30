import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { Ajv } from 'ajv';
import addFormats from 'ajv-formats';
import { ENDPOINTS } from '../../apps/gateway/operator/api/endpoints.js';
import { TestGateway } from '../support/gateway.js';
import { HttpClient } from '../support/http-client.js';
import { type OperatorApi, operatorApi } from '../support/operator-api.js';

let gateway: TestGateway;
let api: OperatorApi;
let stranger: HttpClient;
beforeAll(async () => {
  gateway = await TestGateway.start();
  api = operatorApi(gateway);
  stranger = new HttpClient(gateway.operatorPort);
});
afterAll(async () => {
  api.close();
  stranger.close();
  await gateway.close();
});

interface Content {
  readonly schema: object;
  readonly example?: unknown;
  readonly examples?: Readonly<Record<string, { readonly $ref: string }>>;
}

interface Answer {
  readonly content?: Readonly<Record<string, Content>>;
}

interface Operation {
  readonly operationId: string;
  readonly 'x-roles': readonly string[];
  readonly 'x-personal': boolean;
  readonly requestBody?: Answer;
  readonly responses: Readonly<Record<string, Answer & { readonly $ref?: string }>>;
}

interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: {
    readonly responses: Readonly<Record<string, Answer>>;
    readonly examples: Readonly<Record<string, { readonly value: { readonly status: number } }>>;
  };
}

describe("the operators' API", () => {
  test('says who is signed in, and what this person may do', async () => {
    const { status, json } = await api.get('/api/me');
    expect(status).toBe(200);
    expect(json).toMatchObject({ name: expect.stringMatching(/^spec \(token /), role: 'admin', isToken: true });
    expect((json as { may: string[] }).may).toContain('me.show');
  });

  test('describes each use case with the roles that may do it; an admin may do everything', async () => {
    const document = (await api.get('/api/openapi.json')).as<Document>();
    const operations = Object.values(document.paths).flatMap((path) => Object.values(path));
    const { may } = (await api.get('/api/me')).as<{ may: string[] }>();
    // Texts of messages are a right of their own, of the requests that ask for them.
    const ofRequests = may.filter((useCase) => useCase !== 'message.read-text');
    // It asks with a token.
    const ofTokens = operations.filter((operation) => !operation['x-personal']);
    expect(ofTokens.length).toBeLessThan(operations.length);
    expect(ofTokens.map(({ operationId }) => operationId).sort()).toEqual(ofRequests.sort());
    for (const operation of operations) expect(operation['x-roles']).toContain('admin');
  });

  test('a cursor that no page of a list has given is refused', async () => {
    const lists = ENDPOINTS.filter(({ query }) => query?.properties.cursor !== undefined);
    expect(lists.length).toBeGreaterThan(5);
    for (const { path } of lists) {
      for (const cursor of ['-', 'abc', '9'.repeat(19)]) {
        const { status } = await api.get(`/api${path.replace(/:\w+/, '1001')}?cursor=${cursor}`);
        expect([path, cursor, status]).toEqual([path, cursor, 400]);
      }
    }
  });

  test('a time that no clock of this service shows is refused by its name, wherever it stands', async () => {
    const detail = (field: string) => `${field} must be written like 2026-11-20T03:00:00.000Z.`;
    for (const time of ['2016-12-31T23:59:60Z', '2026-11-20T03:00:00%2B01', '0000-01-01T00:00:00Z']) {
      const { status, json } = await api.get(`/api/accounts/1001/statement?from=${time}`);
      expect([time, status, json]).toMatchObject([time, 400, { errors: [{ field: 'from', detail: detail('from') }] }]);
    }
    const late = await api.post('/api/accounts/1001/keys', { expiresAt: '9999-12-31T23:00:00-02:00' });
    expect(late.json).toMatchObject({ errors: [{ field: 'expiresAt', detail: detail('expiresAt') }] });
    const wished = await api.put('/api/hold', { reason: 'restored', before: '2026-12-31T23:59:60Z' });
    expect(wished.json).toMatchObject({ errors: [{ field: 'before', detail: detail('before') }] });
    for (const time of ['2026-11-20t03:00:00z', '2026-11-20 03:00:00-0130', '2026-11-20T03:00:00.123456789Z']) {
      expect([time, (await api.get(`/api/audit-log?since=${encodeURIComponent(time)}`)).status]).toEqual([time, 200]);
    }
  });

  test('shows an example of each body and answer, which its schema allows', async () => {
    const document = (await api.get('/api/openapi.json')).as<Document>();
    const ajv = new Ajv({ strict: false, allErrors: true });
    (addFormats as unknown as (ajv: Ajv) => Ajv)(ajv);
    const faults = Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.entries(methods).flatMap(([method, { requestBody, responses }]) =>
        [requestBody, ...Object.values(responses)]
          .flatMap((one) => Object.entries(one?.content ?? {}))
          .filter(([media]) => media === 'application/json')
          .flatMap(([, { schema, example }]) => {
            const validate = ajv.compile(schema);
            return example !== undefined && validate(example) ? [] : [`${method} ${path}`, example, validate.errors];
          }),
      ),
    );
    expect(faults).toEqual([]);
  });

  test('names the codes that each endpoint refuses requests with, by status, with an example of each', async () => {
    const { paths, components } = (await api.get('/api/openapi.json')).as<Document>();
    const codesOf = (path: string, method: string): Record<string, readonly string[]> =>
      Object.fromEntries(
        Object.entries(paths[path]?.[method]?.responses ?? {}).flatMap(([status, { $ref }]) => {
          const content = components.responses[$ref?.split('/').at(-1) ?? '']?.content?.['application/problem+json'];
          return content === undefined ? [] : [[status, Object.keys(content.examples ?? {})]];
        }),
      );
    expect(codesOf('/api/accounts/{accountId}/adjustments', 'post')).toMatchObject({
      400: expect.arrayContaining(['invalid_request', 'unknown_field', 'malformed_json', 'idempotency_key_invalid']),
      401: ['not_signed_in'],
      403: ['role_missing', 'password_change_required', 'confirmation_required', 'cross_site'],
      404: ['not_found'],
      409: ['not_possible', 'unusual_adjustment'],
    });
    expect(codesOf('/api/session', 'post')[401]).toEqual(['sign_in_failed', 'code_required']);
    for (const [path, methods] of Object.entries(paths)) {
      for (const method of Object.keys(methods)) {
        for (const [status, codes] of Object.entries(codesOf(path, method))) {
          const statuses = codes.map((code) => components.examples[code]?.value.status);
          expect([path, method, ...new Set(statuses)]).toEqual([path, method, Number(status)]);
        }
      }
    }
  });

  test('refuses strangers with a problem document, and without the dialog of a browser', async () => {
    for (const path of ['/api/me', '/api/openapi.json', '/api/nothing', '/api']) {
      const { status, headers, json } = await stranger.request('GET', path);
      expect([path, status]).toEqual([path, 401]);
      expect(headers['content-type']).toBe('application/problem+json');
      expect(headers['www-authenticate']).toBeUndefined();
      expect(json).toMatchObject({ success: false, status: 401, code: 'not_signed_in' });
    }
  });

  test('names what a request has wrong', async () => {
    const missing = await api.get('/api/nothing');
    expect([missing.status, missing.json]).toMatchObject([404, { code: 'not_found' }]);
    const unknown = await api.get('/api/me?nme=x');
    expect([unknown.status, unknown.json]).toMatchObject([400, { code: 'unknown_field', errors: [{ field: 'nme' }] }]);
    const cut = await api.get('/api/carriers/%E0%A4');
    expect([cut.status, cut.json]).toMatchObject([400, { code: 'malformed_request', success: false }]);
  });

  test('a body that an endpoint does not read is refused if it has a field', async () => {
    await api.patch('/api/guards/all', { countries: ['GB'], rangeHourMax: 200 });
    const released = await api.post('/api/hold/release', { account: '1001' });
    expect([released.status, released.json]).toMatchObject([
      400,
      { code: 'unknown_field', errors: [{ field: 'account' }] },
    ]);
    const cleared = await api.request('DELETE', '/api/guards/all', { json: { guards: 'countries' } });
    expect([cleared.status, cleared.json]).toMatchObject([400, { code: 'unknown_field' }]);
    expect((await api.get('/api/guards/all')).json).toMatchObject({ own: { countries: ['GB'], rangeHourMax: 200 } });
    expect((await api.request('DELETE', '/api/guards/all', { json: {} })).status).toBe(200);
    expect((await api.delete('/api/guards/all')).status).toBe(200);
  });

  test.each([
    ['another site', { 'Sec-Fetch-Site': 'cross-site' }],
    ['another port of this machine', { 'Sec-Fetch-Site': 'same-site' }],
    ['no page', { 'Sec-Fetch-Site': 'none' }],
    ['another origin, in a browser that says no more', { Origin: 'https://evil.example' }],
    ['a page without an origin', { Origin: 'null' }],
  ])('a change that a browser makes for %s is refused', async (_from, headers: Record<string, string>) => {
    const { status, json } = await api.request('POST', '/api/me', { json: {}, headers });
    expect([status, json]).toMatchObject([403, { code: 'cross_site' }]);
  });
});
