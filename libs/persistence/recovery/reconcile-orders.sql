-- Acts on orders whose deadline (`due_at`) has come, so that no order stays in a state for ever. The one repairer.
--
-- A queued order goes into its account's backlog, or fails when its validity is over. A segment that a dead worker was
-- sending is in doubt: it waits for a receipt, and then its carrier's policy decides. An order ends as unknown when its
-- validity is over and a carrier may have all of it, or when it is sent and has no receipt by its deadline.
-- Guarantees: one call at a time (advisory lock of the transaction, by the name that workers of 0.2 know). It never
--   waits for a row that another transaction has locked (skip locked). It locks what it looks at, so p_limit is small,
--   and the caller repeats it while due_count is p_limit.
-- An active hold keeps queued orders back, and a held account keeps its own. A segment of a dead owner is in doubt all
-- the same.
-- PostgreSQL plans each statement once, maybe while the tables are empty, so only index scans are allowed (ADR 33).
create or replace function reconcile_orders(
  p_limit integer, p_in_doubt_wait interval, p_receipt_deadline interval
) returns table (due_count integer, requeued integer)
language plpgsql set enable_seqscan = off set jit = off set enable_bitmapscan = off set enable_sort = off
set enable_hashjoin = off
set enable_mergejoin = off set plan_cache_mode = force_generic_plan as $$
declare
  v_hold   record;
  -- Of what is due: what may be sent now; what has to wait longer, and until when; and what has waited long enough.
  v_ready  uuid[];
  v_later  uuid[];
  v_untils timestamptz[];
  v_over   uuid[];
  -- Of the last: what has no segment in doubt any more, and why it ends.
  v_ended  uuid[];
  v_codes  text[];
begin
  if not pg_try_advisory_xact_lock(hashtext('heliograph.sweep_orders')) then
    return;
  end if;
  select * into v_hold from active_hold();
  if v_hold.held_before = 'infinity' then
    return;
  end if;
  select count(*), array_agg(d.id) filter (where d.until is null),
         array_agg(d.id) filter (where d.until > now()), array_agg(d.until) filter (where d.until > now()),
         array_agg(d.id) filter (where d.until <= now())
    into due_count, v_ready, v_later, v_untils, v_over from (
    select o.id,
           case when o.state = 'sending' then o.lease_until
                when o.state = 'sent' then o.sent_at + receipt_deadline(o.account_id, p_receipt_deadline)
                when o.next_attempt_at > now() or o.valid_until <= now() then least(o.next_attempt_at, o.valid_until)
           end as until
      from message_order o where o.due_at <= now() order by o.due_at limit p_limit for update skip locked) d;

  -- A live worker owns it, it waits for a receipt, or it may not be tried again yet. Many of them, made due at once,
  -- would keep all others from being looked at.
  update message_order o set due_at = l.until from unnest(v_later, v_untils) as l(id, until) where o.id = l.id;

  if v_over is not null then
    -- The owner is dead: the segments that it was writing are in doubt, and wait for a receipt before the policy
    -- decides.
    update segment s set state = 'in_doubt', in_doubt_since = now()
     where s.message_id = any(v_over) and s.state = 'submitting';
    v_over := without_held(v_over, v_hold.hold_id, v_hold.held_before, v_hold.held_accounts);
    update message_order o set due_at = s.until
      from (select g.message_id, max(in_doubt_until(g, w.valid_until, p_in_doubt_wait)) as until
              from segment g join message_order w on w.id = g.message_id
             where g.message_id = any(v_over) and g.state = 'in_doubt' group by g.message_id) s
     where o.id = s.message_id and s.until > now();

    -- Waited long enough.
    update segment s set state = case c.in_doubt_policy when 'hold' then 'unknown' else 'pending' end::segment_state
      from message_order o, carrier c
     where o.id = any(v_over) and c.carrier_id = s.carrier_id and s.message_id = o.id and s.state = 'in_doubt'
       and in_doubt_until(s, o.valid_until, p_in_doubt_wait) <= now();
    perform give_up_doubt(array(select o.id from message_order o where o.id = any(v_over) and o.valid_until <= now()));
    update segment s set state = 'unknown'
      from message_order o
     where o.id = any(v_over) and o.state = 'sent' and s.message_id = o.id and s.state = 'accepted';

    select array_agg(o.id), array_agg(case o.state when 'queued' then 'VALIDITY_OVER' when 'sent' then 'NO_RECEIPT' end)
      into v_ended, v_codes from message_order o
     where o.id = any(v_over) and not exists (select from segment s where s.message_id = o.id and s.state = 'in_doubt');
    select v_ready || array_agg(m.id) into v_ready
      from derive_order_states(v_ended, 'reconciler', p_in_doubt_wait, v_codes, p_is_over => true) m
      join message_order o on o.id = m.id where m.state = 'queued' and o.valid_until > now();
  end if;

  v_ready := without_held(v_ready, v_hold.hold_id, v_hold.held_before, v_hold.held_accounts);
  requeued := coalesce(cardinality(v_ready), 0);
  if requeued > 0 then
    perform put_in_backlog(v_ready, 0, null);
  end if;
  return next;
