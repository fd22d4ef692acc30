import fc from 'fast-check';
import { ERRORS } from '../../apps/gateway/http/error-catalogue.js';
import { ANY_CHARACTER } from '../support/fuzz.js';
import { RECIPIENT } from '../support/gateway.js';

/** A request as a hostile or a careless client may write it; `raw` ones are octets that no HTTP library would send. */
export type HostileRequest =
  | {
      readonly kind: 'http';
      readonly method: string;
      readonly path: string;
      readonly headers: Readonly<Record<string, string>>;
      readonly body: Buffer | undefined;
      readonly chunked: boolean;
    }
  | { readonly kind: 'raw'; readonly bytes: Buffer };

/** What may be answered to anything at all: what the catalogue has below 500. */
export const KNOWN_REFUSALS: ReadonlyMap<string, number> = new Map(
  Object.entries(ERRORS).flatMap(([code, { status }]) => (status < 500 ? [[code, status] as const] : [])),
);

const SENDS = ['/v1/message/send', '/v1/message/send-batch', '/v1/message/quote'];
const READS = ['/v1/account', '/v1/account/balance', '/v1/account/deposits', '/v1/account/messages'];
const OTHERS = ['/healthz', '/readyz', '/openapi.json', '/docs', '/docs/errors', '/', '/v1', '/v1/nothing', '/queues'];

const recipient = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.constantFrom(RECIPIENT, '0049 170 1234567', '(1) 242-555-0100', '447700900123', '+33612345678'),
  },
  {
    weight: 1,
    arbitrary: fc.constantFrom('+9991234567', '+0', '', '+'.repeat(70), '4'.repeat(40), '+46\u0000700100200'),
  },
  { weight: 1, arbitrary: fc.string({ unit: ANY_CHARACTER, maxLength: 30 }) },
);
const message = fc.oneof(
  { weight: 4, arbitrary: fc.string({ unit: 'grapheme-ascii', minLength: 1, maxLength: 200 }) },
  { weight: 2, arbitrary: fc.string({ unit: 'grapheme', maxLength: 90 }) },
  { weight: 1, arbitrary: fc.string({ unit: ANY_CHARACTER, maxLength: 60 }) },
  {
    weight: 1,
    arbitrary: fc.constantFrom('', ' ', '\u0000', '\ud800', '\udc00x', '\u001b', '\u2028', '\ufeff', 'å'.repeat(71)),
  },
  { weight: 1, arbitrary: fc.constantFrom('x'.repeat(160), 'x'.repeat(161), 'x'.repeat(39_016), '😀'.repeat(8_033)) },
);
const entry = fc.record({ recipient, message });

/** Values of any JSON type where a string or an object should be. */
const wrong: fc.Arbitrary<unknown> = fc.oneof(
  fc.jsonValue({ maxDepth: 3 }),
  fc.constantFrom<unknown>(null, true, 0, -1, 1e308, 5e-324, [], {}, [[]], ''),
);
/** Texts of JSON that JSON.stringify never writes. */
const oddJson = fc.oneof(
  fc.constantFrom(
    '1e999',
    '-0',
    `${'9'.repeat(400)}`,
    '{"recipient":1e400,"message":-1e400}',
    '{"__proto__":{"recipient":"+46700100200","message":"x"}}',
    '{"constructor":{"prototype":{"polluted":true}},"recipient":"+46700100200"}',
    '{"recipient":"+46700100200","message":"hi","__proto__":{"isAdmin":true}}',
    '{"recipient":"+1","recipient":"+46700100200","message":"twice"}',
    '{"messages":{"length":3,"0":{}}}',
    '{"messages":[{"recipient":"+46700100200","message":"a"},null]}',
    '{"toString":1,"messages":"abc"}',
    '{"recipient":"\\ud83d","message":"\\udfff\\ud800"}',
    "{'recipient':'single'}",
    '{"a":1,}',
    '[1,2',
    'NaN',
    'undefined',
    '\u0000',
    '\ufeff{"recipient":"+46700100200","message":"after a byte order mark"}',
    '/* comment */ {}',
    `${' '.repeat(600 * 1024)}{}`,
  ),
  fc.nat(20_000).map((depth) => '['.repeat(depth) + ']'.repeat(depth)),
  fc.nat(3_000).map((depth) => `${'{"messages":['.repeat(depth)}${']}'.repeat(depth)}`),
  fc.nat(1_200).map((count) => `{"messages":[${'{},'.repeat(count)}1]}`),
);

