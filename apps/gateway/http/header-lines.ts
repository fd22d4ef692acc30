import type { IncomingMessage } from 'node:http';

/**
 * How many lines of a head have a name, given in lower case. Node keeps the first line of some headers, and joins the
 * lines of others into one value, so neither shows that there were several. Names and values alternate in raw headers.
 */
export function headerLines(rawHeaders: readonly string[], name: string): number {
  let count = 0;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const given = rawHeaders[index];
    if (given?.length === name.length && given.toLowerCase() === name) count += 1;
  }
  return count;
}

/**
 * The Idempotency-Key of a request. Several lines of it are no key: Node joins them with `, ` into one that the client
 * never made, so a repeat with one line would be charged again.
 */
export function sentIdempotencyKey({ headers, rawHeaders }: IncomingMessage): string | undefined {
  const key = headers['idempotency-key'];
  const isJoined = key?.includes(', ') && headerLines(rawHeaders, 'idempotency-key') > 1;
  return isJoined ? '' : (key as string | undefined);
}
