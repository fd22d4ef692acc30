-- Stores the receipts of one carrier that match nothing yet; returns how many. settle_receipts calls it with its own
-- arrays. Of receipts that are alike 255 are stored, as many as a message has segments: a carrier may repeat one
-- without an end. The planner settings of settle_receipts (ADR 33) apply here too.
--
-- p_matched: the places of the receipts that match; null: none does.
create or replace function store_unmatched(
  p_carrier_id integer, p_message_ids text[], p_references integer[], p_destinations text[], p_states text[],
  p_codes text[], p_unmarked boolean[], p_matched bigint[]
) returns integer
language plpgsql as $$
declare
  v_stored integer;
begin
  insert into parked_receipt
    (carrier_id, carrier_message_id, user_message_reference, destination, state, carrier_code, unmarked)
  select p_carrier_id, coalesce(r.message_id, ''), r.reference, r.destination, r.state, r.code, r.unmarked
    from unnest(p_message_ids, p_references, p_destinations, p_states, p_codes, p_unmarked) with ordinality
         as r(message_id, reference, destination, state, code, unmarked, n)
   where (p_matched is null or r.n <> all(p_matched))
     and (select count(*) from parked_receipt q
           where q.carrier_message_id = coalesce(r.message_id, '') and q.carrier_id = p_carrier_id
             and q.destination = r.destination and q.state = r.state
             and coalesce(q.user_message_reference, -1) = coalesce(r.reference, -1)) < 255;
  get diagnostics v_stored = row_count;
  return v_stored;
end $$;
