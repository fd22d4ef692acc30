import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { FastifyReply, FastifyRequest } from 'fastify';

/** The build puts the consoles there (scripts/setup/build-console.mjs). */
const FOLDER = new URL('../../../console/', import.meta.url);
/** Stands in the page where the nonce of a response goes (apps/console/vite.config.mjs). */
const NONCE_MARK = '__CSP_NONCE__';
const NONCE_BYTES = 16;
/** Also as `/%76%31`, which is a path of the API too. */
const OF_API = /^\/(v|%76)(1|%31)(?=[/?]|$)/i;
const NOT_WANTED = /;\s*q=0(\.0*)?\s*$/i;

export type ConsoleName = 'owner' | 'operator';

/** The page of a console. It is made for each request, because it carries a nonce. */
export class ConsolePage {
  private readonly html: string;

  constructor(name: ConsoleName) {
    this.html = readFileSync(inConsoles(`${name}/index.html`), 'utf8');
  }

  /** The scripts of the page look at the address themselves: at an unknown one they say so. */
  send(reply: FastifyReply, status = 200): FastifyReply {
    const nonce = randomBytes(NONCE_BYTES).toString('base64url');
    return reply
      .status(status)
      .headers({ 'content-security-policy': policyOf(nonce), 'cache-control': 'no-store' })
      .type('text/html; charset=utf-8')
      .serializer((payload: unknown) => String(payload))
      .send(this.html.replaceAll(NONCE_MARK, nonce));
  }
}

/** Whether a person with a browser asks, and not a program: it names HTML, and no path of the API. */
export function isForPeople({ method, url, headers }: FastifyRequest): boolean {
  if ((method !== 'GET' && method !== 'HEAD') || OF_API.test(url)) return false;
  return (headers.accept ?? '')
    .split(',')
    .some((range) => /^\s*text\/html\s*(;|$)/i.test(range) && !NOT_WANTED.test(range));
}

export function inConsoles(path: string): string {
  return fileURLToPath(new URL(path, FOLDER));
}

function policyOf(nonce: string): string {
  return (
    `default-src 'none'; script-src 'self'; style-src 'self' 'nonce-${nonce}'; connect-src 'self'; ` +
    "img-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
  );
}
