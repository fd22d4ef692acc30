import { type BlockList, isIP } from 'node:net';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { KeyBounds, KeyScope } from '#persistence';
import { plainAddress } from './client-network.js';
import { Problem } from './problem.js';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The scope that a key needs for this route of the API. */
    scope?: KeyScope;
  }
}

/** Why a key may not make this request, although it is valid; undefined if it may. */
export function refusalByBounds(bounds: KeyBounds, request: FastifyRequest): Problem | undefined {
  const { networks, scopes } = bounds;
  if (networks !== undefined && !isIn(networks, request.ip)) {
    return new Problem('network_not_allowed', `This API key may not be used from ${request.ip}.`);
  }
  // A path that does not exist needs none.
  const { scope } = request.routeOptions.config;
  if (scope === undefined || scopes.includes(scope)) return undefined;
  return new Problem('insufficient_scope', `This API key does not have the scope \`${scope}\`.`, {
    members: { scope },
  });
}

/** A closed connection has no address, whatever Fastify's types say, and a proxy may forward what is none. */
function isIn(networks: BlockList, given: string | undefined): boolean {
  const address = plainAddress(given ?? '');
  const version = isIP(address);
  return version !== 0 && networks.check(address, version === 6 ? 'ipv6' : 'ipv4');
}

/** Refuses to start with a route of the API that needs no scope, because every key could call it. */
export function requireScopes(fastify: FastifyInstance): void {
  fastify.addHook('onRoute', ({ url, config }) => {
    if (isApiPath(url) && config?.scope === undefined) throw new Error(`no scope is set for the route ${url}`);
  });
}

/** Whether a request is of the API, which needs a key; by its route as well: `/%76%31/account` is of the API too. */
export function isOfAccounts({ url, routeOptions }: Pick<FastifyRequest, 'url' | 'routeOptions'>): boolean {
  return isApiPath(url) || isApiPath(routeOptions.url);
}

function isApiPath(path: string | undefined): boolean {
  return path !== undefined && (path.startsWith('/v1/') || path === '/v1');
}
