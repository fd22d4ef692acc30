import { describe, expect, test } from '@jest/globals';
import { CarrierUrlError, parseCarrierUrl } from '#carrier';

describe('the URL of a carrier', () => {
  test.each([
    [
      'smpp://me:pw@smsc.example.net:2776',
      { host: 'smsc.example.net', port: 2776, systemId: 'me', password: 'pw', tls: false },
    ],
    [
      'smpp://me:pw@smsc.example.net',
      { host: 'smsc.example.net', port: 2775, systemId: 'me', password: 'pw', tls: false },
    ],
    [
      'smpps://me:pw@smsc.example.net',
      { host: 'smsc.example.net', port: 3550, systemId: 'me', password: 'pw', tls: true },
    ],
    ['ssmpp://me:pw@10.0.0.7:3000/', { host: '10.0.0.7', port: 3000, systemId: 'me', password: 'pw', tls: true }],
    ['smpp://me:p%40%3A%2Fw@[::1]:2775', { host: '::1', port: 2775, systemId: 'me', password: 'p@:/w', tls: false }],
    ['smpp://me@localhost', { host: 'localhost', port: 2775, systemId: 'me', password: '', tls: false }],
  ])('%s is read', (url, expected) => {
    expect(parseCarrierUrl(url)).toEqual(expected);
  });

  test.each([
    ['http://me:hush@host', 'a carrier URL starts with smpp:// or smpps://'],
    ['smpp//me:hush@host', 'not a carrier URL (smpp://USER:PASSWORD@HOST:PORT)'],
    ['smpp://me:hush@host:99999', 'not a carrier URL (smpp://USER:PASSWORD@HOST:PORT)'],
    ['smpp://me:hush@host:0', 'the port of the carrier URL must be 1 to 65535'],
    ['smpp://host:2775', 'the carrier URL names no user (smpp://USER:PASSWORD@HOST:PORT)'],
    ['smpp:///x', 'the carrier URL names no host'],
    ['smpp://me:hush@host/path', 'the carrier URL ends after the port; encode / ? # in the password as %2F %3F %23'],
    [
      'smpp://me:hush@host?window=1',
      'the carrier URL ends after the port; encode / ? # in the password as %2F %3F %23',
    ],
    [
      'smpp://me:h%C3%BCsh@host',
      'the password of the carrier URL must be plain ASCII, special characters percent-encoded',
    ],
    [
      'smpp://me:hush%zz@host',
      'the password of the carrier URL must be plain ASCII, special characters percent-encoded',
    ],
    ['smpp://muchtoolongausername:hush@host', 'the user of the carrier URL is longer than 15 characters'],
  ])('%s is refused with a clear reason that does not repeat it', (url, message) => {
    expect(() => parseCarrierUrl(url)).toThrow(new CarrierUrlError(message));
    expect(message).not.toContain('hush');
  });
});
