import type { INestApplication } from '@nestjs/common';
import { DocumentBuilder, type OpenAPIObject, SwaggerModule } from '@nestjs/swagger';
import { type Config, VERSION } from '#config';
import { PROBLEM_SCHEMA, problemSchema } from './problem-schema.js';

const DESCRIPTION = `Send SMS, and read what became of them and what they cost.

**Accepted means charged and durable**: a send answers 201 once the message and its charge are committed, and never waits
for the carrier. What never leaves is given back in full.

**Money.** \`balanceDeduction\` is a decimal string; every other amount is a JSON number, written exactly, with up to 6 decimals.

**Text.** A message of standard characters is one segment up to 160 characters, then segments of 153, up to 39,015 characters.
One character outside the standard set makes the whole message extended: one segment up to 70 UTF-16 code units, then segments of
63, up to 16,065. Every segment is charged. [Text, segments and price](text) has the set, and what a \`/\` does to a price; ask
\`/v1/message/quote\` what a text would be.

**Keys.** Each endpoint needs a key with one scope, which its description names. [Keys and limits](keys) says how to make,
bound, rotate and revoke keys, and what the \`RateLimit\` headers tell.

**Tests.** A key that begins with \`hg_test_\` costs nothing and reaches nobody. [Test mode](test-mode) has a recipient for every
outcome.

**Refusals** are problem documents (RFC 9457). Switch on \`code\`; all codes are listed under [error codes](errors).`;

/** The OpenAPI document, made from the controllers and their DTOs, and from what the operator sets. */
export function openApiDocument(app: INestApplication, config: Pick<Config, 'BATCH_MESSAGES_MAX'>): OpenAPIObject {
  const document = SwaggerModule.createDocument(
    app,
    new DocumentBuilder()
      .setTitle('Heliograph SMS')
      .setVersion(VERSION)
      .setDescription(DESCRIPTION)
      .addServer('/', 'This gateway')
      .addTag('messages', 'Sending, and asking what a send would cost')
      .addTag('account', 'Money and messages of the account, its settings and its opt-outs')
      .addTag('keys', 'The API keys of the account')
      .addTag('webhooks', 'Events, sent to the client as they happen')
      .addApiKey({ type: 'apiKey', in: 'header', name: 'X-Authorization', description: 'The API key.' }, 'api-key')
      .build(),
    { operationIdFactory: (_controller, method) => method },
  );
  const schemas = document.components?.schemas ?? {};
  document.components = { ...document.components, schemas: { ...schemas, [PROBLEM_SCHEMA]: problemSchema } };
  leaveOutBodiesOfDeletes(document);
  boundBatches(document.components.schemas?.SendBatchRequest, config.BATCH_MESSAGES_MAX);
  return document;
}

/** OpenAPI knows no body of a DELETE. One that comes is read only to refuse its fields. */
function leaveOutBodiesOfDeletes({ paths }: OpenAPIObject): void {
  for (const path of Object.values(paths)) delete path.delete?.requestBody;
}

/** The operator sets how many entries a batch may have. */
function boundBatches(schema: unknown, maxItems: number): void {
  const { properties } = schema as { properties: { messages: { maxItems?: number } } };
  properties.messages.maxItems = maxItems;
}