end $$;

-- Until when a segment in doubt waits for a receipt before its carrier's policy decides. The wait doubles with each
-- submit of the segment that was in doubt before. With p_wait and the time-out of responses at 30 s, a carrier that
-- takes submits and answers none gets a message 12 times a day, and not 1,440 times. (Segments count throttled submits
-- as attempts too, so doubtful_submit is asked.) The wait is over with the validity, but lasts p_wait at least. If a
-- receipt with its reference has come, it lasts until rematch_receipts has surely looked at that: 3 s later, once a
-- second.
create or replace function in_doubt_until(p_segment segment, p_valid_until timestamptz, p_wait interval)
returns timestamptz
language sql stable as $$
  select greatest(p_segment.in_doubt_since + p_wait,
                  least(p_valid_until, p_segment.in_doubt_since + p_wait * 2 ^ least(11, count(*))),
                  (select min(r.received_at) + interval '5 seconds'
                     from message_order o join parked_receipt r on r.destination = o.destination
                    where o.id = p_segment.message_id and r.carrier_id = p_segment.carrier_id
                      and r.user_message_reference = segment_reference(p_segment.message_id, p_segment.position)
                      and r.received_at > p_segment.submitted_at))
    from doubtful_submit d where d.message_id = p_segment.message_id and d.position = p_segment.position
$$;

-- Nobody will send these orders again: a segment that waits to be sent again and that a carrier may have is unknown. So
-- its order is not given back as one that never left. The caller has locked the orders.
create or replace function give_up_doubt(p_ids uuid[]) returns void
language plpgsql as $$
begin
  update segment s set state = 'unknown'
   where s.message_id = any(p_ids) and s.state = 'pending'
     and (s.in_doubt_since is not null
          or exists (select from doubtful_submit d where d.message_id = s.message_id and d.position = s.position));
end $$;

-- Makes the orders on the queues due at once, because the queues have lost their jobs. p_within: how soon an order on a
-- queue is due. Returns how many; the caller repeats it until that is less than p_limit.
create or replace function requeue_all(p_within interval, p_limit integer) returns integer
language plpgsql set enable_seqscan = off set jit = off set enable_sort = off as $$
declare
  v_count integer;
begin
  with found as (
    select o.id from message_order o
     where o.due_at > now() and o.due_at <= now() + p_within and o.state = 'queued'
       and is_attempt_due(o)
     order by o.due_at limit p_limit for update skip locked
  )
  update message_order o set due_at = now() from found f where o.id = f.id;
  get diagnostics v_count = row_count;
  return v_count;
end $$;

-- Makes the orders that dead workers had claimed due at once. A worker that is only slow keeps its live leases.
-- p_lease: for how long workers claim. A claimed order is due within that and a minute (claim_orders), so it looks at
--   nothing that is due later, however much waits for receipts or in backlogs. If the dead worker had a longer lease,
--   what it leaves out is due a minute after that lease at the latest.
-- Locks: order rows in the order of their ids. It leaves out what another transaction has locked: that order keeps its
--   deadline.
create or replace function release_dead_workers(p_alive_within interval, p_lease interval) returns integer
language plpgsql set enable_seqscan = off set jit = off set enable_bitmapscan = off
set plan_cache_mode = force_generic_plan as $$
declare
  v_dead     text[];
  v_released integer;
begin
  -- The row stays, so that `smsctl doctor` names a worker that hangs. The next heartbeat replaces the details.
  with dead as (
    update process_heartbeat set details = details || '{"takenOver": true}'
     where role = 'worker' and seen_at < now() - p_alive_within and not details ? 'takenOver' returning process_id
  )
  select array_agg(d.process_id) into v_dead from dead d;
  if v_dead is null then
    return 0;
  end if;
  with found as materialized (
    select o.id from message_order o
     where o.due_at > now() and o.due_at <= now() + p_lease + interval '1 minute'
       and o.state = 'sending' and o.owner = any(v_dead)
  ), locked as materialized (
    select o.id from message_order o
     where o.id in (select f.id from found f) and o.state = 'sending' and o.owner = any(v_dead)
     order by o.id for no key update skip locked
  )
  update message_order o set due_at = now() from locked l where o.id = l.id;
  get diagnostics v_released = row_count;
  return v_released;
end $$;
