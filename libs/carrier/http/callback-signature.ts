import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';

/** The token of an unknown carrier, so that an unknown carrier costs as much work as a known one. */
const NOBODYS_TOKEN = randomBytes(32).toString('hex');

/**
 * X-Twilio-Signature: base64 of HMAC-SHA1 with the auth token over the URL followed by each parameter's name and value,
 * in the order of the names, nothing between them. Of a name that comes more than once each different value counts
 * once.
 */
export function callbackSignature(url: string, parameters: URLSearchParams, authToken: string): string {
  return signatureOf(url, signedText(parameters), authToken);
}

/**
 * Whether the provider signed this call. The provider writes the usual port into the URL or leaves it out, so both
 * count.
 *
 * @param authToken undefined for a carrier that is unknown: nothing is signed by it, at the same cost
 */
export function isSignedByProvider(
  signature: string | undefined,
  url: string,
  parameters: URLSearchParams,
  authToken: string | undefined,
): boolean {
  if (signature === undefined || signature === '') return false;
  const given = Buffer.from(signature);
  const text = signedText(parameters);
  const matches = spellingsOf(url).map((spelling) => {
    const right = Buffer.from(signatureOf(spelling, text, authToken || NOBODYS_TOKEN));
    return right.length === given.length && timingSafeEqual(right, given);
  });
  // With an empty token everybody could sign.
  return authToken !== undefined && authToken !== '' && matches.includes(true);
}

function signatureOf(url: string, text: string, authToken: string): string {
  return createHmac('sha1', authToken)
    .update(url + text)
    .digest('base64');
}

/** One pass over the parameters: `getAll` for each name is quadratic, and the caller chooses the number of names. */
function signedText(parameters: URLSearchParams): string {
  const values = new Map<string, Set<string>>();
  for (const [name, value] of parameters) {
    const known = values.get(name);
    if (known === undefined) values.set(name, new Set([value]));
    else known.add(value);
  }
  let text = '';
  for (const name of [...values.keys()].sort()) {
    for (const value of [...(values.get(name) ?? [])].sort()) text += name + value;
  }
  return text;
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
