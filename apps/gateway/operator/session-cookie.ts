import type { FastifyReply, FastifyRequest } from 'fastify';
import { Problem } from '../http/problem.js';

/**
 * A browser takes a cookie with this prefix only if it is Secure, for the whole host and from no other host, so that
 * neither a subdomain nor an attacker on the way can set one.
 */
export const SESSION_COOKIE = '__Host-heliograph';
const ATTRIBUTES = { path: '/', httpOnly: true, secure: true, sameSite: 'strict' } as const;

export function sessionTokenOf({ cookies }: FastifyRequest): string | undefined {
  return cookies[SESSION_COOKIE];
}

export function setSessionCookie(reply: FastifyReply, token: string): void {
  void reply.setCookie(SESSION_COOKIE, token, ATTRIBUTES);
}

export function clearSessionCookie(reply: FastifyReply): void {
  void reply.clearCookie(SESSION_COOKIE, ATTRIBUTES);
}

/**
 * Refuses a sign-in after which the browser would drop the cookie: over plain HTTP, but for this very machine. Browsers
 * that trust a connection send `Sec-Fetch-Site` on it, whatever a proxy in between tells.
 */
export function requireSecureConnection({ protocol, hostname, headers }: FastifyRequest): void {
  if (protocol === 'https' || isLoopbackName(hostname) || headers['sec-fetch-site'] !== undefined) return;
  throw new Problem(
    'https_required',
    'Signing in needs HTTPS. Open this page by HTTPS (a proxy, whose address is in TRUSTED_PROXIES), or at ' +
      'http://localhost through an SSH tunnel.',
  );
}

function isLoopbackName(hostname: string): boolean {
  return /^(localhost|.+\.localhost|127(\.\d+){3}|\[::1\])$/i.test(hostname);
}
