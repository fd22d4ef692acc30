import { describe, expect, test } from '@jest/globals';
import { callbackSignature, calledUrl, isSignedByProvider, readInboundCallback, readStatusCallback } from '#carrier';

/** The example of the provider's documentation. */
const EXAMPLE = {
  url: 'https://mycompany.com/myapp.php?foo=1&bar=2',
  parameters: new URLSearchParams({
    CallSid: 'CA1234567890ABCDE',
    Caller: '+14158675310',
    Digits: '1234',
    From: '+14158675310',
    To: '+18005551212',
  }),
  token: '12345',
  signature: 'GvWf1cFY/Q7PnoempGyD5oXAezc=',
};

describe('whose callback it is', () => {
  const { url, parameters, token, signature } = EXAMPLE;
  const isSigned = (given: Partial<typeof EXAMPLE>) => {
    const call = { ...EXAMPLE, ...given };
    return isSignedByProvider(call.signature, call.url, call.parameters, call.token);
  };

  test("the provider's published example is signed as published", () => {
    expect(callbackSignature(url, parameters, token)).toBe(signature);
    expect(isSigned({})).toBe(true);
  });

  test('the usual port may stand in the URL that was signed, or not', () => {
    const withPort = callbackSignature('https://mycompany.com:443/myapp.php?foo=1&bar=2', parameters, token);
    expect(isSigned({ signature: withPort })).toBe(true);
    expect(isSigned({ url: 'https://mycompany.com:443/myapp.php?foo=1&bar=2' })).toBe(true);
    expect(isSigned({ url: 'https://mycompany.com:444/myapp.php?foo=1&bar=2' })).toBe(false);
  });

  test('a name that comes more than once is signed with each of its values once, in order', () => {
    const twice = new URLSearchParams('b=2&a=1&b=1&b=2');
    const sorted = new URLSearchParams();
    sorted.set('a1b1b', '2');
    expect(callbackSignature('u', twice, 't')).toBe(callbackSignature('u', sorted, 't'));
  });

  test.each([
    ['another token', { token: '12346' }],
    ['an empty token', { token: '', signature: callbackSignature(url, parameters, '') }],
    ['another scheme', { url: url.replace('https', 'http') }],
    ['another query', { url: `${url}&x=1` }],
    ['another parameter', { parameters: new URLSearchParams([...parameters, ['MessageStatus', 'delivered']]) }],
    ['no signature', { signature: '' }],
    ['a longer signature', { signature: `${signature}=` }],
    ['no base64 at all', { signature: '💥' }],
  ])('%s: not the provider', (_what, change) => {
    expect(isSigned(change)).toBe(false);
  });

  test('the URL that was called is told from the public address, not from what a proxy made of it', () => {
    expect(calledUrl('https://sms.example.org/x/#rc=5', 'acme', 'ref=7')).toBe(
      'https://sms.example.org/x/carriers/acme/status?ref=7',
    );
    expect(calledUrl('https://sms.example.org', 'acme', '')).toBe('https://sms.example.org/carriers/acme/status');
  });
});

describe('what a callback says', () => {
  const read = (fields: Record<string, string>, query = 'ref=7') =>
    readStatusCallback(new URLSearchParams({ MessageSid: 'SM1', To: '+46700100200', ...fields }), query, {});

  test.each([
    ['delivered', 'delivered'],
    ['read', 'delivered'],
    ['undelivered', 'undelivered'],
    ['failed', 'undelivered'],
    ['canceled', 'undelivered'],
    ['accepted', 'pending'],
    ['queued', 'pending'],
    ['sending', 'pending'],
    ['sent', 'pending'],
    ['something-new', 'pending'],
    ['constructor', 'pending'],
    ['', 'pending'],
  ])('status %p: %s', (MessageStatus, state) => {
    expect(read({ MessageStatus })).toEqual({
      carrierMessageId: 'SM1',
      userMessageReference: 7,
      destination: '46700100200',
      state,
      code: MessageStatus,
    });
  });

  test('the error code stands beside the status', () => {
    expect(read({ MessageStatus: 'undelivered', ErrorCode: '30003' })?.code).toBe('undelivered/30003');
    expect(read({ MessageStatus: 'delivered', ErrorCode: '0' })?.code).toBe('delivered');
    expect(read({ MessageStatus: `delivered${'x'.repeat(99)}` })?.code).toHaveLength(40);
  });

  test.each([
    ['ref=0', 0],
    ['ref=65535', 65_535],
    ['ref=65536', undefined],
    ['ref=-1', undefined],
    ['ref=', undefined],
    ['', undefined],
  ])('the reference of %p is %p', (query, reference) => {
    expect(read({ MessageStatus: 'sent' }, query)?.userMessageReference).toBe(reference);
  });

  test('the older names are read as well', () => {
    const old = new URLSearchParams({ SmsSid: 'SM2', SmsStatus: 'delivered', To: '+1' });
    expect(readStatusCallback(old, '', {})).toMatchObject({ carrierMessageId: 'SM2', state: 'delivered' });
  });

  test('one that names no message is no receipt; one without an id is, by its reference', () => {
    expect(readStatusCallback(new URLSearchParams({ MessageStatus: 'delivered' }), '', {})).toBeUndefined();
    expect(
      readStatusCallback(new URLSearchParams({ MessageStatus: 'delivered', To: '+1' }), 'ref=5', {}),
    ).toMatchObject({
      carrierMessageId: undefined,
      userMessageReference: 5,
    });
  });
});

describe('numbers in national form', () => {
  const inbound = (fields: Record<string, string>, options: Record<string, unknown>) =>
    readInboundCallback(new URLSearchParams({ MessageSid: 'SM1', ...fields }), options);

  test('of messages from handsets are those of the country that the carrier is set to', () => {
    const fields = { From: '07700 900123', To: '07700900999', Body: 'STOP' };
    expect(inbound(fields, { callingCode: '44' })).toMatchObject({
      source: '447700900123',
      destination: '447700900999',
    });
    expect(inbound(fields, {})).toMatchObject({ source: '07700 900123', destination: '07700900999' });
  });

  test('and international ones, short codes and names are as they were', () => {
    for (const [From, source] of [
      ['+46701234567', '46701234567'],
      ['0046701234567', '46701234567'],
      ['46701234567', '46701234567'],
      ['60999', '60999'],
      ['Acme', 'Acme'],
    ] as const) {
      expect(inbound({ From, To: '60999' }, { callingCode: '44' })).toMatchObject({ source, destination: '60999' });
    }
  });

  test('of receipts are the numbers that the messages were sent to', () => {
    const parameters = new URLSearchParams({ MessageStatus: 'delivered', To: '07700900123' });
    expect(readStatusCallback(parameters, 'ref=7', { callingCode: '44' })?.destination).toBe('447700900123');
    expect(readStatusCallback(parameters, 'ref=7', {})?.destination).toBe('07700900123');
  });
});
