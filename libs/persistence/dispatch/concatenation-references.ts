import type { Queryable } from '../database/database.js';

/** The 8-bit concatenation references of long messages, by order id. */
export async function assignConcatenationReferences(
  database: Queryable,
  ids: readonly string[],
): Promise<Map<string, number>> {
  const rows = await database.query<{ id: string; concatenation_reference: number }>(
    'select * from assign_concatenation_references($1::uuid[])',
    [ids],
  );
  return new Map(rows.map((row) => [row.id, row.concatenation_reference]));
}
