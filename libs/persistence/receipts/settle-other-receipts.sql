-- Applies the receipts that are not usual ones to their segments, and moves the orders as the states of their segments
-- say. settle_receipts has found their segments and locked their orders, and says what it guarantees; its planner
-- settings (ADR 33) apply here too.
--
-- p_orders, p_positions, p_receipts, p_by_doubt: of the receipts that match, their segments, their places in the other
--   arrays, and whether they mean a submit that was made again (null: none does).
-- p_settled: orders whose receipts have been applied already.
create or replace function settle_other_receipts(
  p_carrier_id integer, p_message_ids text[], p_references integer[], p_destinations text[], p_states text[],
  p_codes text[], p_unmarked boolean[], p_by_reference boolean, p_in_doubt_wait interval,
  p_orders uuid[], p_positions smallint[], p_receipts bigint[], p_by_doubt boolean[], p_settled uuid[]
) returns void
language plpgsql as $$
declare
  v_late   bigint[];
  v_orders uuid[];
  v_codes  text[];
begin
  -- The segment has its receipt, from this call or another one, but a segment with the same id still waits, or may
  -- get its response yet: rematch_receipts gives it the receipt. (If it improves this segment, it counts at once.)
  select coalesce(array_agg(m.n), '{}') into v_late
    from (select u.*, row_number() over (partition by u.id, u.position
                                         order by p_states[u.n] = 'delivered' desc) as nth
            from unnest(p_orders, p_positions, p_receipts) as u(id, position, n) where u.id <> all(p_settled)) m
    join segment s on s.message_id = m.id and s.position = m.position
   where (s.settled_at is not null or m.nth > 1)
     and (exists (select from segment w join message_order o on o.id = w.message_id
                   where w.carrier_message_id = p_message_ids[m.n] and w.carrier_id = p_carrier_id
                     and w.settled_at is null and (w.message_id, w.position) <> (m.id, m.position)
                     and is_same_number(o.destination, p_destinations[m.n]))
          or not p_by_reference and (s.state <> 'undelivered' or p_states[m.n] = 'undelivered')
             and exists (select from message_order o where o.id = m.id and o.state = 'sending'));
  insert into parked_receipt
    (carrier_id, carrier_message_id, user_message_reference, destination, state, carrier_code, unmarked)
  select p_carrier_id, coalesce(p_message_ids[n], ''), p_references[n], p_destinations[n], p_states[n], p_codes[n],
         p_unmarked[n]
    from unnest(v_late) n;

  update segment s
     set state = b.state::segment_state, carrier_code = b.code, settled_at = b.at, in_doubt_since = null,
         accepted_at = coalesce(s.accepted_at, b.at),
         carrier_message_id = coalesce(s.carrier_message_id, b.carrier_message_id),
         -- The submit that is the truth may be one to another carrier.
         carrier_id = case when b.by_doubt and s.carrier_message_id is null then p_carrier_id else s.carrier_id end
    -- (not the time of the transaction: an order that has failed may have been waited for)
    from (select distinct on (m.id, m.position) m.id, m.position, m.by_doubt, clock_timestamp() as at,
                 p_states[m.n] as state, p_codes[m.n] as code, p_message_ids[m.n] as carrier_message_id
            from unnest(p_orders, p_positions, p_receipts, p_by_doubt) as m(id, position, n, by_doubt)
           where m.id <> all(p_settled) and m.n <> all(v_late)
           order by m.id, m.position, p_states[m.n] = 'delivered' desc) b
   where s.message_id = b.id and s.position = b.position
     and (s.state in ('accepted', 'in_doubt', 'unknown') or (s.state = 'undelivered' and b.state = 'delivered')
          or (s.state = 'pending' and s.in_doubt_since is not null)
          or (b.by_doubt and s.state in ('submitting', 'pending')));

  select array_agg(m.id), array_agg(p_codes[m.n]) into v_orders, v_codes
    from unnest(p_orders, p_receipts) as m(id, n) where m.id <> all(p_settled);
  perform derive_order_states(v_orders, 'receipt', p_in_doubt_wait, v_codes);
end $$;
