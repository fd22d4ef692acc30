import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { type AttemptRecord, listOperatorChanges, recordAttempt } from '#persistence';
import { expectProblem, faultsOf } from '../support/expect-problem.js';
import { type TestAccount, TestGateway } from '../support/gateway.js';

const WEBHOOKS = '/v1/webhooks';
const GOOD = { url: 'https://shop.example.com/hooks', events: ['message.delivered', 'message.failed'] };

interface Webhook {
  readonly id: string;
  readonly url: string;
  readonly events: string[];
  readonly status: string;
  readonly secret?: string;
  readonly disabledReason: string | null;
  readonly overlapUntil: string | null;
}

let gateway: TestGateway;
let account: TestAccount;
beforeAll(async () => {
  gateway = await TestGateway.start({ settings: { WEBHOOK_ALLOW_NETWORKS: '10.1.0.0/16' } });
});
// One account would reach its limit of changes.
beforeEach(async () => {
  account = await gateway.account();
});
afterAll(() => gateway.close());

const create = async (by: TestAccount, body: object = GOOD): Promise<Webhook> => {
  const reply = await by.post(WEBHOOKS, body);
  expect(reply.status).toBe(201);
  return reply.as<Webhook>();
};

describe('the owner of an account', () => {
  test('makes a webhook, sees its secret once, changes it and deletes it', async () => {
    const made = await create(account, { ...GOOD, description: 'shop' });
    expect(made).toMatchObject({ ...GOOD, description: 'shop', status: 'enabled', disabledReason: null });
    expect(made.id).toMatch(/^we_[0-9a-z]{16}$/);
    expect(Buffer.from(made.secret?.replace('whsec_', '') ?? '', 'base64')).toHaveLength(32);

    const { secret: _secret, ...withoutSecret } = made;
    expect((await account.get(`${WEBHOOKS}/${made.id}`)).json).toEqual(withoutSecret);
    expect((await account.get(WEBHOOKS)).json).toEqual({ data: [withoutSecret] });

    const changed = await account.request('PATCH', `${WEBHOOKS}/${made.id}`, { json: { events: ['message.sent'] } });
    expect(changed.json).toEqual({ ...withoutSecret, events: ['message.sent'] });
    expect((await account.request('DELETE', `${WEBHOOKS}/${made.id}`)).json).toEqual({ id: made.id });
    expectProblem(await account.get(`${WEBHOOKS}/${made.id}`), 404, 'not_found');
  });

  test('describes a webhook in as many characters as the document says, also in emoji', async () => {
    const description = '📦'.repeat(200);
    expect(await create(account, { ...GOOD, description })).toMatchObject({ description });
    const more = await account.post(WEBHOOKS, { ...GOOD, description: `${description}x` });
    expectProblem(more, 400, 'invalid_request');
  });

  test('replaces the secret, disables and enables', async () => {
    const made = await create(account);
    const rotated = (await account.post(`${WEBHOOKS}/${made.id}/rotate`, { overlapSeconds: 60 })).as<Webhook>();
    expect(rotated.secret).not.toBe(made.secret);
    expect(rotated.overlapUntil).not.toBeNull();
    const disabled = (await account.post(`${WEBHOOKS}/${made.id}/disable`, {})).as<Webhook>();
    expect(disabled).toMatchObject({ status: 'disabled', disabledReason: 'client' });
    expectProblem(await account.post(`${WEBHOOKS}/${made.id}/test`, {}), 409, 'webhook_disabled');
    expect((await account.post(`${WEBHOOKS}/${made.id}/enable`, {})).as<Webhook>()).toMatchObject({
      status: 'enabled',
    });
    const tested = await account.post(`${WEBHOOKS}/${made.id}/test`, {});
    expect(tested.as<{ eventId: string }>().eventId).toMatch(/^evt_\d+_0$/);
    expect((await account.get(`${WEBHOOKS}/${made.id}/deliveries`)).json).toMatchObject({ data: [] });
  });

  test('ends a replay when the webhook goes on with what comes now', async () => {
    const made = await create(account);
    const replays = () => gateway.database.query('select from webhook_replay where endpoint_id = $1', [made.id]);
    await account.post(`${WEBHOOKS}/${made.id}/replay`, { from: new Date(Date.now() - 60_000).toISOString() });
    await account.post(`${WEBHOOKS}/${made.id}/disable`, {});
    await account.post(`${WEBHOOKS}/${made.id}/enable`, { resume: 'cursor' });
    expect(await replays()).toHaveLength(1);
    await account.post(`${WEBHOOKS}/${made.id}/enable`, { resume: 'now' });
    expect(await replays()).toHaveLength(0);
  });

  test('gets each event once, however often the webhook names it', async () => {
    const made = await create(account, { ...GOOD, events: ['message.sent', 'message.failed', 'message.sent'] });
    expect(made.events).toEqual(['message.sent', 'message.failed']);
    const events = ['message.delivered', 'message.delivered'];
    const changed = await account.request('PATCH', `${WEBHOOKS}/${made.id}`, { json: { events } });
    expect(changed.as<Webhook>().events).toEqual(['message.delivered']);
  });

  test('has every change recorded under the id of its key, without the secret', async () => {
    const other = await gateway.account();
    await create(other);
    const [change] = await listOperatorChanges(gateway.database, { accountId: other.accountId }, 1);
    expect(change).toMatchObject({ operator: `API key ${other.keyId}`, subject: 'webhook_endpoint', action: 'insert' });
    expect(change?.after).toMatchObject({ secret: '***', url: GOOD.url });
  });

  test('has at most 20 webhooks', async () => {
    const other = await gateway.account();
    for (let made = 0; made < 20; made += 1) await create(other);
    expectProblem(await other.post(WEBHOOKS, GOOD), 409, 'too_many_webhooks');
  });
});

