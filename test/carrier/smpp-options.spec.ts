import { describe, expect, test } from '@jest/globals';
import { CARRIER_OPTIONS } from '#carrier';
import { TestCarrier } from '../support/test-carrier.js';
import { TEST_CERTIFICATE_PEM, TEST_KEY_PEM, WEAK_CERTIFICATE_PEM, WEAK_KEY_PEM } from '../support/tls-identity.js';

function parse(name: string, text: string): unknown {
  const option = CARRIER_OPTIONS.smpp.find((each) => each.name === name);
  if (option === undefined) throw new Error(`no option ${name}`);
  return option.parse(text);
}

describe('the options of an SMPP carrier', () => {
  test.each([
    ['systemType', 'VMA', 'VMA'],
    ['addressRange', '^4670', '^4670'],
    ['sourceTon', '5', 5],
    ['dataCoding', '0xF1', 0xf1],
    ['dataCoding', '3', 3],
    ['fixedSender', '', true],
    ['concatenation', 'sar', 'sar'],
    ['messagingMode', 'store-and-forward', 'store-and-forward'],
    ['bindMode', 'transmitter+receiver', 'transmitter+receiver'],
    ['interfaceVersion', '3.3', '3.3'],
    ['validityPeriodSeconds', '86400', 86_400],
    [
      'errorCodes',
      '0x401=throttled, 69=temporary,ESME_RX_P_APPN=refused',
      { '0x401': 'throttled', '0x45': 'temporary', '0x65': 'refused' },
    ],
    ['callingCode', '44', '44'],
    ['callingCode', '+1', '1'],
    ['tlsServerName', 'smsc.example.net', 'smsc.example.net'],
  ])('%s is read from %j', (name, text, expected) => {
    expect(parse(name, text)).toEqual(expected);
  });

  test.each([
    ['systemType', 'thirteen-char'],
    ['systemType', 'two words'],
    ['addressRange', 'x'.repeat(41)],
    ['serviceType', 'sixsix'],
    ['sender', 'TwelveLetter'],
    ['sourceTon', '256'],
    ['sourceTon', ''],
    ['dataCoding', '-1'],
    ['dataCoding', '0x100'],
    ['dataCoding', 'gsm'],
    ['dataCoding', '8'],
    ['concatenation', 'udh'],
    ['messagingMode', '3'],
    ['priority', '4'],
    ['bindMode', 'receiver'],
    ['interfaceVersion', '5.0'],
    ['validityPeriodSeconds', '2592001'],
    ['validityPeriodSeconds', '1.5'],
    ['responseTimeoutMs', '0'],
    ['errorCodes', '0x401'],
    ['errorCodes', '0x401=later'],
    ['errorCodes', '0x401=throttled,1025=refused'],
    ['errorCodes', '0=refused'],
    ['errorCodes', 'ESME_NOSUCH=refused'],
    ['errorCodes', '0x401=refused=x'],
    ['callingCode', '441'],
    ['callingCode', '0044'],
    ['callingCode', 'GB'],
    ['callingCode', ''],
    ['tlsCaPem', 'no certificate'],
  ])('%s is refused as %j', (name, text) => {
    expect(() => parse(name, text)).toThrow(RangeError);
  });

  test('certificates are their texts: no file of the service is opened, whatever a request names', () => {
    expect(parse('tlsCaPem', TEST_CERTIFICATE_PEM)).toBe(TEST_CERTIFICATE_PEM);
    expect(parse('tlsKeyPem', TEST_KEY_PEM)).toBe(TEST_KEY_PEM);
    expect(() => parse('tlsCaPem', '/nonexistent/ca.pem')).toThrow('is not a PEM certificate');
  });

  test('every option says what it means and what holds without it, or is a switch', () => {
    const withoutDefault = CARRIER_OPTIONS.smpp.filter(
      ({ value, description }) => !(value === '' || value === '<file>' || /default|e\.g\./.test(description)),
    );
    expect(withoutDefault).toEqual([]);
  });
});

describe('settings that cannot work together', () => {
  test.each([
    ['sar needs optional parameters', { concatenation: 'sar', interfaceVersion: '3.3' }, /interfaceVersion 3\.3/],
    [
      'payload needs optional parameters',
      { concatenation: 'payload', interfaceVersion: '3.3' },
      /interfaceVersion 3\.3/,
    ],
    ['trust without TLS', { tlsCaPem: TEST_CERTIFICATE_PEM }, /not smpps/],
    ['carelessness without TLS', { tlsInsecure: true }, /not smpps/],
    ['a certificate without its key', { tls: true, tlsCertificatePem: TEST_CERTIFICATE_PEM }, /together/],
    ['a key that is none', { tls: true, tlsCertificatePem: TEST_CERTIFICATE_PEM, tlsKeyPem: 'x' }, /private key/],
    [
      'the key of another certificate',
      { tls: true, tlsCertificatePem: TEST_CERTIFICATE_PEM, tlsKeyPem: WEAK_KEY_PEM },
      /not the key of tlsCertificatePem/,
    ],
    [
      'a certificate that OpenSSL does not use',
      { tls: true, tlsCertificatePem: WEAK_CERTIFICATE_PEM, tlsKeyPem: WEAK_KEY_PEM },
      /refused by OpenSSL: ERR_SSL_EE_KEY_TOO_SMALL/,
    ],
    ['a stored table of errors that is none', { errorCodes: { '0x401': 'later' } }, /errorCodes/],
    ['a stored text that is a number', { systemType: 7 }, /systemType/],
    [
      'a stored calling code that is a number',
      { callingCode: 44 },
      /callingCode must be the calling code of a country/,
    ],
  ] as ReadonlyArray<readonly [string, object, RegExp]>)('%s', (_what, settings, message) => {
    expect(() => new TestCarrier({ port: 1 }, settings)).toThrow(RangeError);
    expect(() => new TestCarrier({ port: 1 }, settings)).toThrow(message);
  });
});
