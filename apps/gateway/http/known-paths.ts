import type { FastifyInstance, FastifyRequest } from 'fastify';
import { Problem } from './problem.js';

/** The methods of every served path, so that a wrong method can be told from a wrong path. */
export class KnownPaths {
  private readonly methods = new Map<string, Set<string>>();

  constructor(fastify: FastifyInstance) {
    fastify.addHook('onRoute', ({ url, method }) => {
      const known = this.methods.get(url) ?? new Set();
      for (const name of [method].flat()) known.add(name);
      this.methods.set(url, known);
    });
  }

  /**
   * The refusal of a request without a route, before its body is read.
   *
   * @returns `not_found`, or `method_not_allowed` with the methods that the path has (RFC 9110 section 15.5.6)
   */
  refusalOf(request: FastifyRequest): Problem {
    const [path = ''] = request.url.split('?');
    const methods = [...(this.methods.get(path) ?? [])];
    if (methods.length === 0) return new Problem('not_found', 'There is nothing at this path.');
    return new Problem('method_not_allowed', `Use ${methods.join(' or ')} here.`, {
      headers: { allow: methods.join(', ') },
    });
  }
}
