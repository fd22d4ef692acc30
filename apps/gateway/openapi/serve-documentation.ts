import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { INestApplication } from '@nestjs/common';
import type { FastifyInstance } from 'fastify';
import type { Config } from '#config';
import { endpointTable, errorTable } from '../guide/generated-parts.js';
import { guidePage } from '../guide/guide-page.js';
import { readGuide } from '../guide/read-guide.js';
import { SCRIPTED_PAGE_HEADERS } from '../http/response-headers.js';
import { SharedText } from '../http/shared-text.js';
import { apiPage, START_SCRIPT } from './api-page.js';
import { openApiDocument } from './document.js';

/** The served files of the package swagger-ui-dist. The others (maps, logs, examples) are not public. */
const SWAGGER_FILES = [
  { name: 'swagger-ui.css', type: 'text/css' },
  { name: 'swagger-ui-bundle.js', type: 'text/javascript' },
] as const;

interface Served<Text = SharedText> {
  readonly path: string;
  readonly type: string;
  readonly text: Text;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Made once for all gateways of a process, by what the operator sets. */
const made = new Map<Config['BATCH_MESSAGES_MAX'], readonly Served[]>();

/**
 * Serves `/openapi.json`, the guide below `/docs` and the page of the API. Each file has its own route; pages load
 * nothing from other servers.
 */
export function serveDocumentation(app: INestApplication, fastify: FastifyInstance, config: Config): void {
  const texts = made.get(config.BATCH_MESSAGES_MAX) ?? documentationOf(app, config);
  made.set(config.BATCH_MESSAGES_MAX, texts);
  for (const served of texts) serveText(fastify, served);
  fastify.get('/docs/', (_request, reply) => reply.redirect('../docs'));
}

function documentationOf(app: INestApplication, config: Config): readonly Served[] {
  const document = openApiDocument(app, config);
  const { pages, sections } = readGuide();
  const generated: Readonly<Record<string, string>> = { '': endpointTable(document), errors: errorTable() };
  const guide = pages.map(({ html, ...page }) => ({
    path: page.path === '' ? '/docs' : `/docs/${page.path}`,
    type: 'text/html',
    text: guidePage({ ...page, html: `${html}${generated[page.path] ?? ''}` }, sections),
  }));
  const texts: readonly Served<string>[] = [
    ...guide,
    { path: '/openapi.json', type: 'application/json', text: JSON.stringify(document) },
    { path: '/docs/api', type: 'text/html', text: apiPage(sections), headers: SCRIPTED_PAGE_HEADERS },
    { path: '/docs/start.js', type: 'text/javascript', text: START_SCRIPT },
    { path: '/docs/guide.css', type: 'text/css', text: partOfGuide('guide.css') },
    { path: '/docs/icon.svg', type: 'image/svg+xml', text: partOfGuide('icon.svg') },
    ...swaggerFiles(),
  ];
  return texts.map((served) => ({ ...served, text: new SharedText(served.text) }));
}

function swaggerFiles(): readonly Served<string>[] {
  const folder = dirname(createRequire(import.meta.url).resolve('swagger-ui-dist/package.json'));
  return SWAGGER_FILES.map(({ name, type }) => ({
    path: `/docs/${name}`,
    type,
    text: readFileSync(join(folder, name), 'utf8'),
  }));
}

/** A browser keeps the text and asks each time whether it is still this one. */
function serveText(fastify: FastifyInstance, { path, type, text, headers = {} }: Served): void {
  fastify.get(path, async (request, reply) => {
    void reply.headers({ ...headers, 'cache-control': 'no-cache' });
    return reply.send(await text.answer(request, reply, type));
  });
}

/** The build puts these beside the code. */
function partOfGuide(file: string): string {
  return readFileSync(fileURLToPath(new URL(`../guide/${file}`, import.meta.url)), 'utf8');
}
