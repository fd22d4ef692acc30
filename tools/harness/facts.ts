import type { PostgresServer } from './servers.js';
import type { Percentiles } from './statistics.js';

/** Middle and tail of `ms`; PostgreSQL sorts once for all of them. */
const PERCENTILES = [50, 99, 999]
  .map((share) => `coalesce(percentile_disc(0.${share}) within group (order by ms), 'NaN') as "p${share}Ms"`)
  .join(', ');

/**
 * What the database of a run says. All that bench and faults know of the service's tables, but for the evidence that a
 * run of the faults is judged by, stands here. It reads and never writes, and takes at most one core's worth of the
 * server's time, for a moment.
 */
export class Facts {
  /** Orders that were open before the run: they wait for receipts that never come. */
  private openBefore = 0;
  /** Asked by everybody who waits for it at the same time. */
  private oldestWaitingMs: Promise<number> | undefined;

  constructor(private readonly postgres: PostgresServer) {}

  async leaveOutOpenOrders(): Promise<void> {
    this.openBefore = await this.openOrders();
  }

  async version(): Promise<string> {
    return (await this.value<string>(`select split_part(current_setting('server_version'), ' ', 1)`)) ?? '';
  }

  /** The database's clock, in its own text form, so that no precision is lost on the way back. */
  async now(): Promise<string> {
    return (await this.value<string>('select clock_timestamp()::text')) ?? '';
  }

  /** How much the server has written to its log, ever, in bytes. */
  walPosition(): Promise<number> {
    return this.number(`select pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0')`);
  }

  /** Workers that say that they are alive. */
  workersAlive(): Promise<number> {
    return this.number(
      `select count(*) from process_heartbeat where role = 'worker' and seen_at > now() - interval '10 seconds'`,
    );
  }

  /** Orders that these accounts, or all, have placed, ever. */
  acceptedOf(accountIds?: readonly string[]): Promise<number> {
    const sql = 'select sum(last_sequence) from account_balance where $1::bigint[] is null or account_id = any($1)';
    return this.number(sql, accountIds ?? null);
  }

  /** Orders of all accounts that somebody still has to look at. */
  async openOrders(): Promise<number> {
    const open = await this.number(
      `select (select count(*) from message_order where due_at is not null)
            + (select coalesce(sum(last_sequence - first_sequence + 1), 0) from order_schedule)`,
    );
    return Math.max(0, open - this.openBefore);
  }

  /** How often messages of these accounts, or of all, have come to one of these statuses: once for each message. */
  changesTo(statuses: readonly string[], accountIds?: readonly string[]): Promise<number> {
    return this.number(
      `select count(distinct (message_id, to_state)) from order_transition where to_state = any($1::order_state[])
          and ($2::bigint[] is null or message_id in (select id from message_order where account_id = any($2)))`,
      statuses,
      accountIds ?? null,
    );
  }

  batches(): Promise<number> {
    return this.number('select count(*) from message_batch');
  }

  /**
   * From the order's own times: accepted at `created_at`, delivered at `final_at`. Of all accounts it reads the whole
   * table: not while time is taken.
   */
  deliveredBetween(
    from: string,
    to: string,
    accountIds?: readonly string[],
  ): Promise<Percentiles & { readonly delivered: number; readonly perSecond: number }> {
    return this.postgres.row(
      `select count(*)::float8 as delivered, ${PERCENTILES},
              count(*) / extract(epoch from $2::timestamptz - $1::timestamptz)::float8 as "perSecond"
         from (select extract(epoch from final_at - created_at)::float8 * 1000 as ms
                 from message_order
                where ($3::bigint[] is null or account_id = any($3)) and state = 'delivered'
                  and final_at >= $1::timestamptz and final_at < $2::timestamptz) as settled`,
      from,
      to,
      accountIds ?? null,
    );
  }

  /** Messages of the accounts that a carrier has taken, counted up to so many. */
  sentCountOf(accountIds: readonly string[], max: number): Promise<number> {
    return this.number(
      `select count(*) from (
         select from message_order where account_id = any($1) and sequence <= $2 and sent_at is not null limit $2) o`,
      accountIds,
      max,
    );
  }

  /** How the messages of the accounts came to the carrier: from `created_at` to `sent_at`, its answer stored. */
  sentOf(accountIds: readonly string[]): Promise<Percentiles & { readonly perSecond: number }> {
    return this.postgres.row(
      `select coalesce(count(*) / nullif(extract(epoch from max(sent_at) - min(created_at)), 0)::float8, 'NaN')
                as "perSecond", ${PERCENTILES}
         from (select created_at, sent_at, extract(epoch from sent_at - created_at)::float8 * 1000 as ms
                 from message_order where account_id = any($1) and sent_at is not null) as sent`,
      accountIds,
    );
  }

