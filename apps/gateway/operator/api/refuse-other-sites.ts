import type { FastifyInstance, FastifyRequest } from 'fastify';
import { Problem } from '../../http/problem.js';

const READING = new Set(['GET', 'HEAD', 'OPTIONS']);

/**
 * Refuses changes that a browser makes for a page of another site, because the browser adds the cookie by itself. Every
 * browser says where a request comes from: by `Sec-Fetch-Site` over HTTPS and on the loopback, else by `Origin`.
 * Programs send neither, and no cookie.
 */
export function refuseOtherSites(api: FastifyInstance): void {
  api.addHook('onRequest', async (request) => {
    if (!READING.has(request.method) && !isOwn(request)) {
      throw new Problem('cross_site', 'This request comes from another site.');
    }
  });
}

function isOwn({ headers, host }: FastifyRequest): boolean {
  const site = headers['sec-fetch-site'];
  if (site !== undefined) return site === 'same-origin';
  const { origin, cookie } = headers;
  if (origin === undefined) return cookie === undefined;
  return URL.canParse(origin) && new URL(origin).host === host;
}
