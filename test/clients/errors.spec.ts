import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import {
  ApiError,
  AuthenticationError,
  ConflictError,
  ConnectionError,
  Heliograph,
  type HeliographOptions,
  InsufficientBalanceError,
  InvalidRequestError,
  NotFoundError,
  PermissionDeniedError,
  RateLimitError,
  ServiceError,
  UnprocessableError,
} from '#client';
import { ERRORS } from '../../apps/gateway/http/error-catalogue.js';
import { RECIPIENT, type TestAccount, TestGateway } from '../support/gateway.js';
import { errorOf, refusal } from './failed-calls.js';
import { HeardFetch } from './heard-fetch.js';

const SMS = { recipient: RECIPIENT, message: 'Hi' };

let gateway: TestGateway;
let account: TestAccount;
beforeAll(async () => {
  gateway = await TestGateway.start();
  account = await gateway.account();
});
afterAll(() => gateway.close());

function clientOf(options: Partial<HeliographOptions> = {}): Heliograph {
  return new Heliograph({ baseUrl: gateway.url, apiKey: account.apiKey, ...options });
}

describe('errors', () => {
  test('of fields name each field and entry, and the request in the logs', async () => {
    const batch = { messages: [SMS, { recipient: 'x', message: '' }] };
    const error = await errorOf(clientOf().messages.sendBatch(batch, { requestId: 'mine' }), InvalidRequestError);
    expect(error).toMatchObject({
      name: 'InvalidRequestError',
      status: 400,
      code: 'invalid_request',
      requestId: 'mine',
    });
    expect(error.errors.map(({ field, arrayPosition, code }) => [field, arrayPosition, code])).toEqual([
      ['recipient', 1, 'recipient_invalid'],
      ['message', 1, 'message_empty'],
    ]);
  });

  test('of money say how much is missing', async () => {
    const poor = await gateway.account({ deposit: '0' });
    const call = clientOf({ apiKey: poor.apiKey }).messages.send(SMS);
    const { balance, required, currency, message } = await errorOf(call, InsufficientBalanceError);
    expect([balance, required, currency]).toEqual([0, 0.075, 'EUR']);
    expect(message).toMatch(/^insufficient_balance: /);
  });

  test('of keys, of what is not there, and of what cannot be done have classes of their own', async () => {
    const reader = await account.withKey({ scopes: ['read'] });
    const scope = await errorOf(clientOf({ apiKey: reader.apiKey }).messages.send(SMS), PermissionDeniedError);
    expect([scope.code, scope.scope]).toEqual(['insufficient_scope', 'send']);
    await errorOf(clientOf({ apiKey: 'hg_wrong' }).account.balance(), AuthenticationError);
    await errorOf(clientOf().messages.get('019aa5c4-1c2e-7cc3-a1b4-0d9c6f1f6c11'), NotFoundError);
    const far = await errorOf(clientOf().messages.send({ ...SMS, recipient: '+999700100200' }), UnprocessableError);
    expect(far.code).toBe('no_rate');
    const once = { ...SMS, reference: 'once', uniqueReference: true };
    await clientOf().messages.send(once);
    expect((await errorOf(clientOf().messages.send(once), ConflictError)).code).toBe('reference_used');
  });

  test.each(Object.entries(ERRORS))('%s has the class of its status', async (code, { status }) => {
    const { fetch } = new HeardFetch(refusal(status, code));
    const error = await errorOf(clientOf({ fetch, maxRetries: 0 }).account.balance(), ApiError);
    const classes: Record<number, unknown> = {
      401: AuthenticationError,
      402: InsufficientBalanceError,
      403: PermissionDeniedError,
      404: NotFoundError,
      408: ServiceError,
      409: ConflictError,
      422: UnprocessableError,
      429: RateLimitError,
    };
    expect(error.constructor).toBe(classes[status] ?? (status >= 500 ? ServiceError : InvalidRequestError));
    expect([error.code, error.name]).toEqual([code, error.constructor.name]);
  });

  test('of something between client and service have a status and no code', async () => {
    const { fetch } = new HeardFetch(new Response('<html>', { status: 502 }), new Response('<html>', { status: 302 }));
    const bad = await errorOf(clientOf({ fetch, maxRetries: 0 }).account.balance(), ServiceError);
    expect([bad.status, bad.code, bad.problem]).toEqual([502, undefined, undefined]);
    expect((await errorOf(clientOf({ fetch }).account.balance(), ApiError)).status).toBe(302);
  });

  test.each(['null', '{}', '{"data":[],"pagination":null}'])('of a list that is %s tell of it', async (body) => {
    const { fetch } = new HeardFetch(new Response(body));
    const items = clientOf({ fetch }).messages.list()[Symbol.asyncIterator]();
    expect((await errorOf(items.next(), ConnectionError)).message).toBe('The answer is no list');
  });

  test('of the network have their cause', async () => {
    const cause = new TypeError('fetch failed');
    const { fetch } = new HeardFetch(cause);
    const error = await errorOf(clientOf({ fetch, maxRetries: 0 }).account.balance(), ConnectionError);
    expect(error.cause).toBe(cause);
  });
});
