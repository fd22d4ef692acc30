import dns, { type LookupAddress } from 'node:dns';
import { describe, expect, jest, test } from '@jest/globals';
import { VERSION } from '#config';
import { freePort } from '../../scripts/process/free-port.js';
import { FarServer } from '../support/far-server.js';
import { created } from '../support/scripted-api.js';
import { anHttpCarrier, TestHttpCarrier } from '../support/test-http-carrier.js';
import { until } from '../support/until.js';

describe('what the provider is sent', () => {
  test('a message is one form to the account, under its token, whatever its length in segments', async () => {
    const { api, subject } = await anHttpCarrier();
    const text = `${'Long text & more? '.repeat(40)}é€漢😀 end `;
    await expect(subject.submit({ text })).resolves.toEqual({ kind: 'accepted', carrierMessageId: 'SM0' });
    const [request] = api.requests;
    expect(request?.method).toBe('POST');
    expect(request?.path).toBe('/2010-04-01/Accounts/AC123/Messages.json');
    expect(request?.headers.authorization).toBe(`Basic ${Buffer.from('AC123:token').toString('base64')}`);
    expect(request?.headers['user-agent']).toBe(`heliograph/${VERSION}`);
    expect(request?.headers['content-type']).toBe('application/x-www-form-urlencoded');
    expect(Object.fromEntries(request?.form ?? [])).toEqual({ To: '+46700100200', From: 'Heliograph', Body: text });
  });

  test.each([
    ['a number gets its plus sign', { sender: '46700100201' }, undefined, { From: '+46700100201' }],
    ['a number keeps its plus sign', { sender: '+46700100201' }, undefined, { From: '+46700100201' }],
    ['a short code stays as it is', { sender: '72345' }, undefined, { From: '72345' }],
    [
      'a messaging service stands for the sender',
      { messagingServiceSid: 'MG1' },
      undefined,
      { MessagingServiceSid: 'MG1' },
    ],
    ["an account's sender comes first", { messagingServiceSid: 'MG1', sender: 'Ours' }, 'Theirs', { From: 'Theirs' }],
  ])('the sender: %s', async (_rule, settings, sender, expected) => {
    const { api, subject } = await anHttpCarrier(created(), settings);
    await subject.submit({ sender });
    expect(Object.fromEntries(api.requests[0]?.form ?? [])).toEqual({
      To: '+46700100200',
      Body: 'Hello',
      ...expected,
    });
  });

  test.each([
    ['https://sms.example.org', 'https://sms.example.org/carriers/acme/status?ref=7'],
    ['https://sms.example.org/', 'https://sms.example.org/carriers/acme/status?ref=7'],
    ['https://example.org:8443/sms', 'https://example.org:8443/sms/carriers/acme/status?ref=7'],
    ['https://sms.example.org#rc=5&rp=5xx', 'https://sms.example.org/carriers/acme/status?ref=7#rc=5&rp=5xx'],
  ])('callbackUrl %s asks for callbacks at %s', async (callbackUrl, expected) => {
    const { api, subject } = await anHttpCarrier(created(), { callbackUrl, validityPeriodSeconds: 600 });
    await subject.submit();
    expect(api.requests[0]?.form.get('StatusCallback')).toBe(expected);
    expect(api.requests[0]?.form.get('ValidityPeriod')).toBe('600');
  });

  test.each([
    [undefined, undefined, null],
    [600, undefined, '600'],
    [7_200, 3_600, '3600'],
    [604_800, undefined, '36000'],
  ])(
    'of a message of %s seconds and a carrier of %s the shorter validity is asked for',
    async (own, setting, asked) => {
      const { api, subject } = await anHttpCarrier(created(), setting ? { validityPeriodSeconds: setting } : {});
      await subject.submit({ validitySeconds: own });
      expect(api.requests[0]?.form.get('ValidityPeriod')).toBe(asked);
    },
  );

  test('a path prefix and an odd account SID are kept', async () => {
    const { api, subject } = await anHttpCarrier(created(), { pathPrefix: '/sms/api', systemId: 'a/b' });
    await subject.submit();
    expect(api.requests[0]?.path).toBe('/sms/api/2010-04-01/Accounts/a%2Fb/Messages.json');
  });

  test('a text over 1,600 characters is refused before anything is sent; one of 1,600 is sent', async () => {
    const { api, subject } = await anHttpCarrier();
    await expect(subject.submit({ text: 'x'.repeat(1_601) })).resolves.toEqual({
      kind: 'refused',
      code: 'TEXT_TOO_LONG',
    });
    expect(api.requests).toEqual([]);
    await expect(subject.submit({ text: '😀'.repeat(1_600) })).resolves.toMatchObject({ kind: 'accepted' });
    expect(api.requests[0]?.form.get('Body')).toHaveLength(3_200);
  });
});

/** Until it is restored, every name has these addresses. */
function resolvesTo(...addresses: string[]) {
  const all = addresses.map((address) => ({ address, family: 4 }));
  const found = (_host: string, _options: object, answer: (error: null, all: LookupAddress[]) => void) =>
    answer(null, all);
  return jest.spyOn(dns, 'lookup').mockImplementation(found as never);
}

describe('a provider whose name has several addresses', () => {
  test('is reached, although connecting takes longer than Node waits for one of them', async () => {
    const far = await FarServer.start('127.0.0.2');
    const lookup = resolvesTo('127.0.0.2', '127.0.0.3');
    const subject = new TestHttpCarrier(far.port, { host: 'api.example.com' });
    await far.comeNearer();
    await subject.untilBound();
    lookup.mockRestore();
    await far.close();
    expect(subject.logLines.filter(({ level }) => level !== 'info')).toEqual([]);
  });

  test('is down for a reason that names each of them', async () => {
    const port = await freePort();
    const lookup = resolvesTo('127.0.0.2', '127.0.0.3');
    const { logLines } = new TestHttpCarrier(port, { host: 'api.example.com' });
    await until('the carrier is down', () => logLines.length > 0);
    lookup.mockRestore();
    const reason = `connect ECONNREFUSED 127.0.0.2:${port}; connect ECONNREFUSED 127.0.0.3:${port}`;
    expect(logLines[0]?.fields).toMatchObject({ reason });
  });
});
