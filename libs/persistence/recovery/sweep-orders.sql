-- What place_in_backlog says of many orders, in their order. Where an account's lie close together, what its rows point at is read once for all
-- of them: a tenth of the cost where a long backlog of single messages is looked at.
create or replace function places_in_backlog(p_accounts bigint[], p_sequences bigint[]) returns text[]
language plpgsql stable set enable_seqscan = off set enable_hashjoin = on set enable_nestloop = off set plan_cache_mode = force_generic_plan as $$
declare
  v_asked  record;
  v_places text[];
  v_ns     bigint[] := '{}';
  v_all    text[] := '{}';
begin
  for v_asked in
    select a.account, min(a.sequence) as low, max(a.sequence) as high, array_agg(a.sequence order by a.n) as sequences, array_agg(a.n order by a.n) as ns
      from unnest(p_accounts, p_sequences) with ordinality as a(account, sequence, n) group by a.account
  loop
    if v_asked.high - v_asked.low >= 20 * cardinality(v_asked.ns) then
      select array_agg(place_in_backlog(v_asked.account, u.sequence) order by u.n) into v_places
        from unnest(v_asked.sequences) with ordinality as u(sequence, n);
    else
      with pointed as materialized (
        select e.sequence, bool_or(b.owner is null) as waits
          from dispatch_backlog b
         cross join lateral (
           select unnest(b.sequences) as sequence
            union all
           select generate_series(greatest(b.first_sequence, v_asked.low), least(b.last_sequence, v_asked.high)) where b.sequences is null) e
         where b.account_id = v_asked.account and b.last_sequence >= v_asked.low and b.first_sequence <= v_asked.high
         group by e.sequence)
      select array_agg(case when p.waits then 'waits' when not p.waits then 'taken' end order by u.n) into v_places
        from unnest(v_asked.sequences) with ordinality as u(sequence, n) left join pointed p on p.sequence = u.sequence;
    end if;
    v_ns := v_ns || v_asked.ns;
    v_all := v_all || v_places;
  end loop;
  return array(select u.place from unnest(v_ns, v_all) as u(n, place) order by u.n);
end $$;

-- The reconciler's look at every order whose `due_at` has come: so no order stays in a state for ever.
--
-- Guarantees: one sweeper at a time (advisory lock of the transaction); it never waits for a row that somebody works on
--   (skip locked). Returns how many were due (as many as p_limit: there may be more) and the orders to be put on the queue
--   again; enqueueing one twice is harmless. It locks what it looks at, so p_limit is small and it is called again.
-- An order that its account's backlog points at is not offered. While it waits for its account's turn it is due later than any other; what a
-- worker has taken may be over for this order, so it is looked at again like any.
-- p_queue_is_empty: the queue says that it holds nothing, so every queued order that no backlog points at is stranded and need not
--   wait. The last due are looked at first, p_looks_max at a call, and what is offered is due later than it was, so a walk ends:
--   p_stranded_before is where the last call ended, and stranded_from is where the next one has to go on; null: at the end.
--   p_stranded_after is what the first call of the walk before gave as walked_to: what was due until then was looked at.
-- While the queue holds work, an order that waits in it is offered again after ever longer times (doubling with its age, up to
-- half an hour), so that what waits long is not enqueued over and over.
-- Plans are made once, maybe while the tables are empty: only walks along an index stay right as they grow.
-- What an active hold covers is left as it is, but that a segment of a dead owner is in doubt. What is queued of a held account is not offered;
--   when its validity is over it fails like any.
create or replace function sweep_orders(
  p_limit integer, p_sweep_after interval, p_in_doubt_wait interval, p_receipt_deadline interval, p_queue_is_empty boolean,
  p_stranded_before timestamptz default 'infinity', p_stranded_after timestamptz default '-infinity', p_looks_max integer default 2000
) returns table (due_count integer, offered uuid[], offered_accounts bigint[], stranded_from timestamptz, walked_to timestamptz)
language plpgsql set enable_seqscan = off set enable_bitmapscan = off set enable_sort = off set enable_hashjoin = off
set enable_mergejoin = off set plan_cache_mode = force_generic_plan as $$
declare
  v_hold     record;
  -- Of what is due, in no order: what waits on the queue or in a backlog, and may go on doing so; and everything else.
  v_waiting  uuid[];
  v_due      uuid[];
  v_count    integer;
  v_conclude uuid[];
  v_from     timestamptz;
  v_looked   uuid[];
  v_dues     timestamptz[];
  v_accounts bigint[];
  v_places   text[];
  v_stranded uuid[];
