import pg from 'pg';
import { v7 as uuidV7 } from 'uuid';
import { percentiles } from '../harness/statistics.js';
import type { Bench } from './bench.js';
import type { Window } from './figures.js';
import type { BenchAccounts } from './fixtures.js';

const TABLE = 'bench_copy_of_message_order';

/**
 * What PostgreSQL takes when nobody asks anything: the order rows of an account's last batch, over and over with new
 * ids and sequences, by COPY into a table with the columns, checks and indexes of message_order. One transaction for as
 * many rows as a batch has entries, on as many connections as batches come by. No balance, no journal, no HTTP.
 */
export class CopyYardstick {
  private lastSequence = 0;

  private constructor(
    private readonly clients: readonly pg.Client[],
    private readonly sql: string,
    /** Every column but id and sequence of one row each. */
    private readonly rests: readonly string[],
  ) {}

  /** @throws Error when the account has no orders yet */
  static async prepare(bench: Bench, account: BenchAccounts): Promise<CopyYardstick> {
    const { batchConnections, batch } = bench.options;
    const { postgres } = bench.service;
    const clients = await Promise.all(
      Array.from({ length: batchConnections }, () => postgres.connect('heliograph-bench-copy')),
    );
    const [first] = clients;
    if (first === undefined) throw new Error('batches come by one connection at the least');
    await first.query(`create table if not exists ${TABLE} (like message_order including all)`);
    const { rows: columns } = await first.query<{ name: string }>(
      `select quote_ident(attname) as name from pg_attribute
        where attrelid = 'message_order'::regclass and attnum > 0 and not attisdropped and attgenerated = ''
          and attname not in ('id', 'sequence') order by attnum`,
    );
    const names = columns.map(({ name }) => name);
    const { rows: orders } = await first.query<{ row: (string | null)[] }>(
      `select array[${names.map((name) => `${name}::text`).join(', ')}] as row from message_order
        where account_id = $1 order by sequence desc limit $2`,
      [account.ids[0], batch],
    );
    if (orders.length === 0) throw new Error('there are no orders to copy');
    const rests = orders.map(({ row }) => row.map(copyValue).join('\t'));
    return new CopyYardstick(clients, `copy ${TABLE} (id, sequence, ${names.join(', ')}) from stdin`, rests);
  }

  async measure(bench: Bench): Promise<Window> {
    const { warmupMs, windowMs } = bench.options;
    const startedAt = performance.now();
    const [from, to] = [startedAt + warmupMs, startedAt + warmupMs + windowMs];
    const latenciesMs: number[] = [];
    let lastMs = from;
    const { cores } = await bench.watchCores(() =>
      Promise.all(
        this.clients.map(async (client) => {
          for (let before = performance.now(); before < to; ) {
            await copyRows(client, this.sql, this.nextRows());
            const after = performance.now();
            if (before >= from) {
              latenciesMs.push(after - before);
              lastMs = Math.max(lastMs, after);
            }
            before = after;
          }
        }),
      ),
    );
    return {
      // What was begun within the window, over the time that it took: few are done in a short one.
      perSecond: (latenciesMs.length * this.rests.length) / ((lastMs - from) / 1_000),
      ...percentiles(latenciesMs),
      unexpected: {},
      cores,
    };
  }

  async close(): Promise<void> {
    await this.clients[0]?.query(`drop table ${TABLE}`);
    await Promise.all(this.clients.map((client) => client.end()));
  }

  private nextRows(): Buffer {
    return Buffer.from(this.rests.map((rest) => `${uuidV7()}\t${++this.lastSequence}\t${rest}\n`).join(''));
  }
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
