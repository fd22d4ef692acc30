import type { FastifyInstance, FastifyRequest } from 'fastify';
import { Problem } from './problem.js';

/** The methods of every path that is served, so that a wrong method is told apart from a wrong path. */
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
   * Refuses what no route takes, before its body is read.
   *
   * @throws Problem `not_found`, or `method_not_allowed` with the methods that the path has (RFC 9110 section 15.5.6)
   */
  check(request: FastifyRequest): void {
    if (!request.is404) return;
    const [path = ''] = request.url.split('?');
    const methods = [...(this.methods.get(path) ?? [])];
    if (methods.length === 0) throw new Problem('not_found', 'There is nothing at this path.');
    throw new Problem('method_not_allowed', `Use ${methods.join(' or ')} here.`, {
      headers: { allow: methods.join(', ') },
    });
  }
}
