-- What carriers charge for a segment, and what is left of the price.

-- What a segment to a number costs that a carrier took at p_at: by the longest prefix of the carrier's costs that held
-- then, else by that of its routes now. Null: it is not known.
create or replace function segment_cost(
  p_carrier_id integer, p_destination text, p_at timestamptz, out cost bigint, out currency text
)
language sql stable as $$
  select f.cost, f.currency
    from (select c.cost, c.currency, c.prefix, 1 as rank
            from carrier_cost c
           where c.carrier_id = p_carrier_id and left(p_destination, length(c.prefix)) = c.prefix
             and c.valid_from = (select max(v.valid_from) from carrier_cost v
                                  where v.carrier_id = p_carrier_id and v.valid_from <= p_at)
          union all
          select r.cost, r.currency, r.prefix, 2
            from route r
           where r.carrier_id = p_carrier_id and r.cost is not null
             and left(p_destination, length(r.prefix)) = r.prefix) f
   order by f.rank, length(f.prefix) desc limit 1
$$;

-- Whether a segment that a carrier took is among those that a message is charged for which costs less than its price: a
-- failed message is charged for what was taken by then, not for what turned out to be taken later.
create or replace function is_charged(o message_order, s segment) returns boolean language sql stable as $$
  select count(*) < o.amount / (o.price / o.segments)
    from segment e
   where e.message_id = o.id and e.state in ('accepted', 'delivered', 'undelivered', 'unknown')
     and (coalesce(e.accepted_at, e.submitted_at), e.position) < (coalesce(s.accepted_at, s.submitted_at), s.position)
$$;

-- What carriers took from p_from on and before p_to, by carrier, country calling code and the currencies of price and
-- cost: segments, what clients were billed for them, and what they cost. Segments that were refunded have a cost and no
-- revenue. It reads all segments once; costs are looked up once for each prefix that may have one, and each period.
create or replace function margin(p_from timestamptz, p_to timestamptz) returns table (
  carrier_id integer, destination text, currency text, cost_currency text, segments bigint, revenue bigint, cost bigint,
  segments_without_cost bigint
) language plpgsql stable set jit = off as $$
declare
  v_digits integer;
begin
  select greatest(3, max(length(p.prefix))) into v_digits
    from (select c.prefix from carrier_cost c union all select r.prefix from route r) p;
  v_digits := coalesce(v_digits, 3);
  return query
  with period as (
    select c.carrier_id, array_agg(distinct c.valid_from order by c.valid_from) as starts
      from carrier_cost c group by c.carrier_id
  ), billed as (
    select s.carrier_id, left(o.destination, v_digits) as digits, o.account_id,
           coalesce(s.accepted_at, s.submitted_at) as at,
           case when s.whole then o.segments else 1 end as segments,
           case when o.amount < o.price and not is_charged(o, s) then 0
                else o.price / o.segments * case when s.whole then o.segments else 1 end end as revenue
      from segment s
      join message_order o on o.id = s.message_id
     where s.carrier_id > 0 and s.state in ('accepted', 'delivered', 'undelivered', 'unknown')
       and coalesce(s.accepted_at, s.submitted_at) >= p_from and coalesce(s.accepted_at, s.submitted_at) < p_to
    -- (what is sorted below are these few columns, and not whole messages with their texts)
    offset 0
  ), taken as materialized (
    select b.carrier_id, b.digits, a.currency, width_bucket(b.at, coalesce(p.starts, '{-infinity}')) as n,
           min(b.at) as at, sum(b.segments) as segments, sum(b.revenue) as revenue
      from billed b
      join account a on a.account_id = b.account_id
      left join period p on p.carrier_id = b.carrier_id
     group by 1, 2, 3, 4
  )
  select t.carrier_id, calling_code(t.digits), t.currency, c.currency, sum(t.segments)::bigint, sum(t.revenue)::bigint,
         coalesce(sum(t.segments * c.cost), 0)::bigint,
         coalesce(sum(t.segments) filter (where c.cost is null), 0)::bigint
    from taken t left join lateral segment_cost(t.carrier_id, t.digits, t.at) c on true
   group by 1, 2, 3, 4 order by 1, 2, 3, 4;
end $$;
