import { readFileSync } from 'node:fs';
import fastifyStatic from '@fastify/static';
import type { FastifyInstance } from 'fastify';
import { type ConsoleName, ConsolePage, inConsoles } from './console-page.js';

const ASSET = /^\/[\w-]+\.(js|css|svg)$/;

/**
 * Serves a console: its page at each path that it has (`paths.json`), and the scripts and styles of both below
 * `/assets`. The console's styles that are made in the browser have the nonce of the page, and nothing else may run.
 * Assets are named by their content, so a browser keeps them for ever.
 */
export async function serveConsole(server: FastifyInstance, name: ConsoleName): Promise<void> {
  const page = new ConsolePage(name);
  const paths = JSON.parse(readFileSync(inConsoles(`${name}/paths.json`), 'utf8')) as Record<string, string>;
  for (const path of Object.values(paths)) server.get(path, (_request, reply) => page.send(reply));
  await server.register(fastifyStatic, {
    root: inConsoles('assets'),
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
