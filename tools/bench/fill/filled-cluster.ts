import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type EmbeddedPostgres, startEmbeddedPostgres } from '../../../scripts/postgres/embedded-postgres.js';

/** Written when a fill is complete. */
const MARK = 'filled.json';
const OWN = ['cluster', 'password', 'server.log', 'owner', MARK];

/** While it is filled, nothing is lost that could not be made again. */
const FILLING = {
  synchronous_commit: 'off',
  full_page_writes: 'off',
  wal_level: 'minimal',
  max_wal_senders: '0',
  max_wal_size: '4GB',
  checkpoint_timeout: '1h',
  shared_buffers: '1GB',
  autovacuum: 'off',
};

export function filledFolder(dir: string): string {
  return join(dir, 'heliograph-filled');
}

/** Whether a fill was completed in this folder. */
export function isFilled(folder: string): boolean {
  return existsSync(join(folder, MARK));
}

/** A new, empty cluster in the folder of the last one, fast and not durable. */
export async function startForFilling(folder: string): Promise<EmbeddedPostgres> {
  for (const name of OWN) rmSync(join(folder, name), { recursive: true, force: true });
  return startEmbeddedPostgres({ dataDir: folder, fsync: false, settings: FILLING });
}

export function markFilled(folder: string, facts: unknown): void {
  writeFileSync(join(folder, MARK), `${JSON.stringify(facts, null, 2)}\n`);
}
