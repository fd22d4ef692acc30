import { expect, test } from '@jest/globals';
import { loadConfig, otlpTarget } from '#config';

const USUAL = { headers: {}, timeoutMs: 10_000, compression: 'none', certificateFile: undefined, protocol: undefined };
const NAME = 'OTEL_EXPORTER_OTLP';

test.each([
  ['no endpoint, no traces', {}, undefined],
  [
    'the path of traces is added to an address for all signals',
    { ENDPOINT: 'http://c:4318' },
    { url: 'http://c:4318/v1/traces' },
  ],
  ['also behind a path', { ENDPOINT: 'https://c/otlp/' }, { url: 'https://c/otlp/v1/traces' }],
  [
    'the address of traces is the whole address, and goes first',
    { ENDPOINT: 'http://c:4318', TRACES_ENDPOINT: 'https://t/in' },
    { url: 'https://t/in' },
  ],
  [
    'headers for traces go before those for all, and are read as in URLs',
    { TRACES_ENDPOINT: 'http://c/', HEADERS: 'a=1, key=x', TRACES_HEADERS: 'key=y%2Cz==' },
    { url: 'http://c/', headers: { a: '1', key: 'y,z==' } },
  ],
  [
    'time, compression, certificates and protocol',
    {
      TRACES_ENDPOINT: 'http://c/',
      TIMEOUT: '500',
      TRACES_TIMEOUT: '250',
      COMPRESSION: 'gzip',
      CERTIFICATE: '/ca.pem',
      PROTOCOL: 'grpc',
    },
    { url: 'http://c/', timeoutMs: 250, compression: 'gzip', certificateFile: '/ca.pem', protocol: 'grpc' },
  ],
])('the collector by the settings of OpenTelemetry: %s', (_name, given, wanted) => {
  const environment = Object.fromEntries(Object.entries(given).map(([name, value]) => [`${NAME}_${name}`, value]));
  expect(otlpTarget(loadConfig(environment))).toEqual(wanted && { ...USUAL, ...wanted });
});

test('wrong settings are named, without the value of a header', () => {
  const load = () =>
    loadConfig({ [`${NAME}_ENDPOINT`]: 'collector:4318', [`${NAME}_HEADERS`]: 'a secret', [`${NAME}_TIMEOUT`]: 'x' });
  expect(load).toThrow(/OTEL_EXPORTER_OTLP_ENDPOINT must be an http.*OTEL_EXPORTER_OTLP_HEADERS must be name=value/);
  expect(load).not.toThrow(/a secret/);
  // What it encodes is no UTF-8.
  expect(() => loadConfig({ [`${NAME}_TRACES_HEADERS`]: 'key=a%FFsecret' })).toThrow(
    /^OTEL_EXPORTER_OTLP_TRACES_HEADERS must be name=value pairs with commas between, values as in URLs$/,
  );
  for (const url of ['http://[', 'http://collector:99999']) {
    expect(() => loadConfig({ [`${NAME}_TRACES_ENDPOINT`]: url })).toThrow(/_TRACES_ENDPOINT must be an http/);
  }
});
