import type pg from 'pg';
import { UNIT_PRICE } from '../accounts.js';
import type { Violation } from '../check/evidence.js';

const EXAMPLES_MAX = 10;

/**
 * An order that was undelivered leaves that state only for delivered. So one with a segment that was failed first and delivered
 * then, and another that never had a receipt, ends as undelivered or unknown, by the moment at which the receipts came.
 *
 * What must not be found, and which invariant it breaks when it is. Each finds rows of any shape; a few are shown.
 */
const FORBIDDEN: readonly { readonly invariant: string; readonly says: string; readonly sql: string }[] = [
  {
    invariant: 'I1',
    says: 'accepted messages are not in the database under their ids',
    sql: `select a.* from faults.accepted a left join message_order o on o.id = a.id
           where o.id is null or substring(o.message from '<([a-z][0-9]+\\.[0-9]+)>') is distinct from a.name
              or o.segments <> a.segments`,
  },
  {
    invariant: 'I2',
    says: 'orders are in the database that were not accepted',
    sql: `select o.id, o.state from message_order o left join faults.accepted a on a.id = o.id where a.id is null`,
  },
  {
    invariant: 'I3',
    says: 'segments did not reach the carrier, or are of no order',
    sql: `select a.name, a.id, a.segments, t.positions, t.name as taken_name
            from faults.accepted a
            full join (select name, count(distinct position) as positions from faults.taken group by name) t on t.name = a.name
           where t.positions is distinct from a.segments`,
  },
  {
    invariant: 'I4',
    says: 'segments were taken twice',
    sql: `select name, position, array_agg(carrier_message_id) as ids from faults.taken
           group by name, position having count(*) > 1`,
  },
  {
    invariant: 'I10',
    says: 'messages went out otherwise than they were billed: by number, order and text of their segments',
    sql: `select a.name, a.segments, t.pieces, t.totals
            from faults.accepted a join message_order o on o.id = a.id
            join (select name, string_agg(text, '' order by position) as text, array_agg(position order by position) as pieces,
                         array_agg(distinct total) as totals from faults.taken group by name) t on t.name = a.name
           where t.text <> o.message or t.totals <> array[a.segments]
              or t.pieces <> array(select p::smallint from generate_series(1, a.segments) p)`,
  },
  {
    invariant: 'I7',
    says: 'orders have transitions that do not lead from queued to where they are',
    sql: `select o.id, o.state from message_order o
            left join (select message_id, count(*) filter (where from_state = 'queued') as left_queued,
                              count(*) filter (where to_state = 'queued') as back,
                              max(at) as last_at from order_transition group by message_id) t on t.message_id = o.id
           where t.left_queued is distinct from t.back + 1
              or not exists (select from order_transition e where e.message_id = o.id and e.to_state = o.state)`,
  },
  {
    invariant: 'I8',
    says: 'orders are still open',
    sql: `select id, state from message_order where due_at is not null or state in ('queued', 'sending', 'sent')`,
  },
  {
    invariant: 'I9',
    says: 'segments are not in the state that their receipts say',
    sql: `select t.name, t.position, t.carrier_message_id, t.truth, s.state
            from faults.taken t join faults.accepted a on a.name = t.name
            left join segment s on s.message_id = a.id and s.position = t.position
           where s.state is null
              or case t.truth when 'unsettled' then s.state::text not in ('accepted', 'unknown') else s.state::text <> split_part(t.truth, '-', 1) end`,
  },
  {
    invariant: 'I9',
    says: 'orders are not in the state that their receipts say',
    sql: `with told as (
            select a.id, a.name, case when bool_or(t.truth = 'undelivered') then 'undelivered'
                                      when bool_and(t.truth like 'delivered%') then 'delivered' else 'unknown' end as truth,
                   bool_or(t.truth = 'delivered-contradicted') as is_contradicted
              from faults.taken t join faults.accepted a on a.name = t.name group by a.id, a.name)
          select d.*, o.state from told d join message_order o on o.id = d.id
           where o.state::text <> d.truth and not (d.truth = 'unknown' and d.is_contradicted and o.state = 'undelivered')`,
  },
  {
    invariant: 'I9',
    says: 'receipts for ids that nobody was given are not parked, or others are',
    sql: `select r.carrier_message_id as sent, p.carrier_message_id as parked, p.state
            from faults.orphan r full join parked_receipt p on p.carrier_message_id = r.carrier_message_id
           where r.carrier_message_id is null or p.carrier_message_id is null`,
  },
  {
    invariant: 'I6',
    says: 'accounts were not charged what the carrier took of them',
    sql: `select b.account_id, b.captured, b.reserved, d.due
            from account_balance b
            left join (select o.account_id, count(*) * ${UNIT_PRICE} as due
                         from (select distinct name, position from faults.taken) t
                         join faults.accepted a on a.name = t.name join message_order o on o.id = a.id
                        group by o.account_id) d on d.account_id = b.account_id
           where b.reserved <> 0 or b.captured <> coalesce(d.due, 0)`,
  },
];

/** Compares every order, segment and parked receipt with the oracle, a set at a time. */
export async function judgeReceipts(database: pg.Client): Promise<Violation[]> {
  await database.query('analyze');
  const violations: Violation[] = [];
  for (const { invariant, says, sql } of FORBIDDEN) {
    const found = await database.query<{ found: number; examples: unknown[] | null }>(
      `with found as materialized (${sql})
       select (select count(*)::integer from found) as found,
              (select json_agg(f) from (select * from found limit ${EXAMPLES_MAX}) f) as examples`,
    );
    const [row] = found.rows;
    if (row === undefined || row.found === 0) continue;
    const lines = (row.examples ?? []).map((example) => JSON.stringify(example));
    violations.push({ invariant, says: `${row.found} ${says}`, lines });
  }
  return violations;
}