const oneText = entry.map((fields) => JSON.stringify(fields));
const batchText = fc.array(entry, { minLength: 1, maxLength: 3 }).map((messages) => JSON.stringify({ messages }));
const oddText = fc.oneof(
  { weight: 2, arbitrary: fc.record({ recipient: wrong, message: wrong }, { requiredKeys: [] }).map(toText) },
  { weight: 2, arbitrary: fc.array(fc.oneof(entry, wrong), { maxLength: 5 }).map((messages) => toText({ messages })) },
  { weight: 1, arbitrary: fc.record({ messages: wrong, recipient, message: wrong }).map(toText) },
  { weight: 1, arbitrary: fc.json({ maxDepth: 6 }) },
  { weight: 2, arbitrary: oddJson },
);

function toText(of: unknown): string {
  return JSON.stringify(of);
}

/** Mostly the text as it is; else cut, or with octets in it that were not meant to be there. */
function spoilt(text: fc.Arbitrary<string>): fc.Arbitrary<Buffer> {
  return fc
    .tuple(text, fc.nat(11), fc.nat(), fc.uint8Array({ minLength: 1, maxLength: 6 }))
    .map(([whole, how, where, octets]) => {
      const bytes = Buffer.from(whole);
      const at = bytes.length === 0 ? 0 : where % bytes.length;
      if (how === 0) return bytes.subarray(0, at);
      if (how === 1) return Buffer.concat([bytes.subarray(0, at), Buffer.from(octets), bytes.subarray(at)]);
      if (how === 2) return Buffer.concat([bytes.subarray(0, at), Buffer.from([0xff, 0xc0, 0x80]), bytes.subarray(at)]);
      return bytes;
    });
}
const anyBody = spoilt(fc.oneof(oneText, batchText, oddText));

const contentType = fc.oneof(
  { weight: 12, arbitrary: fc.constantFrom('application/json', 'application/json; charset=utf-8', 'APPLICATION/JSON') },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      '',
      'text/plain',
      'application/x-www-form-urlencoded',
      'application/json; charset=utf-16',
      'multipart/form-data; boundary=x',
      'application/jsonx',
      'application/',
      ';',
      'application/json, text/plain',
      'a'.repeat(500),
    ),
  },
);
/** What an HTTP library lets into a header: anything printable, and octets above ASCII. */
const headerText = fc.stringMatching(/^[\x20-\x7e\xa0-\xff]{0,80}$/);
const someKeys = fc.constantFrom('key-1', 'key-2', 'key-3', 'a b', '~', 'k'.repeat(255));
const oddHeaders = fc.record(
  {
    'Idempotency-Key': fc.oneof(
      someKeys,
      headerText,
      fc.constantFrom('', ' ', 'k'.repeat(256), 'k'.repeat(5_000), 'å', '""'),
    ),
    'X-Request-Id': headerText,
    'Content-Encoding': fc.constantFrom('gzip', 'identity', 'br', '', 'gzip, gzip'),
    Accept: fc.constantFrom('text/html', '*/*', 'application/xml;q=0', ''),
    Expect: fc.constantFrom('100-continue'),
    Origin: headerText,
    Cookie: headerText,
    'If-None-Match': headerText,
    Range: fc.constantFrom('bytes=0-1', 'bytes=-1', 'nonsense'),
    'X-HTTP-Method-Override': fc.constantFrom('DELETE', 'GET'),
    'X-Forwarded-For': headerText,
  },
  { requiredKeys: [] },
);
const headers = fc.oneof(
  { weight: 8, arbitrary: fc.constant({}) },
  { weight: 1, arbitrary: fc.record({ 'Idempotency-Key': someKeys }) },
  { weight: 2, arbitrary: oddHeaders },
);

