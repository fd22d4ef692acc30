import type { PostgresServer } from '../harness/servers.js';

/** Of 16 MB: as many as the server keeps (`min_wal_size`). */
const FILES = 128;

/**
 * Gives the server what one has that has run for a while: files of its log that it has used before, and now overwrites.
 * It fills a new file with zeros first, in the middle of somebody's commit, which takes 20 to 100 ms.
 */
export async function recycleLog(postgres: PostgresServer): Promise<void> {
  const oneFile = "perform pg_logical_emit_message(false, 'bench', ''), pg_switch_wal()";
  await postgres.query(`do $$ begin for i in 1..${FILES} loop ${oneFile}; end loop; end $$`);
  await postgres.query('checkpoint');
}
