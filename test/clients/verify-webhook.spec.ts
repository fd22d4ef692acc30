import { describe, expect, test } from '@jest/globals';
import { verifyWebhook, type WebhookHeaders, WebhookVerificationError } from '#client';
import { EVENT, signedWebhook } from './signed-webhook.js';

/** Why a webhook is refused. */
async function refusal(body: string, headers: WebhookHeaders, secrets: string | string[]): Promise<string> {
  const error: unknown = await verifyWebhook(body, headers, secrets).catch((reason: unknown) => reason);
  expect(error).toBeInstanceOf(WebhookVerificationError);
  return (error as Error).message;
}

describe('a webhook', () => {
  const one = signedWebhook();

  test.each([
    ['text', one.body],
    ['a Buffer', Buffer.from(one.body)],
    ['a part of a larger buffer', Buffer.from(`..${one.body}..`).subarray(2, -2)],
    ['an ArrayBuffer', new TextEncoder().encode(one.body).buffer],
  ])('is read from its body as %s', async (_kind, body) => {
    expect(await verifyWebhook(body, one.headers, one.secret)).toEqual(JSON.parse(EVENT));
  });

  test('has its headers as Headers, or as an object of a framework', async () => {
    expect((await verifyWebhook(one.body, new Headers(one.headers), one.secret)).type).toBe('message.sent');
    expect((await verifyWebhook(one.body, { ...one.headers, accept: ['*/*'] }, one.secret)).type).toBe('message.sent');
    const capitals = Object.fromEntries(Object.entries(one.headers).map(([name, text]) => [name.toUpperCase(), text]));
    expect((await verifyWebhook(one.body, capitals, one.secret)).type).toBe('message.sent');
  });

  test('is refused when anything of it was changed', async () => {
    const { body, headers, secret } = one;
    expect(await refusal(body.replace('sent', 'rent'), headers, secret)).toContain('No signature');
    expect(await refusal(body, { ...headers, 'webhook-id': 'msg_2' }, secret)).toContain('No signature');
    const later = String(Number(headers['webhook-timestamp']) + 1);
    expect(await refusal(body, { ...headers, 'webhook-timestamp': later }, secret)).toContain('No signature');
    expect(await refusal(body, headers, signedWebhook().secret)).toContain('No signature');
  });

  test('is refused without each of its headers, and with one that is given twice', async () => {
    for (const name of Object.keys(one.headers)) {
      const told = `The header ${name} is missing or repeated`;
      expect(await refusal(one.body, { ...one.headers, [name]: undefined }, one.secret)).toBe(told);
      expect(await refusal(one.body, { ...one.headers, [name]: ['a', 'b'] }, one.secret)).toBe(told);
    }
  });

  test.each([
    ['older than 5 minutes', -310_000],
    ['more than 5 minutes ahead', 310_000],
  ])('is refused when it is %s, unless more is tolerated', async (_age, offMs) => {
    const { body, headers, secret } = signedWebhook({ atMs: Date.now() + offMs });
    expect(await refusal(body, headers, secret)).toContain('webhook-timestamp');
    expect((await verifyWebhook(body, headers, secret, { toleranceSeconds: 320 })).type).toBe('message.sent');
  });

  test.each(['', 'now', '1e9', '-1', '0x10', '99999999999999'])('is refused with %j as its time', async (time) => {
    await refusal(one.body, { ...one.headers, 'webhook-timestamp': time }, one.secret);
  });

  test('is accepted by any of its signatures and any of the secrets, while one replaces the other', async () => {
    const [old, { secret: next }] = [signedWebhook(), signedWebhook()];
    const wrong = `v1,${Buffer.alloc(32).toString('base64')} v1a,AAAA v1,not-base64!`;
    const headers = { ...old.headers, 'webhook-signature': `${wrong} ${old.headers['webhook-signature']}` };
    expect((await verifyWebhook(old.body, headers, [next, old.secret])).type).toBe('message.sent');
    await refusal(old.body, { ...headers, 'webhook-signature': wrong }, [next, old.secret]);
    await refusal(old.body, headers, []);
  });

  test('is not tried with more than 16 signatures', async () => {
    const wrong = `v1,${Buffer.alloc(32).toString('base64')} `.repeat(16);
    const headers = { ...one.headers, 'webhook-signature': wrong + one.headers['webhook-signature'] };
    await refusal(one.body, headers, one.secret);
  });

  test('that is signed and no JSON is refused', async () => {
    const { body, headers, secret } = signedWebhook({ body: 'hello' });
    expect(await refusal(body, headers, secret)).toContain('not JSON');
  });

  test('needs the raw body, and a secret that is one: both are faults of the program', async () => {
    const parsed = JSON.parse(one.body) as string;
    await expect(verifyWebhook(parsed, one.headers, one.secret)).rejects.toThrow(TypeError);
    await expect(verifyWebhook(one.body, one.headers, 'whsec_')).rejects.toThrow(TypeError);
    await expect(verifyWebhook(one.body, one.headers, 'whsec_*')).rejects.toThrow(TypeError);
  });
});
