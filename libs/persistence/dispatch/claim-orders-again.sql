-- What is left of the validity that its client asked for, in seconds; null: it asked for none. At least 1, because 0
-- means the carrier's own validity to some carriers.
create or replace function validity_left(o message_order) returns integer
language sql stable as $$
  select case when o.validity_seconds is not null
              then greatest(1, floor(extract(epoch from o.valid_until - now())))::integer end
$$;

-- Claims orders that were claimed before or are bound to a carrier. claim_orders has locked them and found that they
-- may be claimed; its planner settings (ADR 33) apply here too. Messages of a sandbox are bound to its carrier, which
-- takes no others. An order that belongs to another carrier, which has segments of it or to which it is bound
-- (only_carrier_id), is due at once: the reconciler puts it into its account's backlog, and the feeder brings it
-- there.
--
-- If this carrier has segments of an order, or maybe has, and no other carrier has claimed it since, the order keeps
-- the format and the sender with which it was begun, because handsets join only parts that are alike (ADR 16).
-- (Unpublished versions had another result: install-functions.ts.)
drop function if exists claim_orders_again(uuid[], text, integer, integer, boolean, integer);
create or replace function claim_orders_again(
  p_ids uuid[], p_worker text, p_carrier_id integer, p_lease_seconds integer, p_whole boolean, p_format_id integer
) returns table (id uuid, epoch integer, destination text, message text, segments smallint,
                 concatenation_reference smallint, open_positions smallint[], sender text, whole boolean, format text,
                 validity_seconds integer, waited_seconds real)
language plpgsql as $$
#variable_conflict use_column
declare
  v_lease interval := make_interval(secs => p_lease_seconds);
begin
  return query
  with history as materialized (
    select s.message_id as id,
           -- Two carriers may have segments, if one of them had some in doubt. take_from_backlog chooses the same one.
           nullif(max(s.carrier_id)
             filter (where c.removed_at is null
                       and s.state in ('accepted', 'delivered', 'undelivered', 'unknown')), p_carrier_id) as belongs_to,
           bool_or(s.in_doubt_since is not null or s.state in ('accepted', 'delivered', 'undelivered', 'unknown'))
             filter (where s.carrier_id = p_carrier_id)
             or exists (select from doubtful_submit d
                         where d.message_id = s.message_id and d.carrier_id = p_carrier_id) as is_begun,
           bool_or(s.whole) filter (where s.carrier_id = p_carrier_id) as was_whole
      from segment s join carrier c on c.carrier_id = s.carrier_id
     where s.message_id = any(p_ids)
     group by s.message_id
  ), decided as materialized (
    select o.id,
           case when o.account_id < 0 then nullif(carrier_of_account(o.account_id, null), p_carrier_id)
                else coalesce(h.belongs_to, nullif(o.only_carrier_id, p_carrier_id)) end as belongs_to,
           b.is_begun, f.wire_format_id is not null as is_known,
           case when b.is_begun then coalesce(f.whole, h.was_whole, p_whole) else p_whole end as whole,
           case when b.is_begun and f.wire_format_id is distinct from p_format_id then f.format end as format
      from message_order o
      left join history h on h.id = o.id
     -- The stored format is that of the carrier of the latest claim. Another one may not be able to write it.
     cross join lateral (select coalesce(h.is_begun and o.carrier_id = p_carrier_id, false) as is_begun) b
      left join wire_format f on f.wire_format_id = o.wire_format_id
     where o.id = any(p_ids) and (o.account_id < 0 or p_carrier_id > 0)
  ), given_back as (
    update message_order o set due_at = now() from decided d where o.id = d.id and d.belongs_to is not null
  ), claimed as (
    update message_order o
       set state = 'sending', owner = p_worker, epoch = o.epoch + 1, attempts = o.attempts + 1,
           carrier_id = p_carrier_id, lease_until = now() + v_lease,
           due_at = least(o.due_at, now() + v_lease + interval '1 minute'),
           wire_format_id = case when d.is_begun then o.wire_format_id else p_format_id end,
           begun_sender = case when d.is_begun and d.is_known then o.begun_sender
                               when o.segments > 1 and not d.whole then coalesce(o.sender, a.sender) end
      from decided d, account a
     where o.id = d.id and d.belongs_to is null and a.account_id = o.account_id
    returning o.id, o.account_id, o.epoch, o.destination, o.message, o.segments, o.concatenation_reference,
              case when o.segments > 1 and not d.whole then o.begun_sender
                   else coalesce(o.sender, a.sender) end as sender,
              d.whole, d.format, validity_left(o) as validity_seconds,
              extract(epoch from now() - sendable_since(o))::real as waited_seconds
  ), logged as (
    insert into order_transition (message_id, at, from_state, to_state, actor)
    select c.id, now(), 'queued', 'sending', 'worker' from claimed c
  ), open as (
    select c.id, c.epoch, c.destination, c.whole,
           case when c.whole then array[1::smallint]
                else array(select p::smallint from generate_series(1, c.segments) p
                            where not exists (select from segment s where s.message_id = c.id and s.position = p
                                                 and s.state not in ('pending', 'in_doubt')) order by p)
           end as positions
      from claimed c
  ), doubted as (
    insert into doubtful_submit (message_id, position, carrier_id, destination, reference, submitted_at)
    select s.message_id, s.position, s.carrier_id, o.destination, segment_reference(s.message_id, s.position),
           s.submitted_at
      from open o join segment s on s.message_id = o.id and (s.position = o.positions[1] or o.whole)
     where s.in_doubt_since is not null
    on conflict do nothing
  ), begun_again as (
    -- Another carrier has segments, or may have some, and this one takes messages whole: what it takes now is all there
    -- is.
    delete from segment s using open o where o.whole and s.message_id = o.id and s.position > 1
  ), intended as (
    insert into segment as s (message_id, position, state, epoch, carrier_id, whole, submitted_at)
    select o.id, o.positions[1], 'submitting', o.epoch, p_carrier_id, o.whole, now()
      from open o where o.positions <> '{}'
    on conflict (message_id, position) do update
       set state = 'submitting', epoch = excluded.epoch, carrier_id = excluded.carrier_id, whole = excluded.whole,
           attempt = s.attempt + 1, submitted_at = excluded.submitted_at, in_doubt_since = null,
           carrier_message_id = null, carrier_code = null
  )
  select c.id, c.epoch, c.destination, c.message, c.segments, c.concatenation_reference, o.positions, c.sender, c.whole,
         c.format, c.validity_seconds, case when c.epoch = 1 then c.waited_seconds end
    from claimed c join open o on o.id = c.id;
end $$;
