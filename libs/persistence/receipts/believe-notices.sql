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
begin
  -- (not done: the owner may still submit other segments of the message)
  perform record_submits(array_agg(s.message_id), array_agg(s.position), array_agg(s.epoch),
                         array_agg('accepted'::text), array_agg(p_message_ids[m.n]), array_agg(false), array_agg(0),
                         p_in_doubt_wait)
    from match_by_reference(p_carrier_id, p_message_ids, p_references, p_destinations,
                            array_fill('pending'::text, array[cardinality(p_message_ids)]),
                            array_fill(false, array[cardinality(p_message_ids)])) m
    join segment s on s.message_id = m.message_id and s.position = m.position
   where s.in_doubt_since is not null and s.carrier_message_id is null and p_message_ids[m.n] <> ''
  having count(*) > 0;
end $$;