describe('refusals of webhooks', () => {
  test.each([
    ['no address', { events: GOOD.events }, 'url'],
    ['another protocol', { ...GOOD, url: 'ftp://example.com' }, 'url'],
    ['plain HTTP to the Internet', { ...GOOD, url: 'http://93.184.216.34/' }, 'url'],
    ['another port', { ...GOOD, url: 'https://93.184.216.34:22/' }, 'url'],
    ['a user name', { ...GOOD, url: 'https://me@example.com/' }, 'url'],
    ['this machine', { ...GOOD, url: 'https://127.0.0.1/' }, 'url'],
    ['this machine in another form', { ...GOOD, url: 'https://0x7f.1/' }, 'url'],
    ['a private network', { ...GOOD, url: 'https://10.2.0.1/' }, 'url'],
    ['the metadata of a cloud', { ...GOOD, url: 'https://169.254.169.254/' }, 'url'],
    ['no events', { url: GOOD.url }, 'events'],
    ['an empty list of events', { ...GOOD, events: [] }, 'events'],
    ['an unknown event', { ...GOOD, events: ['message.read'] }, 'events'],
    ['NUL in the address', { ...GOOD, url: 'https://shop.example.com/a\u0000' }, 'url'],
    ['a tab in the address', { ...GOOD, url: 'https://shop.example.com/\ta' }, 'url'],
    ['a line feed after the address', { ...GOOD, url: 'https://shop.example.com/\n' }, 'url'],
    ['half of a surrogate pair in the address', { ...GOOD, url: 'https://shop.example.com/\ud83d' }, 'url'],
    ['a long description', { ...GOOD, description: 'x'.repeat(201) }, 'description'],
  ])('%s makes none', async (_what, body, field) => {
    const problem = expectProblem(await account.post(WEBHOOKS, body), 400, 'invalid_request');
    expect(faultsOf(problem)).toEqual([{ field, code: 'invalid_request' }]);
  });

  test('a network that the operator allows may be reached, also without TLS', async () => {
    expect(await create(account, { ...GOOD, url: 'http://10.1.2.3:8080/' })).toMatchObject({ status: 'enabled' });
  });

  test.each(['a%00', '%00', 'WE_0F3K9X2M4Q7T1B8Z', 'we_x'])('there is no webhook %s', async (id) => {
    const answers = [
      await account.get(`${WEBHOOKS}/${id}`),
      await account.get(`${WEBHOOKS}/${id}/deliveries`),
      await account.request('PATCH', `${WEBHOOKS}/${id}`, { json: { description: 'x' } }),
      await account.request('DELETE', `${WEBHOOKS}/${id}`),
      await account.post(`${WEBHOOKS}/${id}/replay`, { eventId: 'evt_1_0' }),
    ];
    for (const change of ['rotate', 'disable', 'enable', 'test']) {
      answers.push(await account.post(`${WEBHOOKS}/${id}/${change}`, {}));
    }
    for (const answer of answers) expectProblem(answer, 404, 'not_found');
  });

  test('a webhook of another account is not there', async () => {
    const { id } = await create(account);
    const other = await gateway.account();
    expectProblem(await other.get(`${WEBHOOKS}/${id}`), 404, 'not_found');
    expectProblem(await other.request('DELETE', `${WEBHOOKS}/${id}`), 404, 'not_found');
    expectProblem(await other.get(`${WEBHOOKS}/${id}/deliveries`), 404, 'not_found');
    for (const change of ['rotate', 'disable', 'enable', 'test']) {
      expectProblem(await other.post(`${WEBHOOKS}/${id}/${change}`, {}), 404, 'not_found');
    }
  });

  test.each([
    ['neither event nor time', {}],
    ['both', { eventId: 'evt_1_0', from: new Date().toISOString() }],
    ['a time of a month ago', { from: new Date(Date.now() - 30 * 86_400_000).toISOString() }],
    ['a time that is yet to come', { from: '2099-01-01T00:00:00Z', until: '2099-01-02T00:00:00Z' }],
    ['a time without a zone', { from: '2026-11-22T00:00:00' }],
    ['a day that does not exist', { from: '2026-11-31T00:00:00Z' }],
  ])('a replay of %s sends nothing', async (_what, body) => {
    const { id } = await create(account);
    expectProblem(await account.post(`${WEBHOOKS}/${id}/replay`, body), 400, 'invalid_request');
    for (const eventId of ['evt_1_0', 'evt_9223372036854775808_0', 'evt_\u0000_0']) {
      expectProblem(await account.post(`${WEBHOOKS}/${id}/replay`, { eventId }), 404, 'not_found');
    }
  });

  test('deliveries of an outcome that does not exist are refused', async () => {
    const { id } = await create(account);
    expect((await account.get(`${WEBHOOKS}/${id}/deliveries?outcome=failed`)).json).toMatchObject({ data: [] });
    const problem = expectProblem(
      await account.get(`${WEBHOOKS}/${id}/deliveries?outcome=lost`),
      400,
      'invalid_request',
    );
    expect(faultsOf(problem)).toEqual([{ field: 'outcome', code: 'invalid_request' }]);
  });

  test('deliveries are asked for by event and time; another event, or a time before the first one, is refused', async () => {
    const { id } = await create(account);
    const get = (query: string) => account.get(`${WEBHOOKS}/${id}/deliveries?${query}`);
    const attempt: AttemptRecord = {
      endpointId: id,
      batchId: '1',
      index: 0,
      at: new Date('2026-11-22T09:30:00Z'),
      type: 'message.failed',
      kind: 'event',
      attempt: 1,
      outcome: 'given_up',
      httpStatus: 500,
      error: undefined,
      durationMs: 1,
      nextAttemptAt: undefined,
    };
    await recordAttempt(gateway.database, attempt, undefined);
    const found = async (query: string) => (await get(query)).as<{ pagination: { total: number } }>().pagination.total;
    expect([
      await found('type=message.failed&from=2026-11-22&to=2026-11-22T12:00:00Z&outcome=given_up'),
      await found('type=message.delivered'),
      await found('from=2026-11-22T09:30:01Z'),
      await found('to=2026-11-22T09:30:00Z'),
    ]).toEqual([1, 0, 0, 0]);
    for (const [query, fields] of [
      ['type=message.lost&from=2026-11-22&to=2026-11-21', ['type', 'to']],
      ['from=2026-11-31', ['from']],
    ] as const) {
      const problem = expectProblem(await get(query), 400, 'invalid_request');
      expect(faultsOf(problem)).toEqual(fields.map((field) => ({ field, code: 'invalid_request' })));
    }
  });

  test('a key without the scope `manage` may do nothing here', async () => {
    const reader = await account.withKey({ scopes: ['send', 'read'] });
    expectProblem(await reader.get(WEBHOOKS), 403, 'insufficient_scope');
    expectProblem(await reader.post(WEBHOOKS, GOOD), 403, 'insufficient_scope');
  });
});