begin
  if not pg_try_advisory_xact_lock(hashtext('heliograph.sweep_orders')) then
    return;
  end if;

  select * into v_hold from active_hold();
  if v_hold.held_before = 'infinity' then
    return;
  end if;
  select count(*), array_agg(d.id) filter (where d.is_waiting), array_agg(d.id) filter (where not d.is_waiting)
    into v_count, v_waiting, v_due from (
    select o.id, o.state = 'queued' and o.valid_until > now()
                 and (o.next_attempt_at is null or o.next_attempt_at <= now()) as is_waiting
      from message_order o where o.due_at <= now() order by o.due_at limit p_limit for update skip locked) d;
  v_waiting := coalesce(without_held(v_waiting, v_hold.hold_id, v_hold.held_before), '{}');

  if v_due is not null then
    -- Waiting for a receipt, or owned by a live worker: look again when the time is over.
    update message_order o set due_at = o.lease_until
     where o.id = any(v_due) and o.state = 'sending' and o.lease_until > now();
    update message_order o set due_at = o.sent_at + p_receipt_deadline
     where o.id = any(v_due) and o.state = 'sent' and o.sent_at + p_receipt_deadline > now();

    -- The owner is gone: what it was writing is in doubt, and waits for a receipt before the policy decides.
    update segment s set state = 'in_doubt', in_doubt_since = now()
      from message_order o
     where o.id = any(v_due) and o.state = 'sending' and o.lease_until <= now()
       and s.message_id = o.id and s.state = 'submitting';
    v_due := without_held(v_due, v_hold.hold_id, v_hold.held_before);
    update message_order o set due_at = s.since + p_in_doubt_wait
      from (select g.message_id, max(g.in_doubt_since) as since from segment g
             where g.message_id = any(v_due) and g.state = 'in_doubt' group by g.message_id) s
     where o.id = s.message_id and o.state = 'sending' and o.lease_until <= now() and s.since + p_in_doubt_wait > now();

    -- Waited long enough.
    update segment s set state = case c.in_doubt_policy when 'hold' then 'unknown' else 'pending' end::segment_state
      from message_order o, carrier c
     where o.id = any(v_due) and o.state = 'sending' and o.lease_until <= now() and c.carrier_id = s.carrier_id
       and s.message_id = o.id and s.state = 'in_doubt' and s.in_doubt_since + p_in_doubt_wait <= now();
    update segment s set state = 'unknown'
      from message_order o
     where o.id = any(v_due) and o.state = 'sent' and o.sent_at + p_receipt_deadline <= now()
       and s.message_id = o.id and s.state = 'accepted';

    select array_agg(o.id) into v_conclude from message_order o
     where o.id = any(v_due)
       and (o.state = 'queued' and o.valid_until <= now()
         or o.state = 'sent' and o.sent_at + p_receipt_deadline <= now()
         or o.state = 'sending' and o.lease_until <= now()
            and not exists (select from segment s where s.message_id = o.id and s.state in ('submitting', 'in_doubt')));
    if v_conclude is not null then
      perform derive_order_states(
        v_conclude, 'reconciler', p_in_doubt_wait,
        (select array_agg(case when o.state = 'queued' then 'VALIDITY_OVER' when o.state = 'sent' then 'NO_RECEIPT' end
                          order by w.n)
           from unnest(v_conclude) with ordinality as w(id, n) join message_order o on o.id = w.id),
        p_is_over => true);
      select v_waiting || coalesce(array_agg(o.id), '{}') into v_waiting from message_order o
       where o.id = any(v_conclude) and o.state = 'queued' and o.valid_until > now()
         and (o.next_attempt_at is null or o.next_attempt_at <= now());
    end if;
  end if;

  if p_queue_is_empty then
    select array_agg(l.id), array_agg(l.due_at), places_in_backlog(array_agg(l.account_id), array_agg(l.sequence))
      into v_looked, v_dues, v_places from (
      select o.id, o.due_at, o.account_id, o.sequence from message_order o
       where o.due_at > greatest(p_stranded_after, now()) and o.due_at < least(p_stranded_before, now() + greatest(p_sweep_after, interval '30 minutes'))
         and o.state = 'queued' and o.valid_until > now()
         and o.created_at < now() - interval '2 seconds'
         and (o.created_at >= v_hold.held_before or o.cleared_hold = v_hold.hold_id) and o.account_id <> all(v_hold.held_accounts)
         and (o.next_attempt_at is null or o.next_attempt_at <= now())
       order by o.due_at desc fetch first p_looks_max rows with ties) l;
    select case when count(a.id) >= p_limit then min(a.due_at)
                when cardinality(v_looked) >= p_looks_max then (select min(u) from unnest(v_dues) u) end,
           array_agg(a.id)
      into v_from, v_stranded
      from (select l.id, l.due_at from unnest(v_looked, v_dues, v_places) as l(id, due_at, place) where l.place is null
             order by l.due_at desc fetch first p_limit rows with ties) a;
    -- What comes due within p_sweep_after is looked at then. A walk after the first that finds little there need not keep up with all
    -- that is accepted meanwhile.
    if p_stranded_after > '-infinity' and v_from < now() + p_sweep_after and coalesce(cardinality(v_stranded), 0) < p_limit then
      v_from := null;
    end if;
    select v_waiting || coalesce(array_agg(q.id), '{}') into v_waiting from (
      select o.id from message_order o where o.id = any(v_stranded) and o.state = 'queued' for update skip locked) q;
  end if;
  v_waiting := without_held_accounts(v_waiting, v_hold.held_accounts);
  select array_agg(o.id), array_agg(o.account_id), places_in_backlog(array_agg(o.account_id), array_agg(o.sequence))
    into v_looked, v_accounts, v_places from message_order o where o.id = any(v_waiting);
  return query
  with looked as materialized (
    select l.id, l.account_id, l.place from unnest(v_looked, v_accounts, v_places) as l(id, account_id, place)
  ), put_off as (
    update message_order o
       set due_at = case when l.place = 'waits' then due_in_backlog(o.valid_until)
                         else least(o.valid_until,
                                    now() + greatest(p_sweep_after, least(now() - o.created_at, interval '30 minutes'))) end
      from looked l where o.id = l.id
  ), alone as (
    select l.id, l.account_id from looked l where l.place is null
  )
  select v_count, coalesce(array_agg(a.id), '{}'), coalesce(array_agg(a.account_id), '{}'), v_from,
         -- Those that are younger than two seconds were not looked at.
         now() - interval '2 seconds' + p_sweep_after
    from alone a;
