import type { Queryable } from '../database/database.js';
import { plainArray } from '../database/plain-array.js';

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
