import { createHash, timingSafeEqual } from 'node:crypto';

/**
 * Whether the header `Authorization` has this password, by HTTP Basic with any user name. Compared in constant time.
 */
export function hasPassword(authorization: string | undefined, password: string): boolean {
  const isBasic = /^basic /i.test(authorization ?? '');
  const credentials = isBasic ? Buffer.from(authorization?.slice(6) ?? '', 'base64').toString() : '';
  const given = credentials.slice(credentials.indexOf(':') + 1);
  return timingSafeEqual(sha256(given), sha256(password));
}

function sha256(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
