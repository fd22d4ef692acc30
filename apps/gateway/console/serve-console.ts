import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import fastifyStatic from '@fastify/static';
import type { FastifyInstance } from 'fastify';

/** The build puts the consoles there (scripts/setup/build-console.mjs). */
const FOLDER = new URL('../../../console/', import.meta.url);
/** Stands in the page where the nonce of a response goes (apps/console/vite.config.mjs). */
const NONCE_MARK = '__CSP_NONCE__';
const NONCE_BYTES = 16;
const ASSET = /^\/[\w-]+\.(js|css|svg)$/;

export type ConsoleName = 'owner' | 'operator';

/**
 * Serves a console: its page at each path that it has (`paths.json`), and the scripts and styles of both below
 * `/assets`. The page is made for each request, because it carries a nonce: the console's styles that are made in the
 * browser have it, and nothing else may run. Assets are named by their content, so a browser keeps them for ever.
 */
export async function serveConsole(server: FastifyInstance, name: ConsoleName): Promise<void> {
  const page = readFileSync(inFolder(`${name}/index.html`), 'utf8');
  const paths = JSON.parse(readFileSync(inFolder(`${name}/paths.json`), 'utf8')) as Record<string, string>;
  for (const path of Object.values(paths)) {
    server.get(path, (_request, reply) => {
      const nonce = randomBytes(NONCE_BYTES).toString('base64url');
      return reply
        .headers({ 'content-security-policy': policyOf(nonce), 'cache-control': 'no-store' })
        .type('text/html; charset=utf-8')
        .serializer((payload: unknown) => String(payload))
        .send(page.replaceAll(NONCE_MARK, nonce));
    });
  }
  await server.register(fastifyStatic, {
    root: inFolder('assets'),
    prefix: '/assets/',
    decorateReply: false,
    index: false,
    preCompressed: true,
    immutable: true,
    maxAge: '365d',
    // Not the folder, nor the compressed files by their own names.
    allowedPath: (path) => ASSET.test(path),
  });
}

function policyOf(nonce: string): string {
  return (
    `default-src 'none'; script-src 'self'; style-src 'self' 'nonce-${nonce}'; connect-src 'self'; ` +
    "img-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
  );
}

function inFolder(path: string): string {
  return fileURLToPath(new URL(path, FOLDER));
}
