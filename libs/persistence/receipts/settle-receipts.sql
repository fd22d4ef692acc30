-- Applies delivery receipts of one carrier, or parks those that match nothing yet. The caller acknowledges them to the
-- carrier only after this has committed.
--
-- Guarantees: a receipt is applied or parked, never dropped; receipts are idempotent and monotone (delivered stays).
-- Matching: by the carrier's message id, the newest segment first, one to the same destination before others (carriers
--   use ids again, so one to another destination must still be waiting for a receipt); without a match, and
--   only where p_by_reference asks for it, by the user_message_reference among the carrier's segments that have no id (in
--   doubt, or answered without one) and among submits in doubt that were made again: that one of them was delivered is the
--   truth, whatever became of the next. (A fresh receipt may only be early; see rematch_receipts.)
-- Locks: order rows by id, then segments, then balances (in conclude_orders).
--
-- Sent orders of one segment, which is nearly all, take one statement, and everything else conclude_orders: as in record_submits.
create or replace function settle_receipts(
  p_carrier_id integer, p_message_ids text[], p_references integer[], p_destinations text[], p_states text[],
  p_codes text[], p_by_reference boolean, p_in_doubt_wait interval
) returns table (matched integer, parked integer)
language plpgsql set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off
set plan_cache_mode = force_generic_plan as $$
declare
  v_orders    uuid[];
  v_positions smallint[];
  v_by_doubt  boolean[];
  v_receipts  integer[];
  v_locked    integer;
  -- Of the receipts for sent orders of one segment; their positions (1) are there to be joined by, as in record_submits.
  v_sent      uuid[];
  v_firsts    smallint[];
  v_states    text[];
  v_reasons   text[];
  v_settled   uuid[] := '{}';
  v_ids       uuid[];
  v_codes     text[];
  v_parked    integer;
