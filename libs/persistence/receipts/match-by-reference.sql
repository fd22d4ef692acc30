-- The 16-bit user_message_reference (SMPP 3.4 section 5.3.2.17) of a segment; the worker computes the same.
create or replace function segment_reference(p_message_id uuid, p_position smallint) returns integer
language sql immutable parallel safe as $$
  select ((('x' || right(p_message_id::text, 4))::bit(16)::integer) + p_position) & 65535
$$;

-- Whether a receipt's number is that of an order. Carriers also write it without the country code, or with zeros before
-- it; fewer than seven digits could be those of another number too.
create or replace function is_same_number(p_ordered text, p_reported text) returns boolean
language sql immutable parallel safe as $$
  select p_ordered = p_reported
         or length(ltrim(p_reported, '0')) >= 7
            and right(p_ordered, length(ltrim(p_reported, '0'))) = ltrim(p_reported, '0')
$$;

-- Whether a receipt may mean a segment of its id although it names another number. Some carriers write numbers in their
-- own way, or none. But one that counts its ids anew uses those of messages that still wait for a receipt, and the
-- receipt of the new message may come before its response. So a fresh receipt that has the whole number of somebody
-- else is not believed about a segment of more than ten minutes ago; it waits for the response (rematch_receipts).
create or replace function may_mean_another_number(p_reported text, p_submitted_at timestamptz) returns boolean
language sql stable parallel safe as $$
  select length(ltrim(p_reported, '0')) < 7 or p_submitted_at > now() - interval '10 minutes'
$$;

-- Finds the segments that receipts of one carrier mean: by the carrier's message id or, for a receipt that matches no
-- id, by its reference (p_references null: not by it). Receipts that match nothing are left out.
--
-- Some carriers give one id to all segments of a message, or to two messages to one number. So each receipt settles
--   another segment, also if several come in one call, in two at once, or before the responses: the second means the
--   second segment without a receipt, and so on, or the first one again.
-- A reference is compared with the carrier's segments that have no id (in doubt, or answered without one), and with
--   submits in doubt that were made again (by_doubt). If one of those was delivered, that is the truth, whatever became
--   of the next submit.
create or replace function match_by_reference(
  p_carrier_id integer, p_message_ids text[], p_references integer[], p_destinations text[], p_states text[],
  p_unmarked boolean[]
) returns table (n bigint, message_id uuid, "position" smallint, by_doubt boolean)
language plpgsql as $$
#variable_conflict use_column
begin
  return query
  with in_doubt as materialized (
    -- Read once for all receipts: after a crash there may be thousands of both.
    select s.message_id, s.position, s.submitted_at, segment_reference(s.message_id, s.position) as reference
      from segment s
     where p_references is not null and s.carrier_id = p_carrier_id and s.in_doubt_since is not null
       and segment_reference(s.message_id, s.position) = any(p_references)
  )
  select m.n, m.message_id, m.position, m.by_doubt
    from (
      select r.n, coalesce(i.message_id, d.message_id) as message_id, coalesce(i.position, d.position) as position,
             i.message_id is null and d.made_again as by_doubt
        from (select u.*, row_number() over (partition by u.message_id, u.destination order by u.n) as nth
                from unnest(p_message_ids, p_references, p_destinations, p_states, p_unmarked) with ordinality
                     as u(message_id, reference, destination, state, unmarked, n)) r
        left join lateral (
          select c.message_id, c.position
            from (select s.message_id, s.position, is_same_number(o.destination, r.destination) as is_own,
                         s.settled_at is null as is_open,
                         row_number() over (partition by is_same_number(o.destination, r.destination)
                                            order by s.settled_at is null desc, s.submitted_at desc, s.message_id,
                                                     s.position) as place
                    from segment s join message_order o on o.id = s.message_id
                   where s.carrier_message_id = r.message_id and s.carrier_id = p_carrier_id
                     and (is_same_number(o.destination, r.destination)
                          or s.settled_at is null and not r.unmarked
                             and (p_references is not null
                                  or may_mean_another_number(r.destination, s.submitted_at)))) c
           order by c.is_own desc, (c.is_open and c.place = r.nth) desc, c.place limit 1) i on true
        left join lateral (
          select x.message_id, x.position, x.made_again
            from (select s.message_id, s.position, s.submitted_at, false as made_again
                    from in_doubt s join message_order o on o.id = s.message_id
                   where s.reference = r.reference and o.destination = r.destination
                   union all
                  select f.message_id, f.position, f.submitted_at, true
                    from doubtful_submit f
                   where f.carrier_id = p_carrier_id and f.destination = r.destination and f.reference = r.reference
                     and r.state = 'delivered') x
           where i.message_id is null and r.reference is not null
           order by x.submitted_at desc limit 1) d on true) m
   where m.message_id is not null;
end $$;