const value = fc.oneof(
  fc.constantFrom(
    '1',
    '0',
    '-1',
    '100',
    '101',
    '1e3',
    '0x10',
    '1.5',
    '+1',
    '%201',
    '',
    'NaN',
    '9'.repeat(30),
    '%00',
    '%F0%9F',
    '%D9%A3',
  ),
  fc.string({ maxLength: 12 }).map((text) => encodeURIComponent(text.toWellFormed())),
);
const query = fc.oneof(
  { weight: 3, arbitrary: fc.constant('') },
  { weight: 3, arbitrary: fc.tuple(value, value).map(([page, limit]) => `?page=${page}&limit=${limit}`) },
  {
    weight: 1,
    arbitrary: fc
      .array(
        fc.tuple(fc.constantFrom('page', 'limit', '__proto__', 'page[]', 'limit[a]', 'constructor', '', '%zz'), value),
        { maxLength: 6 },
      )
      .map((pairs) => `?${pairs.map(([name, text]) => `${name}=${text}`).join('&')}`),
  },
);

const aimed = fc.oneof(
  { weight: 3, arbitrary: fc.tuple(fc.constant('/v1/message/send'), spoilt(oneText)) },
  { weight: 2, arbitrary: fc.tuple(fc.constant('/v1/message/send-batch'), spoilt(batchText)) },
  { weight: 4, arbitrary: fc.tuple(fc.constantFrom(...SENDS), spoilt(oddText)) },
  { weight: 1, arbitrary: fc.tuple(fc.constantFrom(...SENDS), fc.option(anyBody, { nil: undefined, freq: 4 })) },
);
const http = fc
  .tuple(aimed, contentType, headers, fc.constantFrom(false, false, false, true))
  .map(([[path, body], type, others, chunked]) => ({
    kind: 'http' as const,
    method: 'POST',
    path,
    headers: { 'Content-Type': type, ...others },
    body,
    chunked,
  }));
const reading = fc.record({
  kind: fc.constant('http' as const),
  method: fc.constantFrom('GET', 'GET', 'GET', 'HEAD'),
  path: fc.tuple(fc.constantFrom(...READS, ...READS, ...OTHERS), query).map(([path, text]) => path + text),
  headers,
  body: fc.constant(undefined),
  chunked: fc.constant(false),
});
const astray = fc.record({
  kind: fc.constant('http' as const),
  method: fc.constantFrom('GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE', 'PROPFIND'),
  path: fc
    .tuple(fc.constantFrom(...SENDS, ...READS, ...OTHERS, '/v1/%2e%2e/account', '/v1//account', '/%'), query)
    .map(([path, text]) => path + text),
  headers: fc.record({ 'Content-Type': contentType }),
  body: fc.option(anyBody, { nil: undefined }),
  chunked: fc.boolean(),
});

const rawHead = fc.constantFrom(
  'POST /v1/message/send HTTP/1.1\r\nHost: x\r\nIdempotency-Key: a\u0001b\r\n',
  'POST /v1/message/send HTTP/1.1\r\nHost: x\r\nContent-Length: -5\r\n',
  'POST /v1/message/send HTTP/1.1\r\nHost: x\r\nContent-Length: 99999999999999999999\r\n',
  'POST /v1/message/send HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\nContent-Type: application/json\r\n\r\nzz\r\n',
  'POST /v1/message/send HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nTransfer-Encoding: gzip\r\n',
  'GET /v1/account\u0000 HTTP/1.1\r\nHost: x\r\n',
  'GET /v1/account HTTP/9.9\r\nHost: x\r\n',
  'GET\r\n',
  'GET /v1/account HTTP/1.1\r\n folded: yes\r\n',
  `GET /${'a'.repeat(9_000)} HTTP/1.1\r\nHost: x\r\n`,
);
const raw = fc.tuple(rawHead, fc.uint8Array({ maxLength: 60 })).map(([head, tail]) => ({
  kind: 'raw' as const,
  bytes: Buffer.concat([
    Buffer.from(`${head}Connection: close\r\n\r\n`, 'latin1'),
    Buffer.from(tail),
    Buffer.from('\r\n\r\n'),
  ]),
}));

/** Mostly bodies to the sends, some reads, some of what is served by nobody, and now and then no HTTP at all. */
export const hostileRequest: fc.Arbitrary<HostileRequest> = fc.oneof(
  { weight: 75, arbitrary: http },
  { weight: 15, arbitrary: reading },
  { weight: 8, arbitrary: astray },
  { weight: 2, arbitrary: raw },
);

/** More than a single send may have. */
export const overLimit: HostileRequest = {
  kind: 'http',
  method: 'POST',
  path: '/v1/message/send',
  headers: { 'Content-Type': 'application/json' },
  body: Buffer.from(`${' '.repeat(600 * 1024)}{}`),
  chunked: false,
};
