import type { FastifyInstance, FastifyRequest } from 'fastify';
import { noSuchPath, Problem } from './problem.js';

const ANY_OF = new Intl.ListFormat('en-GB', { type: 'disjunction' });

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
   * Whether the request has no route: also when the name of an endpoint with another method would pass for an id, as in
   * `GET /v1/message/send`.
   */
  hasNoRoute(request: FastifyRequest): boolean {
    const { url } = request.routeOptions;
    return request.is404 || (url?.includes(':') === true && this.methods.has(pathOf(request)));
  }

  /**
   * The refusal of a request without a route, before its body is read.
   *
   * @returns `not_found`, or `method_not_allowed` with the methods that the path has (RFC 9110 section 15.5.6)
   */
  refusalOf(request: FastifyRequest): Problem {
    const methods = this.methodsOf(pathOf(request));
    if (methods.length === 0) return noSuchPath();
    return new Problem('method_not_allowed', `Use ${ANY_OF.format(methods)} here.`, {
      headers: { allow: methods.join(', ') },
    });
  }

  private methodsOf(path: string): string[] {
    const exact = this.methods.get(path);
    if (exact !== undefined) return [...exact];
    const pattern = [...this.methods.keys()].find((url) => url.includes(':') && isOf(url, path));
    return [...(this.methods.get(pattern ?? '') ?? [])];
  }
}

function pathOf({ url }: FastifyRequest): string {
  return url.split('?', 1)[0] ?? '';
}

/** Whether a path is one of a route whose parts may be parameters. */
function isOf(route: string, path: string): boolean {
  const parts = path.split('/');
  const expected = route.split('/');
  return (
    parts.length === expected.length &&
    expected.every((part, index) => part === parts[index] || (part.startsWith(':') && parts[index] !== ''))
  );
}