begin
  if not p_by_reference then
    -- The receipts of every day: only the carrier's message id is asked for.
    select array_agg(m.message_id), array_agg(m.position), array_agg(m.n), array_agg(false),
           array_agg(m.message_id) filter (where m.is_sent), array_agg(m.position) filter (where m.is_sent),
           array_agg(m.state) filter (where m.is_sent), array_agg(m.code) filter (where m.is_sent)
      into v_orders, v_positions, v_receipts, v_by_doubt, v_sent, v_firsts, v_states, v_reasons
      from (
        select distinct on (r.n) r.n, r.state, r.code, s.message_id, s.position, o.state = 'sent' and o.segments = 1 as is_sent
          from unnest(p_message_ids, p_destinations, p_states, p_codes) with ordinality as r(message_id, destination, state, code, n)
         -- (offset 0: in this order, whatever the plan's maker believes of tables that were empty then)
         cross join lateral (select * from segment s where s.carrier_message_id = r.message_id and s.carrier_id = p_carrier_id offset 0) s
         cross join lateral (select o.state, o.segments, o.destination from message_order o where o.id = s.message_id offset 0) o
         where o.destination = r.destination or s.settled_at is null
         order by r.n, o.destination = r.destination desc, s.submitted_at desc) m;
  else
    select array_agg(m.message_id), array_agg(m.position), array_agg(m.n), array_agg(m.by_doubt)
      into v_orders, v_positions, v_receipts, v_by_doubt
      from (
        select r.n, coalesce(i.message_id, d.message_id) as message_id, coalesce(i.position, d.position) as position,
               i.message_id is null and d.made_again as by_doubt
          from unnest(p_message_ids, p_references, p_destinations, p_states) with ordinality
               as r(message_id, reference, destination, state, n)
          left join lateral (
            select s.message_id, s.position from segment s join message_order o on o.id = s.message_id
             where s.carrier_message_id = r.message_id and s.carrier_id = p_carrier_id
               and (o.destination = r.destination or s.settled_at is null)
             order by o.destination = r.destination desc, s.submitted_at desc limit 1) i on true
          left join lateral (
            select x.message_id, x.position, x.made_again
              from (select s.message_id, s.position, s.submitted_at, false as made_again
                      from segment s join message_order o on o.id = s.message_id
                     where s.in_doubt_since is not null and s.carrier_id = p_carrier_id and o.destination = r.destination
                       and segment_reference(s.message_id, s.position) = r.reference
                     union all
                    select f.message_id, f.position, f.submitted_at, true
                      from doubtful_submit f
                     where f.carrier_id = p_carrier_id and f.destination = r.destination and f.reference = r.reference
                       and r.state = 'delivered') x
             where i.message_id is null and r.reference is not null
             order by x.submitted_at desc limit 1) d on true) m
     where m.message_id is not null;
  end if;

  if v_orders is not null then
    select count(*) into v_locked
      from (select from message_order o where o.id = any(v_orders) order by o.id for update) l;
    -- Which of several receipts for one message counts is decided below.
    if v_sent is not null and v_locked = cardinality(v_orders) then
      with settled as (
        update segment s
           set state = z.state::segment_state, carrier_code = z.code, settled_at = now()
          from unnest(v_sent, v_firsts, v_states, v_reasons) as z(id, position, state, code)
         where s.message_id = z.id and s.position = z.position and s.state = 'accepted'
        returning z.id, z.state, z.code
      ), moved as (
        update message_order o
           set state = z.state::order_state, carrier_code = coalesce(z.code, o.carrier_code), final_at = clock_timestamp(), due_at = null
          from settled z
         where o.id = z.id
      ), logged as (
        insert into order_transition (message_id, at, from_state, to_state, actor, carrier_code)
        select z.id, clock_timestamp(), 'sent', z.state::order_state, 'receipt', z.code from settled z
      )
      select coalesce(array_agg(z.id), '{}') into v_settled from settled z;
    end if;
  end if;

  if cardinality(v_settled) < cardinality(v_orders) then
    update segment s
       set state = b.state::segment_state, carrier_code = b.code, settled_at = now(), in_doubt_since = null,
           accepted_at = coalesce(s.accepted_at, now()),
           carrier_message_id = coalesce(s.carrier_message_id, b.carrier_message_id)
      from (select distinct on (m.id, m.position) m.id, m.position, m.by_doubt, p_states[m.n] as state, p_codes[m.n] as code,
                   p_message_ids[m.n] as carrier_message_id
              from unnest(v_orders, v_positions, v_receipts, v_by_doubt) as m(id, position, n, by_doubt)
             where m.id <> all(v_settled)
             order by m.id, m.position, p_states[m.n] = 'delivered' desc) b
     where s.message_id = b.id and s.position = b.position
       and (s.state in ('accepted', 'in_doubt', 'unknown') or (s.state = 'undelivered' and b.state = 'delivered')
            or (s.state = 'pending' and s.in_doubt_since is not null)
            or (b.by_doubt and s.state in ('submitting', 'pending')));

    select array_agg(g.id), array_agg(g.code) into v_ids, v_codes
      from (select m.id, max(p_codes[m.n]) as code from unnest(v_orders, v_receipts) as m(id, n)
             where m.id <> all(v_settled) group by m.id) g;
    perform conclude_orders(v_ids, array_fill(null::integer, array[cardinality(v_ids)]),
                            array_fill(false, array[cardinality(v_ids)]), array_fill(0, array[cardinality(v_ids)]),
                            v_codes, 'receipt', p_in_doubt_wait);
  end if;

  v_parked := 0;
  if coalesce(cardinality(v_receipts), 0) < cardinality(p_states) then
    insert into parked_receipt (carrier_id, carrier_message_id, user_message_reference, destination, state, carrier_code)
    select p_carrier_id, coalesce(r.message_id, ''), r.reference, r.destination, r.state, r.code
      from unnest(p_message_ids, p_references, p_destinations, p_states, p_codes) with ordinality
           as r(message_id, reference, destination, state, code, n)
     where v_receipts is null or r.n <> all(v_receipts)
    on conflict do nothing;
    get diagnostics v_parked = row_count;
  end if;
  return query select coalesce(cardinality(v_receipts), 0), v_parked;
end $$;

-- The 16-bit user_message_reference (SMPP 3.4 section 5.3.2.17) of a segment; the worker computes the same.
create or replace function segment_reference(p_message_id uuid, p_position smallint) returns integer
language sql immutable parallel safe as $$
  select ((('x' || right(p_message_id::text, 4))::bit(16)::integer) + p_position) & 65535
$$;
