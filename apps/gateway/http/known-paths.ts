import type { FastifyInstance } from 'fastify';

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

  methodsOf(url: string): string[] {
    const [path = ''] = url.split('?');
    return [...(this.methods.get(path) ?? [])];
  }
}
