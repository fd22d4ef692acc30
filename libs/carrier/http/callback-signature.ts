import { createHmac, timingSafeEqual } from 'node:crypto';

/**
 * X-Twilio-Signature: base64 of HMAC-SHA1 with the auth token over the URL followed by each parameter's name and value, in
 * the order of the names, nothing between them. Of a name that comes more than once each different value counts once.
 */
export function callbackSignature(url: string, parameters: URLSearchParams, authToken: string): string {
  const names = [...new Set(parameters.keys())].sort();
  const signed = names.flatMap((name) => [...new Set(parameters.getAll(name))].sort().map((value) => name + value));
  return createHmac('sha1', authToken)
    .update(url + signed.join(''))
    .digest('base64');
}

/** Whether the provider signed this call. The provider writes the usual port into the URL or leaves it out, so both count. */
export function isSignedByProvider(
  signature: string | undefined,
  url: string,
  parameters: URLSearchParams,
  authToken: string,
): boolean {
  // With an empty token everybody could sign.
  if (signature === undefined || signature === '' || authToken === '') return false;
  const given = Buffer.from(signature);
  const matches = spellingsOf(url).map((spelling) => {
    const right = Buffer.from(callbackSignature(spelling, parameters, authToken));
    return right.length === given.length && timingSafeEqual(right, given);
  });
  return matches.includes(true);
}

const USUAL_PORTS: Readonly<Record<string, string>> = { 'https:': '443', 'http:': '80' };

/** By the text: `URL` would change other parts too, and the signature is over every character. */
function spellingsOf(url: string): string[] {
  const parts = /^(https?:)\/\/([^/?#]+)(.*)$/s.exec(url);
  if (parts === null) return [url];
  const [, scheme = '', authority = '', rest = ''] = parts;
  const port = USUAL_PORTS[scheme];
  if (authority.endsWith(`:${port}`)) return [url, `${scheme}//${authority.slice(0, -`:${port}`.length)}${rest}`];
  return /:\d+$/.test(authority) ? [url] : [url, `${scheme}//${authority}:${port}${rest}`];
}
