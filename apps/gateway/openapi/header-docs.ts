type HeaderDocs = Readonly<Record<string, { description: string; schema: { type: string; enum?: string[] } }>>;

const text = (description: string) => ({ description, schema: { type: 'string' } });
const retryAfter = { description: 'Seconds to wait before the next try.', schema: { type: 'integer' } };

/** Headers of responses, as the OpenAPI document describes them. */
export const HEADERS = {
  everywhere: {
    'X-Request-Id': text(
      'Names this request in the logs. The id that the client sent, if it was plain; else a new one.',
    ),
    'RateLimit-Policy': text(
      'Only if a limit applies, such as that of messages which the operator has set: its quota (q) in a window of ' +
        'seconds (w), as in draft-ietf-httpapi-ratelimit-headers-11. See [Keys and limits](keys).',
    ),
    RateLimit: text('With it: what remains (r), and the seconds in which there is no more than that (t).'),
  } satisfies HeaderDocs as HeaderDocs,
  replay: {
    'Idempotent-Replayed': {
      description:
        'Present when the Idempotency-Key had been used: this is the first answer, and nothing was charged now.',
      schema: { type: 'string', enum: ['true'] },
    },
  } satisfies HeaderDocs as HeaderDocs,
  ofStatus: {
    401: { 'WWW-Authenticate': text('Which header carries the key.') },
    429: { 'Retry-After': retryAfter },
    503: { 'Retry-After': retryAfter },
  } satisfies Record<number, HeaderDocs> as Readonly<Record<number, HeaderDocs>>,
};