end $$;

-- Lets the sweeper look at once at what dead workers had claimed. A worker that is only slow keeps its live leases.
create or replace function release_dead_workers(p_alive_within interval) returns integer
language plpgsql set enable_seqscan = off as $$
declare
  v_dead     text[];
  v_released integer;
begin
  with dead as (
    delete from process_heartbeat where role = 'worker' and seen_at < now() - p_alive_within returning process_id
  )
  select array_agg(d.process_id) into v_dead from dead d;
  if v_dead is null then
    return 0;
  end if;
  update message_order set due_at = now() where due_at is not null and state = 'sending' and owner = any(v_dead);
  get diagnostics v_released = row_count;
  return v_released;
end $$;

-- Applies receipts that were parked before their segment could be known: the response that names it was not committed
-- yet, or it is one in doubt, whose response may never come. A reference has 16 bits, so it decides only when the response
-- that would name the receipt's message has had p_reference_after to come.
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

-- Housekeeping in slices of p_limit of each kind, so that no statement runs long however much has come together. Returns the
-- size of the largest slice: a full one means that there may be more.
create or replace function purge_expired(p_key_age interval, p_limit integer) returns integer
language plpgsql as $$
declare
  v_deleted integer;
  v_most    integer;
begin
  delete from idempotency_key k where (k.account_id, k.key) in (
    select i.account_id, i.key from idempotency_key i where i.created_at < now() - p_key_age order by i.created_at limit p_limit);
  get diagnostics v_most = row_count;
  delete from parked_receipt where ctid = any(array(
    select p.ctid from parked_receipt p where p.received_at < now() - interval '30 days' limit p_limit));
  get diagnostics v_deleted = row_count;
  v_most := greatest(v_most, v_deleted);
  delete from doubtful_submit where ctid = any(array(
    select d.ctid from doubtful_submit d where d.submitted_at < now() - interval '7 days' limit p_limit));
  get diagnostics v_deleted = row_count;
  v_most := greatest(v_most, v_deleted);
  -- A counter that is used in between must stay: hence the condition twice.
  delete from concatenation_counter where used_at < now() - interval '7 days' and ctid = any(array(
    select c.ctid from concatenation_counter c where c.used_at < now() - interval '7 days' limit p_limit));
  get diagnostics v_deleted = row_count;
  delete from process_heartbeat where seen_at < now() - interval '1 day';
  return greatest(v_most, v_deleted);
end $$;
