import { createRequire } from 'node:module';
import { dirname } from 'node:path';
import fastifyStatic from '@fastify/static';
import type { INestApplication } from '@nestjs/common';
import type { FastifyInstance } from 'fastify';
import type { Config } from '#config';
import { openApiDocument } from './document.js';
import { documentationPage } from './documentation-page.js';
import { errorsPage } from './errors-page.js';
import { guideHtml } from './guide.js';
import { KEYS_GUIDE_TITLE, keysGuide } from './keys-guide.js';
import { TEXT_GUIDE_TITLE, textGuide } from './text-guide.js';

/** The served files of the package swagger-ui-dist. The others (maps, logs, examples) are not public. */
const SWAGGER_FILES = ['swagger-ui.css', 'swagger-ui-bundle.js', 'favicon-32x32.png'] as const;

const API_PAGE = `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>Heliograph API</title>
<link rel="icon" type="image/png" href="docs/favicon-32x32.png"><link rel="stylesheet" href="docs/swagger-ui.css">
<style>body{margin:0}.swagger-ui .info{margin:24px 0}</style></head><body><div id="swagger-ui"></div>
<script src="docs/swagger-ui-bundle.js"></script><script src="docs/start.js"></script></body></html>`;

/** Only the page keeps the key that a reader tries an endpoint with; it is gone with the page. */
const START_SCRIPT = `SwaggerUIBundle({
  url: 'openapi.json',
  dom_id: '#swagger-ui',
  deepLinking: true,
  validatorUrl: null,
  persistAuthorization: false,
  displayRequestDuration: true,
  defaultModelsExpandDepth: 0,
});
`;

/**
 * Serves `/openapi.json` and the pages below `/docs`. Each file has its own route; pages load nothing from other
 * servers.
 */
export async function serveDocumentation(
  app: INestApplication,
  fastify: FastifyInstance,
  config: Config,
): Promise<void> {
  const root = dirname(createRequire(import.meta.url).resolve('swagger-ui-dist/package.json'));
  await fastify.register(fastifyStatic, { root, serve: false });
  for (const file of SWAGGER_FILES) fastify.get(`/docs/${file}`, (_request, reply) => reply.sendFile(file));

  const texts: readonly [path: string, type: string, text: string][] = [
    ['/openapi.json', 'application/json', JSON.stringify(openApiDocument(app, config))],
    ['/docs', 'text/html', API_PAGE],
    ['/docs/start.js', 'text/javascript', START_SCRIPT],
    ['/docs/errors', 'text/html', errorsPage(config)],
    ['/docs/keys', 'text/html', documentationPage(KEYS_GUIDE_TITLE, guideHtml(keysGuide()))],
    ['/docs/text', 'text/html', documentationPage(TEXT_GUIDE_TITLE, guideHtml(textGuide()))],
  ];
  for (const [path, type, text] of texts) {
    fastify.get(path, (_request, reply) =>
      reply
        .type(`${type}; charset=utf-8`)
        .serializer((payload: unknown) => String(payload))
        .send(text),
    );
  }
  fastify.get('/docs/', (_request, reply) => reply.redirect('../docs'));
}
