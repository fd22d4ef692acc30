-- Applies receipts that were stored as unmatched before their segment could be known: the response that names it was
-- not committed yet, or it is one in doubt, whose response may never come. A reference has 16 bits, so it decides only
-- when the response that would name the receipt's message has had p_reference_after to come. A receipt that is older
-- than the submit is of another message (record_submits).
--
-- By their ids it reads the newest p_look receipts that came after p_received_after. If that is null, it also reads the
--   p_look that were stored last (those with changed ids are stored anew) and p_look of all others, which it chooses at
--   random: on an account that somebody else uses too, unmatched receipts come by the million. By reference it reads
--   those to the numbers of what is in doubt. `offset 0` and the settings keep it from reading all receipts.
-- Locks: unmatched receipts, but it passes over those that another transaction has locked; then those of
--   settle_receipts. One carrier at a call, so that the order of the locks is kept; the caller repeats it until it
--   returns 0.
create or replace function rematch_receipts(
  p_received_after timestamptz, p_reference_after interval, p_limit integer, p_in_doubt_wait interval, p_look integer
) returns integer
language plpgsql set enable_seqscan = off set jit = off set enable_hashjoin = off set enable_mergejoin = off
set plan_cache_mode = force_generic_plan as $$
declare
  v_taken       record;
  v_from        bigint;
  -- Usually no receipt of the last minutes does, and then nothing that is or was in doubt needs to be looked at.
  v_is_referred boolean := p_received_after is null or exists (
    select from parked_receipt p where p.received_at > p_received_after and p.user_message_reference is not null);
begin
  if p_received_after is null then
    select min(p.receipt_id) + floor(random() * (max(p.receipt_id) - min(p.receipt_id) + 1)) into v_from
      from parked_receipt p;
  end if;
  with known as materialized (
    select r.receipt_id, r.carrier_id
      from ((select * from parked_receipt p where p.received_at > coalesce(p_received_after, '-infinity')
              order by p.received_at desc limit p_look)
             union (select * from parked_receipt p where p_received_after is null
                     order by p.receipt_id desc limit p_look)
             union (select * from parked_receipt p where p.receipt_id >= v_from
                     order by p.receipt_id limit p_look)) r
     cross join lateral (
       select from segment s
        cross join lateral (select m.destination from message_order m
                             where m.id = s.message_id and m.state <> 'sending' offset 0) o
        where s.carrier_message_id = r.carrier_message_id and s.carrier_id = r.carrier_id
          and (s.submitted_at < r.received_at + interval '1 minute' and is_same_number(o.destination, r.destination)
               or s.submitted_at < r.received_at and s.settled_at is null and not r.unmarked
                  and (r.received_at <= now() - p_reference_after
                       or may_mean_another_number(r.destination, s.submitted_at)))
        limit 1) s
    union
    select r.receipt_id, r.carrier_id
      from segment s
     cross join lateral (select m.destination from message_order m where m.id = s.message_id offset 0) o
     cross join lateral (select * from parked_receipt p where p.destination = o.destination offset 0) r
     where v_is_referred and s.in_doubt_since is not null and r.carrier_id = s.carrier_id
       and r.user_message_reference = segment_reference(s.message_id, s.position)
       and r.received_at > greatest(p_received_after, s.submitted_at) and r.received_at <= now() - p_reference_after
    union
    select r.receipt_id, r.carrier_id
      from doubtful_submit f
     cross join lateral (select from segment s
                          where s.message_id = f.message_id and s.position = f.position
                            and s.state not in ('delivered', 'refused') offset 0) s
     cross join lateral (select * from parked_receipt p where p.destination = f.destination offset 0) r
     where v_is_referred and r.carrier_id = f.carrier_id and r.user_message_reference = f.reference
       and r.state = 'delivered'
       and r.received_at > greatest(p_received_after, f.submitted_at) and r.received_at <= now() - p_reference_after
  ), locked as (
    select p.receipt_id from parked_receipt p
     where p.receipt_id = any(array(
             select k.receipt_id from known k where k.carrier_id = (select min(c.carrier_id) from known c)))
     limit p_limit for update skip locked
  ), taken as (
    delete from parked_receipt p using locked l where p.receipt_id = l.receipt_id returning p.*
  )
  select t.carrier_id, array_agg(nullif(t.carrier_message_id, '')) as ids, array_agg(t.user_message_reference) as refs,
         array_agg(t.destination) as destinations, array_agg(t.state) as states, array_agg(t.carrier_code) as codes,
         array_agg(t.unmarked) as unmarked
    into v_taken
    from taken t group by t.carrier_id;
  if v_taken.carrier_id is null then
    return 0;
  end if;
  perform settle_receipts(v_taken.carrier_id, v_taken.ids, v_taken.refs, v_taken.destinations, v_taken.states,
                          v_taken.codes, v_taken.unmarked, true, p_in_doubt_wait);
  return cardinality(v_taken.refs);
end $$;
