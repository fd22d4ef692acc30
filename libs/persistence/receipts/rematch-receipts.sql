-- Applies receipts that were stored as unmatched before their segment could be known: the response that names it was
-- not committed yet, or it is one in doubt, whose response may never come. A reference has 16 bits, so it decides only
-- when the response that would name the receipt's message has had p_reference_after to come.
--
-- Locks: those of settle_receipts. One carrier at a call, so that the order of the locks is kept; the caller repeats it
--   until it returns 0.
create or replace function rematch_receipts(
  p_received_after timestamptz, p_reference_after interval, p_limit integer, p_in_doubt_wait interval
) returns integer
language plpgsql set enable_seqscan = off as $$
declare
  v_taken record;
begin
  with known as (
    select r.receipt_id, r.carrier_id from parked_receipt r
     where r.received_at > p_received_after
       and exists (select from segment s join message_order o on o.id = s.message_id
                    where s.carrier_message_id = r.carrier_message_id and s.carrier_id = r.carrier_id
                      and (o.destination = r.destination or s.settled_at is null))
    union
    select r.receipt_id, r.carrier_id
      from segment s
      join message_order o on o.id = s.message_id
      join parked_receipt r on r.carrier_id = s.carrier_id and r.destination = o.destination
                           and r.user_message_reference = segment_reference(s.message_id, s.position)
     where s.in_doubt_since is not null and r.received_at > greatest(p_received_after, s.submitted_at)
       and r.received_at <= now() - p_reference_after
    union
    select r.receipt_id, r.carrier_id
      from doubtful_submit f
      join parked_receipt r on r.carrier_id = f.carrier_id and r.destination = f.destination
                           and r.user_message_reference = f.reference
     where r.state = 'delivered' and r.received_at > greatest(p_received_after, f.submitted_at)
       and r.received_at <= now() - p_reference_after
       and exists (select from segment s where s.message_id = f.message_id and s.position = f.position
                      and s.state not in ('delivered', 'refused'))
  ), locked as (
    select p.receipt_id from parked_receipt p join known k on k.receipt_id = p.receipt_id
     where p.carrier_id = (select min(c.carrier_id) from known c)
     limit p_limit for update of p skip locked
  ), taken as (
    delete from parked_receipt p using locked l where p.receipt_id = l.receipt_id returning p.*
  )
  select t.carrier_id, array_agg(nullif(t.carrier_message_id, '')) as ids, array_agg(t.user_message_reference) as refs,
         array_agg(t.destination) as destinations, array_agg(t.state) as states, array_agg(t.carrier_code) as codes
    into v_taken
    from taken t group by t.carrier_id;
  if v_taken.carrier_id is null then
    return 0;
  end if;
  perform settle_receipts(v_taken.carrier_id, v_taken.ids, v_taken.refs, v_taken.destinations, v_taken.states,
                          v_taken.codes, true, p_in_doubt_wait);
  return cardinality(v_taken.refs);
end $$;
