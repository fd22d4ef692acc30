import pg from 'pg';
import type { Percentiles } from './statistics.js';

/** The open orders are few and found by their index, whatever the planner believes of a table that grows this fast. */
const PLAN = '-c enable_seqscan=off -c jit=off';

const PERCENTILES = 'percentile_disc(array[0.5, 0.99, 0.999]) within group (order by ms) as ms';

function percentilesOf(ms: readonly (number | null)[] | null | undefined): Percentiles {
  const [p50Ms, p99Ms, p999Ms] = [0, 1, 2].map((index) => ms?.[index] ?? Number.NaN);
  return { p50Ms: p50Ms ?? Number.NaN, p99Ms: p99Ms ?? Number.NaN, p999Ms: p999Ms ?? Number.NaN };
}

/** What happened to the end-to-end orders of one stretch of time, by the database's clock. */
export interface DeliveredInWindow extends Percentiles {
  readonly delivered: number;
}

/**
 * The bench's own session on the database under test. It reads and never writes. One client: its statements queue up
 * behind each other, so it takes at most one core's worth of the server's time, for a moment.
 */
export class BenchDatabase {
  private constructor(
    private readonly client: pg.Client,
    /** Orders that were open before the run: they wait for receipts that never come. */
    private readonly openBefore: number,
  ) {}

  static async open(url: string): Promise<BenchDatabase> {
    const client = new pg.Client({
      connectionString: url,
      application_name: 'heliograph-bench',
      options: PLAN,
      connectionTimeoutMillis: 10_000,
      query_timeout: 120_000,
    });
    client.on('error', () => undefined);
    await client.connect();
    const { rows } = await client.query<{ open: number }>(
      'select count(*)::float8 as open from message_order where due_at is not null',
    );
    return new BenchDatabase(client, rows[0]?.open ?? 0);
  }

  async close(): Promise<void> {
    await this.client.end();
  }

  async version(): Promise<string> {
    const [row] = await this.query<{ server_version: string }>('show server_version');
    return row?.server_version.split(' ')[0] ?? 'unknown';
  }

  /** The database's clock, in its own text form, so that no precision is lost on the way back. */
  async now(): Promise<string> {
    const [row] = await this.query<{ now: string }>('select clock_timestamp()::text as now');
    return row?.now ?? '';
  }

  /** How much the server has written to its log, ever, in bytes. */
  async walPosition(): Promise<number> {
    const [row] = await this.query<{ bytes: number }>(
      `select pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0')::float8 as bytes`,
    );
    return row?.bytes ?? Number.NaN;
  }

  /** Workers that say that they are alive. */
  async workersAlive(): Promise<number> {
    const [row] = await this.query<{ alive: number }>(
      `select count(*)::float8 as alive from process_heartbeat
        where role = 'worker' and seen_at > now() - interval '10 seconds'`,
    );
    return row?.alive ?? 0;
  }

  /** Orders that the accounts have placed, ever. */
  async acceptedOf(accountIds: readonly string[]): Promise<number> {
    const [row] = await this.query<{ accepted: number }>(
      'select sum(last_sequence)::float8 as accepted from account_balance where account_id = any($1)',
      [accountIds],
    );
    return row?.accepted ?? 0;
  }

  /** Orders of all accounts that somebody still has to look at. */
  async openOrders(): Promise<number> {
    const [row] = await this.query<{ open: number }>(
      'select count(*)::float8 as open from message_order where due_at is not null',
    );
    return Math.max(0, (row?.open ?? 0) - this.openBefore);
  }

  /** From the order's own times: accepted at `created_at`, delivered at `final_at`. */
  async deliveredBetween(accountIds: readonly string[], from: string, to: string): Promise<DeliveredInWindow> {
    const [row] = await this.query<{ delivered: number; ms: (number | null)[] | null }>(
      `select count(*)::float8 as delivered, ${PERCENTILES}
         from (select extract(epoch from final_at - created_at)::float8 * 1000 as ms
                 from message_order
                where account_id = any($1) and state = 'delivered'
                  and final_at >= $2::timestamptz and final_at < $3::timestamptz) as settled`,
      [accountIds, from, to],
    );
    return { delivered: row?.delivered ?? 0, ...percentilesOf(row?.ms) };
  }

  /** Orders of all accounts that were delivered in that time. Reads the whole table: not while time is taken. */
  async allDeliveredBetween(from: string, to: string): Promise<number> {
    const [row] = await this.query<{ delivered: number }>(
      `select count(*)::float8 as delivered from message_order
        where state = 'delivered' and final_at >= $1::timestamptz and final_at < $2::timestamptz`,
      [from, to],
    );
    return row?.delivered ?? 0;
  }

  /** Whether any of the accounts' first orders has been delivered. */
  async hasDelivered(accountIds: readonly string[]): Promise<boolean> {
    const rows = await this.query(
      `select from message_order where account_id = any($1) and sequence <= 5000 and state = 'delivered' limit 1`,
      [accountIds],
    );
    return rows.length > 0;
  }

  /** Messages of the accounts that a carrier has taken, counted up to so many. */
  async sentCountOf(accountIds: readonly string[], max: number): Promise<number> {
    const [row] = await this.query<{ sent: number }>(
      `select count(*)::float8 as sent from (
         select from message_order where account_id = any($1) and sequence <= $2 and sent_at is not null limit $2) o`,
      [accountIds, max],
    );
    return row?.sent ?? 0;
  }

  /** How the messages of the accounts came to the carrier: from `created_at` to `sent_at`, its answer stored. */
  async sentOf(accountIds: readonly string[]): Promise<Percentiles & { readonly perSecond: number }> {
    const [row] = await this.query<{ per_second: number | null; ms: (number | null)[] | null }>(
      `select count(*) / nullif(extract(epoch from max(sent_at) - min(created_at)), 0)::float8 as per_second, ${PERCENTILES}
         from (select created_at, sent_at, extract(epoch from sent_at - created_at)::float8 * 1000 as ms
                 from message_order where account_id = any($1) and sent_at is not null) as sent`,
      [accountIds],
    );
    return { perSecond: row?.per_second ?? Number.NaN, ...percentilesOf(row?.ms) };
  }

  /** What waits for turns of the accounts: how many rows point at how many messages. */
  async backlogOf(accountIds: readonly string[]): Promise<{ readonly rows: number; readonly messages: number }> {
    const [row] = await this.query<{ rows: number; messages: number }>(
      `select count(*)::float8 as rows,
              coalesce(sum(coalesce(cardinality(sequences), last_sequence - first_sequence + 1)), 0)::float8 as messages
         from dispatch_backlog where account_id = any($1)`,
      [accountIds],
    );
    return row ?? { rows: 0, messages: 0 };
  }

  /** Seconds between two of its times. */
  async secondsBetween(from: string, to: string): Promise<number> {
    const [row] = await this.query<{ seconds: number }>(
      'select extract(epoch from $2::timestamptz - $1::timestamptz)::float8 as seconds',
      [from, to],
    );
    return row?.seconds ?? Number.NaN;
  }

  /** How many orders of the accounts are in each state. */
  async statesOf(accountIds: readonly string[]): Promise<Record<string, number>> {
    const rows = await this.query<{ state: string; orders: number }>(
      'select state, count(*)::float8 as orders from message_order where account_id = any($1) group by state',
      [accountIds],
    );
    return Object.fromEntries(rows.map((row) => [row.state, row.orders]));
  }

  private async query<Row extends pg.QueryResultRow>(sql: string, parameters: readonly unknown[] = []): Promise<Row[]> {
    return (await this.client.query<Row>(sql, [...parameters])).rows;
  }
}
