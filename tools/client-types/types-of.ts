import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createClient } from '@hey-api/openapi-ts';

/** From the root of the repository. */
export const TYPES_FILE = 'clients/typescript/src/types.gen.ts';

interface Operation {
  parameters?: readonly { readonly in: string }[];
  responses: Record<string, unknown>;
}

export interface OpenApi {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
}

/** The types of the client library for an OpenAPI document, as the text of TYPES_FILE. */
export async function typesOf(document: OpenApi): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'heliograph-types-'));
  try {
    await createClient({
      input: ofSuccess(document) as Record<string, unknown>,
      output: { path: folder, entryFile: false },
      plugins: ['@hey-api/typescript'],
      logs: { level: 'silent', file: false },
    });
    return readFileSync(join(folder, 'types.gen.ts'), 'utf8');
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/**
 * Every endpoint refuses with the same Problem, and the client has one way to give headers: neither needs its types.
 */
function ofSuccess(document: OpenApi): object {
  const own = structuredClone(document);
  for (const operation of Object.values(own.paths).flatMap((methods) => Object.values(methods))) {
    const { parameters, responses } = operation;
    operation.responses = Object.fromEntries(Object.entries(responses).filter(([status]) => status.startsWith('2')));
    if (parameters !== undefined) operation.parameters = parameters.filter((each) => each.in !== 'header');
  }
  return own;
}
