import { Socket } from 'node:net';
import pg from 'pg';
import type { OperatorActor } from '../operators/operator-actor.js';
import { isPooledClient, isRefusedSetting, localBounds } from './pooler.js';
import type { StatementRunner, StatementSource } from './statement-source.js';

const CONNECT_TIMEOUT_MS = 5_000;
const STATEMENT_TIMEOUT_MS = 5_000;
/** A server that has fallen silent does not answer a farewell either. */
const FAREWELL_MS = 2_000;

/** One connection. Statements follow each other, so nothing else may be sent while a transaction is open. */
export async function connectSingle(options: {
  readonly url: string;
  readonly applicationName: string;
  readonly statementTimeoutMs?: number;
  /** Recorded with what is changed (`operators/operator-changes.sql`). */
  readonly actor?: OperatorActor;
}): Promise<StatementSource & { readonly isPooled: boolean }> {
  const statementTimeoutMs = options.statementTimeoutMs ?? STATEMENT_TIMEOUT_MS;
  const bounds = { statementTimeoutMs, lockTimeoutMs: STATEMENT_TIMEOUT_MS };
  const plain = {
    connectionString: options.url,
    application_name: options.applicationName,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    // The client gives up a little later than the server, so that a dead connection is noticed as well.
    query_timeout: statementTimeoutMs + 2_000,
  };
  const told = { ...plain, statement_timeout: statementTimeoutMs, lock_timeout: STATEMENT_TIMEOUT_MS };
  const { client, end } = await connected(told).catch((error: unknown) => {
    if (isRefusedSetting(error)) return connected(plain);
    throw error;
  });
  const isPooled = await isPooledClient(client).catch(async (error: unknown) => {
    await end();
    throw error;
  });

  const { actor } = options;
  const runner: StatementRunner = {
    query: async (sql, parameters) => (await client.query(sql, parameters)).rows,
  };
  const inTransaction = async <Result>(
    work: (one: StatementRunner) => Promise<Result>,
    isBounded: boolean,
  ): Promise<Result> => {
    await client.query('begin');
    try {
      if (isBounded) await client.query(localBounds(bounds));
      // No SELECT: the work may still want to set the isolation level, which has to come before the first one.
      if (isPooled && actor !== undefined)
        await client.query(`set local heliograph.actor = ${client.escapeLiteral(JSON.stringify(actor))}`);
      const result = await work(runner);
      await client.query('commit');
      return result;
    } catch (error) {
      await client.query('rollback').catch(() => undefined);
      throw error;
    }
  };
  if (!isPooled && actor !== undefined)
    await client.query(`select set_config('heliograph.actor', $1, false)`, [JSON.stringify(actor)]);
  return {
    // The session behind a pooler serves others as well: what is said there holds for one transaction.
    query:
      isPooled && actor !== undefined
        ? (sql, parameters) => inTransaction((one) => one.query(sql, parameters), false)
        : runner.query,
    transaction: (work) => inTransaction(work, isPooled),
    destroy: end,
    isPooled,
  };
}

/** `end` takes leave of the server, and hangs up when nothing comes back. */
async function connected(config: pg.ClientConfig): Promise<{ client: pg.Client; end(): Promise<void> }> {
  const socket = new Socket();
  const client = new pg.Client({ ...config, stream: () => socket });
  // A connection that breaks between two statements fails the next one; without a listener it would end the process.
  client.on('error', () => undefined);
  await client.connect();
  const end = async () => {
    const silent = setTimeout(() => socket.destroy(), FAREWELL_MS);
    await client.end().finally(() => clearTimeout(silent));
  };
  return { client, end };
}
