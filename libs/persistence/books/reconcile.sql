-- Compares the lines of a carrier's records (cdr_line) with the segments that the carrier has taken, by the carrier's
-- message id, and writes what differs into cdr_difference.
--
-- One id is one submit: a segment, or a whole message where the carrier cuts messages itself. A difference has one
-- kind, the first that fits:
--   missing   the carrier took it in the period, and the file has no line for it
--   extra     the file has a line for an id that this service does not know
--   doubled   several lines, each for all of its segments
--   segments  another number of segments
--   cost      another amount than the segments ought to cost
--   refunded  everything agrees, and the client got the money back
-- Locks: none but the reconciliation itself. The database sorts on disk what does not fit into work_mem.

create or replace function compare_reconciliation(p_reconciliation_id text) returns jsonb
language plpgsql set jit = off as $$
declare
  r         reconciliation%rowtype;
  v_from    timestamptz;
  v_to      timestamptz;
  v_edge    interval;
  -- As margin() does: a cost is looked up once for each prefix that may have one, and each period.
  v_digits  integer;
  v_starts  timestamptz[];
  v_summary jsonb;
begin
  select * into strict r from reconciliation n where n.reconciliation_id = p_reconciliation_id for update;
  if r.summary is not null then
    return r.summary;
  end if;
  select coalesce(r.from_at, min(l.at)), coalesce(r.to_at, max(l.at) + interval '1 microsecond') into v_from, v_to
    from cdr_line l where l.reconciliation_id = p_reconciliation_id;
  v_edge := make_interval(secs => r.edge_seconds);
  select coalesce(max(length(p.prefix)), 1) into v_digits
    from (select c.prefix from carrier_cost c where c.carrier_id = r.carrier_id
          union all select t.prefix from route t where t.carrier_id = r.carrier_id) p;
  select coalesce(array_agg(distinct c.valid_from order by c.valid_from), '{-infinity}') into v_starts
    from carrier_cost c where c.carrier_id = r.carrier_id;

  with theirs as materialized (
    select l.carrier_message_id, min(l.line) as first_line, count(*)::integer as lines, sum(l.parts)::integer as parts,
           min(l.parts) as low, max(l.parts) as high, sum(l.cost)::bigint as cost
      from cdr_line l where l.reconciliation_id = p_reconciliation_id group by l.carrier_message_id
  ), sent as (
    -- The segments of the lines, whenever they were sent, and those of the period.
    select s.carrier_message_id, s.message_id, o.account_id, o.destination,
           coalesce(s.accepted_at, s.submitted_at) as sent_at, case when s.whole then o.segments else 1 end as parts,
           o.price / o.segments as unit_price, o.amount < o.price and not is_charged(o, s) as is_refunded,
           (coalesce(s.accepted_at, s.submitted_at) >= v_from
            and coalesce(s.accepted_at, s.submitted_at) < v_to) is true as is_in_period
      from segment s join message_order o on o.id = s.message_id
     where s.carrier_id = r.carrier_id and s.carrier_message_id is not null
       and (coalesce(s.accepted_at, s.submitted_at) >= v_from and coalesce(s.accepted_at, s.submitted_at) < v_to
            or s.carrier_message_id in (select t.carrier_message_id from theirs t))
    -- (what is sorted below are these columns, and not whole messages with their texts)
    offset 0
  ), messages as (
    select s.carrier_message_id, s.message_id, s.account_id, s.destination, min(s.sent_at) as sent_at,
           sum(s.parts) as parts, sum(case when s.is_refunded then 0 else s.unit_price * s.parts end) as billed,
           bool_and(s.is_refunded) as is_refunded, bool_or(s.is_in_period) as is_in_period
      from sent s group by s.carrier_message_id, s.message_id, s.account_id, s.destination
  ), taken as materialized (
    select m.carrier_message_id, (array_agg(m.message_id))[1] as message_id, min(m.account_id) as account_id,
           min(m.destination) as destination, min(m.sent_at) as sent_at, sum(m.parts)::integer as parts,
           sum(m.billed)::bigint as billed, bool_and(m.is_refunded) as is_refunded
      -- Carriers use ids again: the messages of the period are meant or, if it has none with this id, the newest one.
      from (select n.*, rank() over (partition by n.carrier_message_id
                                     order by n.is_in_period desc, case when not n.is_in_period then n.sent_at end desc)
                          as place
              from messages n) m
     where m.place = 1 group by m.carrier_message_id
  ), costs as materialized (
    select d.digits, d.n,
           coalesce(r.unit_cost,
                    (select c.cost from segment_cost(r.carrier_id, d.digits, d.at) c
                      where c.currency = r.currency)) as unit_cost
      from (select left(t.destination, v_digits) as digits, width_bucket(t.sent_at, v_starts) as n, min(t.sent_at) as at
              from taken t group by 1, 2) d
  ), compared as (
    select carrier_message_id, t.first_line, t.lines, t.parts as charged_segments, t.cost as charged_cost,
           k.message_id, k.account_id, k.destination, k.sent_at, k.parts as sent_segments,
           k.billed, a.currency as billed_currency,
           c.unit_cost * k.parts as expected_cost,
           case when t.lines is null and (k.sent_at < v_from + v_edge or k.sent_at >= v_to - v_edge) then 'edge'
                when t.lines is null then 'missing'
                when k.parts is null then 'extra'
                when t.lines > 1 and t.parts <> k.parts and t.low = k.parts and t.high = k.parts then 'doubled'
                when t.parts <> k.parts then 'segments'
                when abs(t.cost - c.unit_cost * k.parts) > r.tolerance * k.parts then 'cost'
                when k.is_refunded then 'refunded'
                else 'equal' end as kind
      from theirs t full join taken k using (carrier_message_id)
      left join costs c on c.digits = left(k.destination, v_digits) and c.n = width_bucket(k.sent_at, v_starts)
      left join account a on a.account_id = k.account_id
  ), stored as (
    insert into cdr_difference
    select p_reconciliation_id, row_number() over (order by c.first_line, c.sent_at, c.carrier_message_id), c.kind,
           c.carrier_message_id, c.message_id, c.account_id, c.sent_at, c.sent_segments, c.billed,
           c.billed_currency, c.expected_cost, c.first_line, c.lines, c.charged_segments, c.charged_cost
      from compared c where c.kind not in ('equal', 'edge')
  ), kinds as (
    select c.kind, count(*) as ids, coalesce(sum(c.lines), 0) as lines,
           coalesce(sum(c.sent_segments), 0) as sent_segments,
           coalesce(sum(c.charged_segments), 0) as charged_segments,
           coalesce(sum(c.expected_cost), 0)::text as expected_cost,
           coalesce(sum(c.charged_cost), 0)::text as charged_cost
      from compared c group by c.kind
  ), billed as (
    select c.billed_currency as currency, sum(c.billed)::text as amount
      from compared c where c.kind <> 'edge' and c.billed_currency is not null group by c.billed_currency
  )
  select jsonb_build_object(
           'from', v_from, 'to', v_to,
           'kinds', (select coalesce(jsonb_agg(to_jsonb(k) order by k.kind), '[]') from kinds k),
           'billed', (select coalesce(jsonb_agg(to_jsonb(b) order by b.currency), '[]') from billed b),
           'withoutCost', (select count(*) from compared c
                           where c.kind <> 'edge' and c.sent_segments > 0 and c.expected_cost is null))
    into v_summary;
  delete from cdr_line l where l.reconciliation_id = p_reconciliation_id;
  update reconciliation n set summary = v_summary, compared_at = now() where n.reconciliation_id = p_reconciliation_id;
  return v_summary;
end $$;
