import type { Queryable } from '../database/database.js';
import { plainArray } from '../database/plain-array.js';

// What a long message needs while it is sent: the intents of its further segments, and what joins them on a handset.

export interface Intent {
  readonly id: string;
  readonly position: number;
  readonly epoch: number;
  readonly carrierId: number;
}

/** Records segments as submitting before they are written; one that comes back false must not be submitted. */
export async function recordIntents(database: Queryable, intents: readonly Intent[]): Promise<boolean[]> {
  const rows = await database.query<{ id: string; position: number }>(
    'select * from record_intents($1::uuid[], $2::smallint[], $3::integer[], $4::integer[])',
    [
      plainArray(intents.map((intent) => intent.id)),
      plainArray(intents.map((intent) => intent.position)),
      plainArray(intents.map((intent) => intent.epoch)),
      plainArray(intents.map((intent) => intent.carrierId)),
    ],
  );
  const recorded = new Set(rows.map((row) => `${row.id}/${row.position}`));
  return intents.map((intent) => recorded.has(`${intent.id}/${intent.position}`));
}

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
