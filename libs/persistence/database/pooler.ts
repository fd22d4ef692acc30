import pg from 'pg';

const CONNECT_TIMEOUT_MS = 5_000;

/** What a session is told at its start, where it is ours alone. */
export interface SessionBounds {
  readonly statementTimeoutMs: number;
  readonly lockTimeoutMs: number;
}

/**
 * Whether a connection pooler (PgBouncer) stands before the database: it gives each client a process id of its own
 * making, which is not that of the session that answers. Behind one, a session is only ours for one transaction: no
 * settings, no prepared statements, no LISTEN and no locks last longer. (One in session mode is told from others by
 * nothing, and taken for such.)
 *
 * @throws when the database cannot be reached
 */
export async function isBehindPooler(url: string, applicationName = 'heliograph'): Promise<boolean> {
  const client = new pg.Client({
    connectionString: url,
    application_name: applicationName,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    query_timeout: CONNECT_TIMEOUT_MS,
  });
  client.on('error', () => undefined);
  try {
    await client.connect();
    return await isPooledClient(client);
  } finally {
    await client.end().catch(() => undefined);
  }
}

export async function isPooledClient(client: pg.ClientBase): Promise<boolean> {
  const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid');
  return rows[0]?.pid !== (client as unknown as { processID: number | null }).processID;
}

/**
 * Begins a transaction on a pooled session: what a session of our own has been told at its start holds for this one
 * only.
 */
export function localBounds({ statementTimeoutMs, lockTimeoutMs }: SessionBounds): string {
  return `set local statement_timeout = ${statementTimeoutMs}; set local lock_timeout = ${lockTimeoutMs}`;
}

/** Whether a pooler refused a setting that it does not pass on. */
export function isRefusedSetting(error: unknown): boolean {
  return /unsupported startup parameter/.test(error instanceof Error ? error.message : '');
}
