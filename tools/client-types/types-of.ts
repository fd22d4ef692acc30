import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createClient } from '@hey-api/openapi-ts';

/** From the root of the repository. */
export const TYPES_FILE = 'clients/typescript/src/types.gen.ts';

/** The types of the client library for an OpenAPI document, as the text of TYPES_FILE. */
export async function typesOf(document: object): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'heliograph-types-'));
  try {
    await createClient({
      input: document as Record<string, unknown>,
      output: { path: folder, entryFile: false },
      plugins: ['@hey-api/typescript'],
      logs: { level: 'silent', file: false },
    });
    return readFileSync(join(folder, 'types.gen.ts'), 'utf8');
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
