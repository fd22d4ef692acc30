-- Takes intermediate notices of one carrier (queued, sent, ENROUTE) for the answers to submits in doubt: the carrier
-- has those messages, so they are not sent again (ADR 11). A notice that names nothing in doubt changes nothing. It is
-- not stored: the receipt that comes later does as much.
--
-- Locks: those of record_submits.
create or replace function believe_notices(
  p_carrier_id integer, p_message_ids text[], p_references integer[], p_destinations text[], p_in_doubt_wait interval
) returns void
language plpgsql set enable_seqscan = off set jit = off set enable_hashjoin = off set enable_mergejoin = off
set plan_cache_mode = force_generic_plan as $$
declare
  v_none      integer[] := array_fill(0, array[cardinality(p_message_ids)]);
  v_orders    uuid[];
  v_positions smallint[];
  v_epochs    integer[];
  v_ids       text[];
begin
  select array_agg(s.message_id), array_agg(s.position), array_agg(s.epoch), array_agg(p_message_ids[m.n])
    into v_orders, v_positions, v_epochs, v_ids
    from match_by_reference(p_carrier_id, p_message_ids, p_references, p_destinations,
                            v_none::text[], v_none::boolean[]) m
    join segment s on s.message_id = m.message_id and s.position = m.position
   where s.in_doubt_since is not null and s.carrier_message_id is null and p_message_ids[m.n] <> '';
  if v_orders is not null then
    -- (not done: the owner may still submit other segments of the message)
    perform record_submits(v_orders, v_positions, v_epochs, array_fill('accepted'::text, array[cardinality(v_orders)]),
                           v_ids, v_none[1:cardinality(v_orders)]::boolean[], v_none[1:cardinality(v_orders)],
                           p_in_doubt_wait);
  end if;
end $$;
