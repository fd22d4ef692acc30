import pg from 'pg';
import { v7 as uuidV7 } from 'uuid';
import { percentiles } from '../harness/statistics.js';
import type { Bench, Lane } from './bench.js';
import type { Window } from './figures.js';
import type { BenchAccounts } from './fixtures.js';

const TABLE = 'bench_copy_of_message_order';

/**
 * What PostgreSQL takes when nobody asks anything: the order rows of an account's last batch, over and over with new
 * ids and sequences, by COPY into a table with the columns, checks and indexes of message_order. One transaction for as
 * many rows as a batch has entries, on as many connections as batches come by. No balance, no journal, no HTTP.
 *
 * @param account its first batch comes before the first window
 */
export function copyLane(bench: Bench, account: BenchAccounts): Lane {
  let copies: Promise<Copies> | undefined;
  return {
    id: 'copy-batch',
    title: 'the same order rows by COPY',
    measure: async () => {
      copies ??= prepareCopies(bench, account);
      return measureCopies(bench, await copies);
    },
    close: async () => {
      const { clients = [] } = (await copies) ?? {};
      await clients[0]?.query(`drop table ${TABLE}`);
      await Promise.all(clients.map((client) => client.end()));
    },
  };
}

interface Copies {
  readonly clients: readonly pg.Client[];
  readonly sql: string;
  readonly rows: number;
  /** The rows of one batch, each with an id and a sequence that no other has. */
  readonly nextRows: () => Buffer;
}

/** @throws Error when the account has no orders yet */
async function prepareCopies({ options, service }: Bench, account: BenchAccounts): Promise<Copies> {
  const { postgres } = service;
  const clients = await Promise.all(
    Array.from({ length: options.batchConnections }, () => postgres.connect('heliograph-bench-copy')),
  );
  await postgres.query(`create table if not exists ${TABLE} (like message_order including all)`);
  const columns = await postgres.query<{ name: string }>(
    `select quote_ident(attname) as name from pg_attribute
      where attrelid = 'message_order'::regclass and attnum > 0 and not attisdropped and attgenerated = ''
        and attname not in ('id', 'sequence') order by attnum`,
  );
  const names = columns.map(({ name }) => name);
  const orders = await postgres.query<{ row: (string | null)[] }>(
    `select array[${names.map((name) => `${name}::text`).join(', ')}] as row from message_order
      where account_id = $1 order by sequence desc limit $2`,
    [account.ids[0], options.batch],
  );
  if (orders.length === 0) throw new Error('there are no orders to copy');
  const rests = orders.map(({ row }) => row.map(copyValue).join('\t'));
  let sequence = 0;
  return {
    clients,
    rows: orders.length,
    sql: `copy ${TABLE} (id, sequence, ${names.join(', ')}) from stdin`,
    nextRows: () => Buffer.from(rests.map((rest) => `${uuidV7()}\t${++sequence}\t${rest}\n`).join('')),
  };
}
async function measureCopies(bench: Bench, { clients, sql, rows, nextRows }: Copies): Promise<Window> {
  const { warmupMs, windowMs } = bench.options;
  const fromMs = performance.now() + warmupMs;
  const toMs = fromMs + windowMs;
  const latenciesMs: number[] = [];
  let lastMs = fromMs;
  const copyOver = async (client: pg.Client) => {
    for (let beforeMs = performance.now(); beforeMs < toMs; ) {
      await copyRows(client, sql, nextRows());
      const afterMs = performance.now();
      if (beforeMs >= fromMs) {
        latenciesMs.push(afterMs - beforeMs);
        lastMs = Math.max(lastMs, afterMs);
      }
      beforeMs = afterMs;
    }
  };
  const { cores } = await bench.watchCores(() => Promise.all(clients.map(copyOver)));
  // What was begun within the window, over the time that it took: few are done in a short one.
  const perSecond = (latenciesMs.length * rows) / ((lastMs - fromMs) / 1_000);
  return { perSecond, ...percentiles(latenciesMs), unexpected: {}, cores };
}

/** What node-postgres hands to a query that the server asks for rows; its types leave it out. */
interface CopyConnection {
  sendCopyFromChunk(rows: Buffer): void;
  endCopyFrom(): void;
}

/** `copy ... from stdin` with rows in the text format (PostgreSQL, "COPY"), in one piece and one transaction. */
class CopyQuery extends pg.Query {
  constructor(
    sql: string,
    private readonly block: Buffer, // `rows` is taken: node-postgres means the size of a portal by it
    onEnd: (error: Error | undefined) => void,
  ) {
    super(sql, onEnd);
  }

  handleCopyInResponse(connection: CopyConnection): void {
    connection.sendCopyFromChunk(this.block);
    connection.endCopyFrom();
  }
}

/** @throws Error when the server refuses a row; none of them is there then */
export function copyRows(client: pg.Client, sql: string, rows: Buffer): Promise<void> {
  return new Promise((resolve, reject) => {
    client.query(new CopyQuery(sql, rows, (error) => (error ? reject(error) : resolve())));
  });
}

/** One value of a row in the text format. */
export function copyValue(value: string | null): string {
  return value === null ? '\\N' : value.replace(/[\\\t\n\r]/g, (character) => ESCAPES[character] ?? character);
}

const ESCAPES: Readonly<Record<string, string>> = { '\\': '\\\\', '\t': '\\t', '\n': '\\n', '\r': '\\r' };
