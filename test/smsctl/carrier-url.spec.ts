import { describe, expect, test } from '@jest/globals';
import { carrierUrl } from '../../apps/smsctl/carrier-url.js';

describe('the address of a carrier', () => {
  test.each([
    ['smpp://u:p@h.example:2776', { host: 'h.example', port: 2776, systemId: 'u', password: 'p', tls: false }],
    ['smpp://u:p@h.example', { host: 'h.example', port: 2775, systemId: 'u', password: 'p', tls: false }],
    ['smpps://u:p@h.example/', { host: 'h.example', port: 3550, systemId: 'u', password: 'p', tls: true }],
    [
      'smpp://a%40b:p%3A%2F%25@10.0.0.1:1',
      { host: '10.0.0.1', port: 1, systemId: 'a@b', password: 'p:/%', tls: false },
    ],
    ['smpp://u:p@[2001:db8::1]:2775', { host: '2001:db8::1', port: 2775, systemId: 'u', password: 'p', tls: false }],
  ])('%s is understood', (text, address) => {
    expect(carrierUrl(text)).toEqual(address);
  });

  test.each([
    ['h.example:2775', 'It begins with smpp://'],
    ['nonsense', 'It has the form smpp://USER:PASSWORD@HOST:PORT.'],
    ['http://u:p@h', 'It begins with smpp://'],
    ['smpp://h:2775', 'It names USER:PASSWORD'],
    ['smpp://u@h:2775', 'It names USER:PASSWORD'],
    ['smpp://u:p@h:99999', 'It has the form'],
    ['smpp://u:p@h/path', 'Nothing follows HOST:PORT.'],
    ['smpp://u:p@h?x=1', 'Nothing follows HOST:PORT.'],
    ['smpp://u:50%@h', 'not followed by two hexadecimal digits'],
  ])('%s is refused with the reason', (text, reason) => {
    expect(() => carrierUrl(text)).toThrow(reason);
  });
});
