-- Applies delivery receipts of one carrier, or stores those that match nothing yet as unmatched receipts
-- (parked_receipt). The caller acknowledges them to the carrier only after this has committed.
--
-- Guarantees: a receipt is applied or stored, never dropped, except for repeats without an end (store_unmatched).
--   Receipts are idempotent and monotone: delivered stays.
-- Matching: by the carrier's message id, one to the same number before others, then one without a receipt before
--   others, then the newest. (Carriers use ids again, so a segment to another number must still be waiting for a
--   receipt, and the receipt must be marked as one: may_mean_another_number.) If several receipts have one id, or with
--   p_by_reference: match_by_reference. (A fresh receipt may only be early, so it is not matched by its reference; see
--   rematch_receipts.)
-- p_unmarked: only its text says that it is a receipt, so a person may have written it.
-- Locks: order rows in the order of their ids, then segments, then those of derive_order_states.
--
-- Nearly all receipts are usual ones: each is for a sent order of one segment. Such an order goes where its receipt
-- says, and nothing needs to be derived from its segments. All others are for settle_other_receipts. ADR 32 has the
-- cost of both ways.
create or replace function settle_receipts(
  p_carrier_id integer, p_message_ids text[], p_references integer[], p_destinations text[], p_states text[],
  p_codes text[], p_unmarked boolean[], p_by_reference boolean, p_in_doubt_wait interval
) returns table (matched integer, parked integer)
language plpgsql set enable_seqscan = off set jit = off set enable_hashjoin = off set enable_mergejoin = off
set plan_cache_mode = force_generic_plan as $$
declare
  -- Of the receipts that match: their segments, their places in the arrays, and whether they mean a submit that was
  -- made again.
  v_orders    uuid[];
  v_positions smallint[];
  v_receipts  bigint[];
  v_by_doubt  boolean[];
  -- Of the usual receipts, as in record_submits.
  v_sent      uuid[];
  v_firsts    smallint[];
  v_states    text[];
  v_codes     text[];
  v_settled   uuid[] := '{}';
  v_locked    bigint;
  v_verdict   text;
  v_ids       uuid[];
  v_reasons   text[];
begin
  if p_by_reference or exists (select from unnest(p_message_ids) u group by u having count(*) > 1) then
    select array_agg(m.message_id), array_agg(m.position), array_agg(m.n), array_agg(m.by_doubt)
      into v_orders, v_positions, v_receipts, v_by_doubt
      from match_by_reference(p_carrier_id, p_message_ids, case when p_by_reference then p_references end,
                              p_destinations, p_states, p_unmarked) m;
  else
    -- The receipts of every day: only the carrier's message id is asked for, and each has another one.
    select array_agg(m.message_id), array_agg(m.position), array_agg(m.n),
           array_agg(m.message_id) filter (where m.is_usual), array_agg(m.position) filter (where m.is_usual),
           array_agg(m.state) filter (where m.is_usual), array_agg(m.code) filter (where m.is_usual)
      into v_orders, v_positions, v_receipts, v_sent, v_firsts, v_states, v_codes
      from (
        select distinct on (r.n) r.n, r.state, r.code, s.message_id, s.position,
               o.state = 'sent' and o.segments = 1 as is_usual
          from unnest(p_message_ids, p_destinations, p_states, p_codes, p_unmarked) with ordinality
               as r(message_id, destination, state, code, unmarked, n)
         -- (offset 0 keeps this order, also if the tables were empty when the planner saw them)
         cross join lateral (select * from segment s
                              where s.carrier_message_id = r.message_id and s.carrier_id = p_carrier_id offset 0) s
         cross join lateral (select o.state, o.segments, o.destination
                               from message_order o where o.id = s.message_id offset 0) o
         where is_same_number(o.destination, r.destination)
            or s.settled_at is null and not r.unmarked and may_mean_another_number(r.destination, s.submitted_at)
         order by r.n, is_same_number(o.destination, r.destination) desc, (s.settled_at is null) desc,
                  s.submitted_at desc) m;
  end if;

  matched := coalesce(cardinality(v_receipts), 0);
  parked := 0;
  if matched < cardinality(p_states) then
    parked := store_unmatched(p_carrier_id, p_message_ids, p_references, p_destinations, p_states, p_codes, p_unmarked,
                              v_receipts);
  end if;

  if v_orders is not null then
    select count(*) into v_locked
      from (select from message_order o where o.id = any(v_orders) order by o.id for update) l;
    -- If an order has several receipts here, settle_other_receipts decides which of them counts.
    if v_sent is not null and v_locked = cardinality(v_orders) then
      foreach v_verdict in array array['delivered', 'undelivered'] loop
        continue when v_verdict <> all(v_states);
        with settled as (
          update segment s
             set state = z.state::segment_state, carrier_code = z.code, settled_at = now()
            from unnest(v_sent, v_firsts, v_states, v_codes) as z(id, position, state, code)
           where z.state = v_verdict and s.message_id = z.id and s.position = z.position and s.state = 'accepted'
          returning z.id, z.code
        )
        select array_agg(z.id), array_agg(z.code) into v_ids, v_reasons from settled z;
        if v_ids is not null then
          perform move_orders(v_ids, 'sent', v_verdict::order_state, 'receipt', v_reasons);
          v_settled := v_settled || v_ids;
        end if;
      end loop;
    end if;
  end if;

  if cardinality(v_settled) < cardinality(v_orders) then
    perform settle_other_receipts(p_carrier_id, p_message_ids, p_references, p_destinations, p_states, p_codes,
                                  p_unmarked, p_by_reference, p_in_doubt_wait, v_orders, v_positions, v_receipts,
                                  v_by_doubt, v_settled);
  end if;
  return next;
end $$;
