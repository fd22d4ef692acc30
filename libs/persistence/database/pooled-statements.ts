import type pg from 'pg';
import type { DataSource } from 'typeorm';
import { localBounds, type SessionBounds } from './pooler.js';
import type { StatementRunner, StatementSource } from './statement-source.js';

/** Different statements that are kept prepared on a connection; the service has some forty. */
const PREPARED_MAX = 200;

/**
 * The pool that TypeORM keeps, without TypeORM between: each statement outside a transaction is prepared once on a connection
 * and then sent by its name, which saves the server its parsing and planning. Behind a pooler statements have no names: each may
 * meet another session, and only PgBouncer from 1.21 on follows them there.
 *
 * A migration beside the running process may change what a statement answers. PostgreSQL then refuses the prepared one on that
 * connection for good, before it has done anything: it is prepared anew, under another name.
 *
 * @param bounds of a statement in a transaction, behind a pooler; undefined: the sessions are ours and know them
 */
export function pooledStatements(source: DataSource, bounds: SessionBounds | undefined): StatementSource {
  const { master: pool } = source.driver as unknown as { master: pg.Pool };
  const names = new Map<string, string>();
  let named = 0;

  const nameOf = (sql: string): string | undefined => {
    if (bounds !== undefined) return undefined;
    const known = names.get(sql);
    if (known !== undefined || names.size >= PREPARED_MAX) return known;
    named += 1;
    const name = `heliograph_${named}`;
    names.set(sql, name);
    return name;
  };

  const query = async (text: string, values: unknown[], isAgain: boolean): Promise<unknown> => {
    const name = nameOf(text);
    try {
      return (await pool.query(name === undefined ? { text, values } : { name, text, values })).rows;
    } catch (error) {
      if (isAgain || !hasAnotherResultNow(error)) throw error;
      // Another connection may have met it before.
      if (names.get(text) === name) names.delete(text);
      return query(text, values, true);
    }
  };

  return {
    query: (text, values = []) => query(text, values, false),
    transaction: (work) =>
      source.transaction(async (manager) => {
        if (bounds !== undefined) await manager.query(localBounds(bounds));
        return work({
          query: async (sql, values) => rowsOf(await manager.query(sql, values)),
        } satisfies StatementRunner);
      }),
    destroy: () => source.destroy(),
  };
}

/** TypeORM answers `[rows, count]` to UPDATE and DELETE, and bare rows to everything else. */
function rowsOf(result: unknown): unknown {
  const isCounted = Array.isArray(result) && result.length === 2 && Array.isArray(result[0]);
  return isCounted && typeof result[1] === 'number' ? result[0] : result;
}

/** Many refusals share this SQLSTATE; the place in the server that sends this one is named alike in every language (plancache.c). */
function hasAnotherResultNow(error: unknown): boolean {
  const { code, routine } = error as { code?: unknown; routine?: unknown };
  return code === '0A000' && routine === 'RevalidateCachedQuery';
}
