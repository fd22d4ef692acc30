import { describe, expect, test } from '@jest/globals';
import {
  CARRIER_OPTIONS,
  type CarrierRecord,
  CarrierUrlError,
  carrierAdvice,
  createCarrier,
  HttpCarrier,
  parseCarrierEndpoint,
} from '#carrier';

describe('the URL of a carrier', () => {
  test.each([
    ['https://AC1:tok@api.example.com', { host: 'api.example.com', port: 443, tls: true, options: {} }],
    ['http://AC1:tok@127.0.0.1:8080/', { host: '127.0.0.1', port: 8080, tls: false, options: {} }],
    [
      'https://AC1:tok@[::1]:8443/sms/api/',
      { host: '::1', port: 8443, tls: true, options: { pathPrefix: '/sms/api' } },
    ],
    [
      'https://AC1:tok@api.example.com?callbackUrl=https%3A%2F%2Fsms.example.org&sender=%2B46700100200&requestTimeoutMs=5000',
      {
        host: 'api.example.com',
        port: 443,
        tls: true,
        options: { callbackUrl: 'https://sms.example.org', sender: '+46700100200', requestTimeoutMs: 5_000 },
      },
    ],
  ])('%s', (url, expected) => {
    expect(parseCarrierEndpoint(url)).toEqual({ protocol: 'http', systemId: 'AC1', password: 'tok', ...expected });
  });

  test('SMPP is read as before', () => {
    expect(parseCarrierEndpoint('smpps://user:secret@smpp.example.com')).toEqual({
      protocol: 'smpp',
      host: 'smpp.example.com',
      port: 3550,
      tls: true,
      systemId: 'user',
      password: 'secret',
      options: {},
    });
  });

  test.each([
    ['ftp://AC1:secret@host', /starts with smpp/],
    ['https://api.example.com', /names no account SID/],
    ['https://AC1:secret@host#x', /%23/],
    ['https://AC1:se%00cret@host', /plain ASCII/],
    ['https://A%3AC:secret@host', /plain ASCII/],
    ['https://AC1:secret@host?colour=red', /"colour" is no option of a carrier URL; they are callbackUrl, sender/],
    ['https://AC1:secret@host?callbackUrl=nowhere', /callbackUrl: an http/],
    ['https://AC1:secret@host?callingCode=441', /callingCode: must be the calling code of a country, 1 to 3 digits/],
    ['https://', /not a carrier URL/],
  ])('%s is refused, without repeating the token', (url, message) => {
    const read = () => parseCarrierEndpoint(url);
    expect(read).toThrow(CarrierUrlError);
    expect(read).toThrow(message);
    expect(read).not.toThrow(/secret/);
  });

  test('the token may be left out, to be given elsewhere', () => {
    expect(parseCarrierEndpoint('https://AC1@api.example.com').password).toBe('');
  });
});

describe('the options', () => {
  const read = (name: string, text: string) => CARRIER_OPTIONS.http.find((option) => option.name === name)?.parse(text);

  test.each([
    ['callbackUrl', 'https://sms.example.org/x#rc=5&rp=5xx', 'https://sms.example.org/x#rc=5&rp=5xx'],
    ['sender', '+46700100200', '+46700100200'],
    ['messagingServiceSid', 'MG0123', 'MG0123'],
    ['pathPrefix', '/api/v2', '/api/v2'],
    ['requestTimeoutMs', '15000', 15_000],
    ['validityPeriodSeconds', '36000', 36_000],
    ['errorCodes', '21610=refused, 503=in-doubt', { 21610: 'refused', 503: 'in-doubt' }],
  ])('%s takes %s', (name, text, value) => {
    expect(read(name, text)).toEqual(value);
  });

  test.each([
    ['callbackUrl', 'sms.example.org'],
    ['callbackUrl', 'https://user:pw@sms.example.org'],
    ['callbackUrl', 'https://sms.example.org?x=1'],
    ['callbackUrl', 'https://sms.example.org?'],
    ['callbackUrl', 'https://sms.example.org '],
    ['callbackUrl', 'https:sms.example.org'],
    ['callbackUrl', 'https://sms.example.org\\x'],
    ['callbackUrl', 'smpp://sms.example.org'],
    ['sender', 'far too long a name'],
    ['pathPrefix', 'api'],
    ['pathPrefix', '/api/'],
    ['requestTimeoutMs', '0'],
    ['requestTimeoutMs', '1e4'],
    ['validityPeriodSeconds', '36001'],
    ['errorCodes', '21610'],
    ['errorCodes', '21610=maybe'],
    ['errorCodes', '21610=refused,21610=throttled'],
    ['errorCodes', ''],
    ['tlsCaPem', 'no certificate'],
  ])('%s does not take %p', (name, text) => {
    expect(() => read(name, text)).toThrow(RangeError);
  });
});

describe('a stored carrier', () => {
  const record: CarrierRecord = {
    name: 'acme',
    protocol: 'http',
    host: '127.0.0.1',
    port: 1,
    tls: false,
    systemId: 'AC1',
    password: 'tok',
    windowSize: 5,
    submitsPerSecond: undefined,
    messageIdFormat: 'as-is',
    defaultAlphabet: 'gsm0338',
    options: { sender: 'Ours' },
  };
  const log = { info: () => undefined, warn: () => undefined, error: () => undefined };
  const make = (change: Partial<CarrierRecord>) =>
    createCarrier(
      { ...record, ...change },
      { sender: 'Default', responseTimeoutMs: 1_000 },
      { log, onReceipt: async () => undefined, onInbound: async () => undefined },
    );

  test('becomes a carrier of whole messages', () => {
    expect(make({})).toBeInstanceOf(HttpCarrier);
    expect(make({}).wireFormat.unit).toBe('message');
  });

  test.each([
    [{ options: { tlsCaPem: 'x' } }, /tlsCaPem/],
    [{ options: { validityPeriodSeconds: 40_000 } }, /validityPeriodSeconds/],
    [{ windowSize: 0.5 }, /windowSize/],
    [{ port: 0 }, /port/],
  ])('with %j is refused by the name of what is wrong', (change, message) => {
    expect(() => make(change)).toThrow(message);
  });

  test('without a callbackUrl the operator is told what that means', () => {
    expect(carrierAdvice(record)).toEqual([expect.stringMatching(/unknown at the receipt deadline/)]);
    expect(carrierAdvice({ ...record, options: { callbackUrl: 'https://x.example' } })).toEqual([]);
    expect(carrierAdvice({ ...record, protocol: 'smpp' })).toEqual([]);
  });
});
