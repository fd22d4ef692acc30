import type { Queryable } from '../database/database.js';
import { type LiveProcess, liveProcesses, PROCESS_ROLES } from '../database/heartbeat.js';

interface ProcessWithoutKeys {
  readonly processId: string;
  /** Undefined: its version is too old to report keys. */
  readonly missing: readonly string[] | undefined;
}

/** Live processes that do not report all of these keys. */
export async function processesWithoutKeys(
  database: Queryable,
  keyIds: readonly (string | null)[],
): Promise<ProcessWithoutKeys[]> {
  const wanted = keyIds.filter((id) => id !== null);
  const live: LiveProcess[] = [];
  for (const role of PROCESS_ROLES) live.push(...(await liveProcesses(database, role)));
  return live
    .map((one) => ({ processId: one.processId, missing: missingOf(one, wanted) }))
    .filter(({ missing }) => missing?.length !== 0);
}

/** For people. */
export function lackOf({ processId, missing }: ProcessWithoutKeys): string {
  return missing === undefined ? `${processId} is of an older version` : `${processId} lacks key ${missing.join(', ')}`;
}

function missingOf({ details }: LiveProcess, wanted: readonly string[]): string[] | undefined {
  const { secretKeys } = details;
  return Array.isArray(secretKeys) ? wanted.filter((id) => !secretKeys.includes(id)) : undefined;
}
