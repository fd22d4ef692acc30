-- The schedule: orders whose time has not come. A row of order_schedule is a range of numbers of one account that are
-- sent at the same time. Some of its orders may have been canceled meanwhile.
--
-- A scheduled order has no due_at, so nothing meets it before its time, however many there are. The row stands in for
-- it: whoever removes a row queues its orders in the same transaction, or puts them into another row.

-- Adds orders to the schedule: consecutive ones of the same time become one row.
create or replace function schedule_orders(
  p_accounts bigint[], p_sequences bigint[], p_send_ats timestamptz[], p_lanes smallint[]
) returns void
language sql as $$
  insert into order_schedule (account_id, first_sequence, last_sequence, send_at, lane)
  select r.account_id, min(r.sequence), max(r.sequence), r.send_at, r.lane
    from (select s.*,
                 s.sequence
                   - row_number() over (partition by s.account_id, s.send_at, s.lane order by s.sequence) as run
            from unnest(p_accounts, p_sequences, p_send_ats, p_lanes) as s(account_id, sequence, send_at, lane)) r
   group by r.account_id, r.send_at, r.lane, r.run;
$$;

-- The scheduled orders of an account.
create or replace function scheduled_ids(p_account_id bigint) returns setof uuid
language sql stable set enable_seqscan = off set jit = off as $$
  select o.id
    from order_schedule s
   cross join lateral (select m.id from message_order m
                        where m.account_id = p_account_id and m.sequence between s.first_sequence and s.last_sequence
                          and m.state = 'scheduled' offset 0) o
   where s.account_id = p_account_id order by 1
$$;

-- Queues orders whose time has come, up to p_limit: 200 of each account in turn, in the order of the accounts' ids,
-- from the one after p_after_account_id on (null: from the first one on). So an account with a million orders of the
-- same minute delays nobody else's.
--
-- Guarantees: one call at a time, and none beside reconcile_orders (advisory lock of the transaction). What it queues
--   stands in the backlog of its account when the transaction ends, and is due when its validity ends. It waits for no
--   order that another transaction has locked: that one is tried again a second later.
-- What a hold or a held account keeps back is queued all the same, and waits like every queued order.
-- Locks: rows of order_schedule, then order rows by id, then those of put_in_backlog.
-- account_id: p_after_account_id of the next call. is_over: nothing is due. One look costs one probe of an index while
--   nothing is due, else one or two for each account that has scheduled orders; 1,000 accounts at most.
create or replace function start_scheduled(
  p_after_account_id bigint, p_limit integer, out started integer, out account_id bigint, out is_over boolean
) language plpgsql set enable_seqscan = off set jit = off set enable_bitmapscan = off
set plan_cache_mode = force_generic_plan as $$
#variable_conflict use_column
declare
  c_quantum constant integer := 200;
  v_account bigint := p_after_account_id;
  v_left    integer := p_limit;
begin
  started := 0;
  account_id := p_after_account_id;
  is_over := not exists (select from order_schedule s where s.send_at <= now());
  if is_over or not pg_try_advisory_xact_lock(hashtext('heliograph.sweep_orders'))
     or (select h.held_before from active_hold() h) = 'infinity' then
    is_over := true;
    return;
  end if;
  for v_try in 1 .. 1000 loop
    exit when v_left <= 0;
    select s.account_id into v_account from order_schedule s
     where s.account_id > coalesce(v_account, -9223372036854775808) order by s.account_id limit 1;
    account_id := v_account;
    exit when v_account is null;
    if exists (select from order_schedule s where s.account_id = v_account and s.send_at <= now()) then
      started := started + start_scheduled_of(v_account, least(v_left, c_quantum));
      v_left := p_limit - started;
    end if;
  end loop;
end $$;

-- Queues up to p_limit orders of an account whose time has come, the earliest first; returns how many.
create or replace function start_scheduled_of(p_account_id bigint, p_limit integer) returns integer
language plpgsql set enable_seqscan = off set jit = off set enable_bitmapscan = off
set plan_cache_mode = force_generic_plan as $$
declare
  v_batches bigint[];
  v_all     bigint[];
  v_ids     uuid[];
  v_batch   uuid[];
  v_single  uuid[];
begin
  with due as materialized (
    select s.*, sum(s.last_sequence - s.first_sequence + 1) over (order by s.send_at, s.first_sequence)
                - (s.last_sequence - s.first_sequence + 1) as before
      from (select d.first_sequence, d.last_sequence, d.send_at, d.lane from order_schedule d
             where d.account_id = p_account_id and d.send_at <= now()
             order by d.send_at, d.first_sequence limit p_limit) s
  ), taken as (
    select t.first_sequence, t.last_sequence, t.lane,
           least(t.last_sequence, t.first_sequence + p_limit - t.before - 1)::bigint as last_taken
      from due t where t.before < p_limit
  ), whole as (
    delete from order_schedule s using taken t
     where s.account_id = p_account_id and s.first_sequence = t.first_sequence and t.last_taken = t.last_sequence
  ), part as (
    update order_schedule s set first_sequence = t.last_taken + 1 from taken t
     where s.account_id = p_account_id and s.first_sequence = t.first_sequence and t.last_taken < t.last_sequence
  )
  select array_agg(n), coalesce(array_agg(n) filter (where t.lane = 1), '{}') into v_all, v_batches
    from taken t cross join lateral generate_series(t.first_sequence, t.last_taken) n;

  select array_agg(l.id), array_agg(l.id) filter (where l.sequence = any(v_batches)),
         array_agg(l.id) filter (where l.sequence <> all(v_batches))
    into v_ids, v_batch, v_single
    from (select o.id, o.sequence from message_order o
           where o.account_id = p_account_id and o.sequence = any(v_all) and o.state = 'scheduled'
           order by o.id for no key update skip locked) l;
  perform schedule_orders(array_agg(p_account_id), array_agg(o.sequence), array_agg(now() + interval '1 second'),
                          array_agg((o.sequence = any(v_batches))::integer::smallint))
     from message_order o
    where o.account_id = p_account_id and o.sequence = any(v_all) and o.state = 'scheduled'
      and o.id <> all(coalesce(v_ids, '{}'));
  if v_ids is null then
    return 0;
  end if;
  perform move_orders(v_ids, 'scheduled', 'queued', 'reconciler');
  perform put_in_backlog(v_batch, 0, 1::smallint);
  perform put_in_backlog(v_single, 0, null);
  return cardinality(v_ids);
end $$;