  /** The backlog of the accounts: how many rows point at how many messages. */
  backlogOf(accountIds: readonly string[]): Promise<{ readonly rows: number; readonly messages: number }> {
    return this.postgres.row(
      `select count(*)::float8 as rows,
              coalesce(sum(coalesce(cardinality(sequences), last_sequence - first_sequence + 1)), 0)::float8 as messages
         from dispatch_backlog where account_id = any($1)`,
      accountIds,
    );
  }

  /** How many orders of the accounts are in each state. */
  async statesOf(accountIds: readonly string[]): Promise<Record<string, number>> {
    const rows = await this.postgres.query<{ state: string; orders: number }>(
      'select state, count(*)::float8 as orders from message_order where account_id = any($1) group by state',
      [accountIds],
    );
    return Object.fromEntries(rows.map(({ state, orders }) => [state, orders]));
  }

  /**
   * Whether a carrier's answer has come that is younger than the given moment, for a message that was claimed since.
   */
  async hasDispatchedSince(fromMs: number): Promise<boolean> {
    const sql = `select exists (
       select from segment where accepted_at > $1::timestamptz and submitted_at > $1::timestamptz)`;
    return (await this.value<boolean>(sql, new Date(fromMs).toISOString())) === true;
  }

  /** Whether an order still waits to be claimed that could have been sent before the given moment. */
  async isWaitingSince(fromMs: number): Promise<boolean> {
    // Faults wait for this at the same time, and the answer costs a look at every open order.
    this.oldestWaitingMs ??= this.number(
      `select coalesce(extract(epoch from min(sendable_since(o))) * 1000, 'infinity')
         from message_order o where due_at is not null and state = 'queued'`,
    ).finally(() => {
      this.oldestWaitingMs = undefined;
    });
    return (await this.oldestWaitingMs) < fromMs;
  }

  /** Orders that the worker with that pid held, and that nobody has claimed anew, ended, or recorded as in doubt. */
  unattendedOf(pid: number): Promise<number> {
    return this.number(
      `select count(*) from message_order o
        where o.due_at is not null and o.state = 'sending' and o.owner like $1
          and not exists (select from segment s where s.message_id = o.id and s.state = 'in_doubt')`,
      `worker-%-${pid}-%`,
    );
  }

  /** Webhooks that the webhooks process with that pid has. */
  webhooksOf(pid: number): Promise<number> {
    return this.number('select count(*) from webhook_progress where owner like $1', `webhooks-%-${pid}-%`);
  }

  /**
   * Segments in doubt that were sent again, and orders in doubt that a receipt or a late answer settled: an order that
   * a receipt moved to `sent` had no answer for one of its segments.
   */
  inDoubt(): Promise<{ readonly again: number; readonly byReceipt: number }> {
    return this.postgres.row(
      `select (select count(*)::integer from doubtful_submit) as again,
              (select count(*)::integer from order_transition
                where to_state = 'sent' and (actor = 'receipt' or from_state = 'queued')) as "byReceipt"`,
    );
  }

  /** What an account has spent in millionths, and how many orders it has. */
  spentBy(accountId: string): Promise<{ readonly spent: bigint; readonly orders: number }> {
    return this.postgres.row(
      `select b.reserved + b.captured - b.deposited as spent,
              (select count(*)::integer from message_order o where o.account_id = b.account_id) as orders
         from account_balance b where b.account_id = $1`,
      accountId,
    );
  }

  /**
   * Orders whose validity is not that of the others, and those that were created at a time that their neighbours deny.
   * Sequences of an account are given in the order of its commits: their times may differ by what a commit takes.
   */
  wrongTimes(
    slack: string,
  ): Promise<{ readonly orders: number; readonly validity: number; readonly unordered: number }> {
    return this.postgres.row(
      `with told as (
         select valid_until - coalesce(send_at, created_at) as validity, created_at,
                lag(created_at) over (partition by account_id order by sequence) as before
           from message_order)
       select count(*)::integer as orders,
              count(*) filter (where validity <>
                (select mode() within group (order by validity) from told))::integer as validity,
              count(*) filter (where created_at < before - $1::interval or created_at > now())::integer as unordered
         from told`,
      slack,
    );
  }

  private async value<Value>(sql: string, ...values: readonly unknown[]): Promise<Value | null> {
    const row = await this.postgres.row<{ value: Value | null }>(`select (${sql}) as value`, ...values);
    return row.value;
  }

  /** 0 where there is none. */
  private async number(sql: string, ...values: readonly unknown[]): Promise<number> {
    return (await this.value<number>(`select (${sql})::float8`, ...values)) ?? 0;
  }
}
