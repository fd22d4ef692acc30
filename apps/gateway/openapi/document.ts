import type { INestApplication } from '@nestjs/common';
import { DocumentBuilder, type OpenAPIObject, SwaggerModule } from '@nestjs/swagger';
import type { FastifyInstance } from 'fastify';
import { ERRORS } from '../http/error-catalogue.js';
import { PROBLEM_SCHEMA, problemSchema } from './problem-schema.js';

/** The OpenAPI document, made from the controllers and their DTOs. */
export function openApiDocument(app: INestApplication): OpenAPIObject {
  const document = SwaggerModule.createDocument(
    app,
    new DocumentBuilder()
      .setTitle('Heliograph SMS')
      .setVersion('1')
      .setDescription(
        'Send SMS and read the account. Accepted means charged and durable. Amounts in send results are decimal strings; ' +
          'everywhere else they are JSON numbers.',
      )
      .addApiKey({ type: 'apiKey', in: 'header', name: 'X-Authorization' }, 'api-key')
      .build(),
  );
  document.components = {
    ...document.components,
    schemas: { ...document.components?.schemas, [PROBLEM_SCHEMA]: problemSchema },
  };
  return document;
}

/** Serves `/openapi.json`, the page `/docs`, and `/docs/errors` with every code. */
export function serveDocumentation(app: INestApplication, fastify: FastifyInstance): void {
  const document = openApiDocument(app);
  SwaggerModule.setup('docs', app, document, { jsonDocumentUrl: 'openapi.json', customSiteTitle: 'Heliograph API' });
  const errorPage = errorsHtml();
  fastify.get('/docs/errors', (_request, reply) => reply.type('text/html; charset=utf-8').send(errorPage));
}

function errorsHtml(): string {
  const rows = Object.entries(ERRORS).map(
    ([code, { status, title, doc }]) =>
      `<tr id="${code}"><td>${status}</td><td><code>${code}</code></td><td>${title}</td><td>${doc}</td></tr>`,
  );
  return `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>Heliograph: error codes</title>
<style>body{font:16px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem}
table{border-collapse:collapse;width:100%}td,th{text-align:left;padding:.4rem .6rem;border-bottom:1px solid #ddd;vertical-align:top}
tr:target{background:#fff3c4}</style>
<h1>Error codes</h1><p>Every refusal is an <code>application/problem+json</code> document (RFC 9457) with one of these codes.
<a href="/docs">Back to the API</a>.</p>
<table><tr><th>Status</th><th>Code</th><th>Title</th><th>Meaning</th></tr>${rows.join('\n')}</table></html>`;
}
