-- A worker takes queued orders for a carrier and records the intent to submit the first open segment of each.
--
-- Guarantees: an order is claimed by one worker only (compare-and-set on its state); the epoch grows with every claim
--   and fences what an earlier owner still writes. The caller holds one window slot per order, so what is recorded
--   as submitting is at most what is about to be written. What an active hold covers is not claimed.
-- Locks: order rows in the order of their ids, then their segments. Leases run by the database's clock.
-- p_whole: the carrier takes a message whole and cuts it itself, so its first segment stands for all.
-- Returns what was claimed, and (with belongs_to alone) queued orders of which another carrier has segments already: they
--   go on with that one. A job for anything else is a duplicate and is dropped by the caller.
create or replace function claim_orders(
  p_ids uuid[], p_worker text, p_carrier_id integer, p_lease interval, p_whole boolean
) returns table (id uuid, epoch integer, destination text, message text, extended boolean, segments smallint,
                 concatenation_reference smallint, open_positions smallint[], sender text, belongs_to integer)
language plpgsql set enable_seqscan = off set plan_cache_mode = force_generic_plan as $$
declare
  v_hold record;
begin
  select * into v_hold from active_hold();
  return query
  with wanted as (
    select distinct w.id from unnest(p_ids) as w(id) order by w.id
  ), locked as materialized (
    select o.id, o.attempts from message_order o
     where o.id in (select w.id from wanted w) and o.state = 'queued' and o.valid_until > now()
       and (o.next_attempt_at is null or o.next_attempt_at <= now())
       and (o.created_at >= v_hold.held_before or o.cleared_hold = v_hold.hold_id)
     order by o.id
       for update
  ), elsewhere as materialized (
    select l.id, max(s.carrier_id) as carrier_id
      from locked l
      join segment s on s.message_id = l.id and s.state in ('accepted', 'delivered', 'undelivered', 'unknown')
      join carrier c on c.carrier_id = s.carrier_id and c.removed_at is null
     where l.attempts > 0 and (p_whole or s.carrier_id <> p_carrier_id)
     group by l.id
  ), claimed as (
    update message_order o
       set state = 'sending', owner = p_worker, epoch = o.epoch + 1, attempts = o.attempts + 1,
           carrier_id = p_carrier_id, lease_until = now() + p_lease
      from locked l
     where o.id = l.id and l.id not in (select e.id from elsewhere e)
    returning o.id, o.account_id, o.epoch, o.attempts, o.destination, o.message, o.extended, o.segments, o.concatenation_reference
  ), logged as (
    insert into order_transition (message_id, at, from_state, to_state, actor)
    select c.id, now(), 'queued', 'sending', 'worker' from claimed c
  ), open as (
    select c.id, c.epoch, c.attempts, c.destination,
           case when p_whole then array[1::smallint]
                when c.attempts = 1 then (select array_agg(p::smallint) from generate_series(1, c.segments) p)
                else (select array_agg(p::smallint order by p) from generate_series(1, c.segments) p
                       where not exists (select from segment s where s.message_id = c.id and s.position = p
                                            and s.state not in ('pending', 'in_doubt')))
           end as positions
      from claimed c
  ), doubted as (
    insert into doubtful_submit (message_id, position, carrier_id, destination, reference, submitted_at)
    select s.message_id, s.position, s.carrier_id, o.destination, segment_reference(s.message_id, s.position), s.submitted_at
      from open o join segment s on s.message_id = o.id and s.position = o.positions[1]
     where o.attempts > 1 and s.in_doubt_since is not null
    on conflict do nothing
  ), intended as (
    insert into segment as s (message_id, position, state, epoch, carrier_id, whole, submitted_at)
    select o.id, o.positions[1], 'submitting', o.epoch, p_carrier_id, p_whole, now() from open o where o.positions is not null
    on conflict (message_id, position) do update
       set state = 'submitting', epoch = excluded.epoch, carrier_id = excluded.carrier_id, whole = excluded.whole,
           attempt = s.attempt + 1,
           submitted_at = excluded.submitted_at, in_doubt_since = null, carrier_message_id = null, carrier_code = null
  )
  select c.id, c.epoch, c.destination, c.message, c.extended, c.segments, c.concatenation_reference, o.positions,
         a.sender, null::integer
    from claimed c join open o on o.id = c.id left join account a on a.account_id = c.account_id
   union all
  select e.id, 0, null, null, null, null, null, null, null, e.carrier_id from elsewhere e;
end $$;
