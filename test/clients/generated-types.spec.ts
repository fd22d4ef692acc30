import { readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import { type OpenApi, TYPES_FILE, typesOf } from '../../tools/client-types/types-of.js';
import { TestGateway } from '../support/gateway.js';

test('the types of the client are those of the OpenAPI document; else: npm run client:types', async () => {
  const gateway = await TestGateway.start();
  try {
    const document = (await gateway.http.request('GET', '/openapi.json')).as<OpenApi>();
    expect(readFileSync(TYPES_FILE, 'utf8')).toBe(await typesOf(document));
  } finally {
    await gateway.close();
  }
});
