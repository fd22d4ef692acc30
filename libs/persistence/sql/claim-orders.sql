-- A worker takes queued orders for a carrier and records the intent to submit the first open segment of each.
--
-- Guarantees: an order is claimed by one worker only (compare-and-set on its state); the epoch grows with every claim
--   and fences what an earlier owner still writes. The caller holds one window slot per order, so what is recorded
--   as submitting is at most what is about to be written. What an active hold covers is not claimed.
-- Locks: order rows in the order of their ids, then their segments. Leases run by the database's clock.
-- due_at is left alone (so that these are HOT updates) unless it is far off, as it is for what came from a backlog: then the sweeper
--   looks a minute after the lease.
-- p_whole: the carrier takes a message whole and cuts it itself, so its first segment stands for all.
-- Returns what was claimed, and (with belongs_to alone) queued orders of which another carrier has segments already: they
--   go on with that one. A job for anything else is a duplicate and is dropped by the caller.
--
-- Orders that nobody has claimed before, which is nearly all, take a way of their own: a statement costs the server for each of
--   its parts before the first row, and they need few.
create or replace function claim_orders(
  p_ids uuid[], p_worker text, p_carrier_id integer, p_lease interval, p_whole boolean
) returns table (id uuid, epoch integer, destination text, message text, extended boolean, segments smallint,
                 concatenation_reference smallint, open_positions smallint[], sender text, belongs_to integer)
language plpgsql set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off
set plan_cache_mode = force_generic_plan as $$
#variable_conflict use_column
declare
  v_hold  record;
  v_fresh uuid[];
  v_again uuid[];
begin
  select * into v_hold from active_hold();
  select array_agg(l.id) filter (where l.attempts = 0), array_agg(l.id) filter (where l.attempts > 0)
    into v_fresh, v_again
    from (select o.id, o.attempts from message_order o
           where o.id = any(p_ids) and o.state = 'queued' and o.valid_until > now()
             and (o.next_attempt_at is null or o.next_attempt_at <= now())
             and (o.created_at >= v_hold.held_before or o.cleared_hold = v_hold.hold_id)
           order by o.id
             for update) l;

  if v_fresh is not null then
    insert into segment (message_id, position, state, epoch, carrier_id, whole, submitted_at)
    select i, 1, 'submitting', 1, p_carrier_id, p_whole, now() from unnest(v_fresh) i;
    insert into order_transition (message_id, at, from_state, to_state, actor)
    select i, now(), 'queued', 'sending', 'worker' from unnest(v_fresh) i;
    return query
    update message_order o
       set state = 'sending', owner = p_worker, epoch = 1, attempts = 1, carrier_id = p_carrier_id, lease_until = now() + p_lease,
           due_at = least(o.due_at, now() + p_lease + interval '1 minute')
      from account a
     where o.id = any(v_fresh) and a.account_id = o.account_id
    returning o.id, o.epoch, o.destination, o.message, o.extended, o.segments, o.concatenation_reference,
              case when o.segments = 1 or p_whole then array[1::smallint]
                   else array(select p::smallint from generate_series(1, o.segments) p) end,
              a.sender, null::integer;
  end if;
  if v_again is not null then
    return query select * from claim_orders_again(v_again, p_worker, p_carrier_id, p_lease, p_whole);
  end if;
end $$;

-- The part of claim_orders for orders that were claimed before. The caller has locked them and knows that they are queued.
create or replace function claim_orders_again(
  p_ids uuid[], p_worker text, p_carrier_id integer, p_lease interval, p_whole boolean
) returns table (id uuid, epoch integer, destination text, message text, extended boolean, segments smallint,
                 concatenation_reference smallint, open_positions smallint[], sender text, belongs_to integer)
language plpgsql set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off
set plan_cache_mode = force_generic_plan as $$
begin
  return query
  with elsewhere as materialized (
    select s.message_id as id, max(s.carrier_id) as carrier_id
      from segment s
      join carrier c on c.carrier_id = s.carrier_id and c.removed_at is null
     where s.message_id = any(p_ids) and s.state in ('accepted', 'delivered', 'undelivered', 'unknown')
       and (p_whole or s.carrier_id <> p_carrier_id)
     group by s.message_id
  ), claimed as (
    update message_order o
       set state = 'sending', owner = p_worker, epoch = o.epoch + 1, attempts = o.attempts + 1,
           carrier_id = p_carrier_id, lease_until = now() + p_lease,
           due_at = least(o.due_at, now() + p_lease + interval '1 minute')
     where o.id = any(p_ids) and o.id not in (select e.id from elsewhere e)
    returning o.id, o.account_id, o.epoch, o.destination, o.message, o.extended, o.segments, o.concatenation_reference
  ), logged as (
    insert into order_transition (message_id, at, from_state, to_state, actor)
    select c.id, now(), 'queued', 'sending', 'worker' from claimed c
  ), open as (
    select c.id, c.epoch, c.destination,
           case when p_whole then array[1::smallint]
                else (select array_agg(p::smallint order by p) from generate_series(1, c.segments) p
                       where not exists (select from segment s where s.message_id = c.id and s.position = p
                                            and s.state not in ('pending', 'in_doubt')))
           end as positions
      from claimed c
  ), doubted as (
    insert into doubtful_submit (message_id, position, carrier_id, destination, reference, submitted_at)
    select s.message_id, s.position, s.carrier_id, o.destination, segment_reference(s.message_id, s.position), s.submitted_at
      from open o join segment s on s.message_id = o.id and s.position = o.positions[1]
     where s.in_doubt_since is not null
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
