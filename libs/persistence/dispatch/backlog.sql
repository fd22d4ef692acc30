-- The backlogs of the accounts, and the run queue by which the feeder serves the accounts round robin. They make
-- dispatch fair.
--
-- A row of dispatch_backlog points at queued orders of one account: a range of its dense sequence, or a list of
--   numbers. carrier_id 0: the orders are not routed yet. lane 0, single messages, goes before lane 1, batches.
-- dispatch_turn is the run queue: an account with rows stands in it once for each carrier_id. The account with the
--   lowest turn is served next.
-- An order in a backlog is due when its validity ends; an order that has left it is due soon. The same transaction
--   writes the row and the deadline, so an order is either in a backlog, or its deadline brings it back
--   (reconcile_orders).
-- Messages of a sandbox wait for the sandbox's carrier only (carrier_of_account), whoever puts them into the backlog.
-- Lock order: rows of dispatch_turn, of dispatch_backlog and of capped_order, then order rows by id. put_in_backlog
--   holds order rows first, and waits for no lock of a feeder, except at the feeder's end (leave_run_queue).

-- Adds accounts to the run queue of a carrier, at its end; an account that is in it keeps its place. The caller has
-- inserted rows into dispatch_backlog. It waits for a feeder only if that feeder is about to take the account out of
-- the run queue.
--
-- Under load nearly all accounts are in the run queue. So their rows are locked first, and only others are inserted.
create or replace function enter_run_queue(p_account_ids bigint[], p_carrier_id integer) returns void
language plpgsql as $$
declare
  v_missing bigint[] := p_account_ids;
begin
  loop
    v_missing := array(
      select u.id from unnest(v_missing) as u(id)
      except
      select k.account_id
        from (select t.account_id from dispatch_turn t
               where t.carrier_id = carrier_of_account(t.account_id, p_carrier_id) and t.account_id = any(v_missing)
               order by t.account_id for key share) k
      order by 1);
    exit when cardinality(v_missing) = 0;
    -- Again: one that another transaction has inserted meanwhile is to be locked, and one that a feeder has deleted
    -- meanwhile is missing when that transaction is over.
    insert into dispatch_turn (account_id, carrier_id)
    select u.id, carrier_of_account(u.id, p_carrier_id) from unnest(v_missing) with ordinality as u(id, n) order by u.n
    on conflict do nothing;
  end loop;
end $$;

-- Puts queued orders of any accounts into their backlogs; consecutive ones become a range. It leaves out orders that
-- another transaction has locked, and orders that wait for their next attempt: their deadline stands. The wait of the
-- others is over, also if the clock is set back: a feeder would drop what waits again, until its validity ends.
-- p_lane: null puts the orders of an account into lane 0 if they are 50 at most. More of them are a batch, so that they
--   do not go before the single messages of others.
-- It may sort whatever its caller may, because it sorts few rows; without a sort the plan would be a walk along the
-- orders of all accounts.
create or replace function put_in_backlog(p_ids uuid[], p_carrier_id integer, p_lane smallint) returns void
language plpgsql set enable_seqscan = off set jit = off set enable_sort = on as $$
declare
  v_accounts bigint[];
begin
  with locked as (
    select o.id from message_order o
     where o.id = any(p_ids) and o.state = 'queued' and is_attempt_due(o)
     order by o.id for no key update skip locked
  ), put as (
    update message_order o set due_at = o.valid_until, next_attempt_at = null from locked l where o.id = l.id
    returning o.id, o.account_id, o.sequence
  ), counted as (
    -- A transaction that has locked a row removes it, and may be a feeder that waits for these orders.
    delete from capped_order c using (
      select k.account_id, k.message_id from capped_order k
        join put p on k.account_id = p.account_id and k.message_id = p.id
         for update of k skip locked) k
     where c.account_id = k.account_id and c.message_id = k.message_id
  ), numbered as (
    select p.account_id, p.sequence,
           coalesce(p_lane, (count(*) over (partition by p.account_id) > 50)::integer) as lane,
           (row_number() over (partition by p.account_id order by p.sequence) - 1) / 500 as part
      from put p
  ), parts as (
    select n.account_id, n.lane, array_agg(n.sequence order by n.sequence) as sequences
      from numbered n group by n.account_id, n.lane, n.part
  ), rows as (
    insert into dispatch_backlog (account_id, carrier_id, lane, first_sequence, last_sequence, sequences)
    select p.account_id, carrier_of_account(p.account_id, p_carrier_id), p.lane, p.sequences[1],
           p.sequences[cardinality(p.sequences)],
           case when p.sequences[cardinality(p.sequences)] - p.sequences[1] + 1 <> cardinality(p.sequences)
                then p.sequences end
      from parts p
    returning account_id
  )
  select array_agg(distinct r.account_id) into v_accounts from rows r;
  perform enter_run_queue(v_accounts, p_carrier_id);
end $$;

-- Takes up to p_segments_max segments out of the backlogs that wait for a carrier: p_quantum (at most p_segments_max)
-- of the account that has waited longest, then of the next one. A served account goes to the end of the run queue.
--
-- Guarantees: two feeders never take the same rows (skip locked). Orders that were taken are due again within
--   p_due_after, so a feeder that dies before its orders are on a queue loses none of them. It skips orders that are
--   not queued any more, that are held, or that wait for their next attempt: their deadline stands.
-- Of an account's rows lane 0 goes first, but in every fourth turn lane 1 does, so that endless single messages do not
--   stop the account's batches.
-- p_in_flight_max: messages that an account without a bound of its own may have on queues, or at carriers and
--   unanswered; null: no bound. One feeder at a time takes orders of an account with a bound, from whichever scope
--   (advisory lock of the transaction): two would not count what the other takes. For another one the account has no
--   room in this turn.
-- p_anywhere: it begins at a random number of each account, and not with the first row: what stands there cannot leave
--   the carrier, and is put back there again and again, but what stands behind it may.
-- Bounds: it serves 40 accounts, and looks at some 20,000 orders of each, however much waits. With p_anywhere it passes
--   over all rows of an account.
-- (Unpublished versions had fewer arguments: install-functions.ts.)
drop function if exists take_from_backlog(integer, integer, integer, interval, integer);
create or replace function take_from_backlog(
  p_carrier_id integer, p_segments_max integer, p_quantum integer, p_due_after interval, p_in_flight_max integer,
  p_anywhere boolean default false
) returns table (id uuid, account_id bigint, lane smallint, destination text, segments smallint, begun_by integer)
language plpgsql set enable_seqscan = off set jit = off set enable_bitmapscan = off set enable_sort = off
set plan_cache_mode = force_generic_plan as $$
#variable_conflict use_column
declare
  v_hold     record;
  v_turn     record;
  v_rows     dispatch_backlog[];
  v_row      dispatch_backlog;
  v_lane     smallint;
  v_from     bigint := 0;
  v_quantum  integer;
  -- Messages that the account may have in flight besides; null: no bound.
  v_room     integer;
  -- Numbers that were looked at in this turn, and that may be now.
  v_looked   integer;
  v_numbers_max integer;
  v_found    record;
  -- Rows of which nothing is left.
  v_gone     integer;
  v_left     integer := p_segments_max;
  v_ids      uuid[] := '{}';
  v_lanes    smallint[] := '{}';
  v_accounts bigint[] := '{}';
begin
  select * into v_hold from active_hold();
  if v_hold.held_before = 'infinity' then
    return;
  end if;
  for v_try in 1 .. 40 loop
    -- No account has a small part of a turn: turns are nearly equal.
    exit when v_left < least(p_quantum, 25);
    select t.account_id, t.taken, coalesce(a.max_in_flight, p_in_flight_max) as cap into v_turn
      from dispatch_turn t join account a on a.account_id = t.account_id
     where t.carrier_id = p_carrier_id and t.account_id <> all(v_accounts)
     order by t.turn limit 1 for no key update of t skip locked;
    exit when not found;
    update dispatch_turn t set turn = nextval('dispatch_turn_order'), taken = t.taken + 1
     where t.account_id = v_turn.account_id and t.carrier_id = p_carrier_id;
    v_accounts := v_accounts || v_turn.account_id;
    v_quantum := least(p_quantum, v_left);
    v_room := case when v_turn.cap is null then null
                   when pg_try_advisory_xact_lock(hashtext('heliograph.capped_order'), hashint8(v_turn.account_id))
                   then v_turn.cap - capped_in_flight(v_turn.account_id)
                   else 0 end;
    v_lane := 0;
    if v_turn.taken % 4 = 3 then
      v_lane := coalesce((select b.lane from dispatch_backlog b
                           where b.carrier_id = p_carrier_id and b.account_id = v_turn.account_id
                           order by b.lane desc limit 1), 0);
    end if;
    if p_anywhere then
      v_from := (select min(b.first_sequence) + floor(random() * (max(b.last_sequence) - min(b.first_sequence) + 1))
                   from dispatch_backlog b
                  where b.carrier_id = p_carrier_id and b.account_id = v_turn.account_id and b.lane >= v_lane);
    end if;

    v_looked := 0;
    while v_quantum > 0 and coalesce(v_room, 1) > 0 and v_looked < 20000 loop
      -- Where many orders are over, such as those of a batch that was canceled, each look takes twice as many.
      v_numbers_max := greatest(least(v_quantum, v_room), v_looked);
      v_rows := array(
        select b from dispatch_backlog b
         where b.carrier_id = p_carrier_id and b.account_id = v_turn.account_id and b.lane >= v_lane
           and b.last_sequence >= v_from
         order by b.lane, b.first_sequence limit v_numbers_max for update skip locked);
      exit when cardinality(v_rows) = 0;
      -- Each join needs what the one before it gives, so numbers come row by row, in their order. There is one look-up
      -- in the index for each, however far apart they lie.
      select array_agg(q.id) filter (where q.id is not null) as ids,
             array_agg(q.lane) filter (where q.id is not null) as lanes, sum(q.segments)::integer as segments,
             count(*)::integer as numbers, max(q.row)::integer as row, (array_agg(q.sequence))[count(*)] as last
        into v_found
        from (select o.id, n.lane, n.row, n.sequence, coalesce(o.segments, 0) as segments,
                     coalesce(sum(o.segments) over earlier, 0) as before, count(o.id) over earlier as orders
                from (select r.lane, r.ordinality as row, coalesce(r.sequences[i], r.first_sequence + i - 1) as sequence
                        from unnest(v_rows) with ordinality r
                       cross join lateral generate_series(
                         1, least(coalesce(cardinality(r.sequences), r.last_sequence - r.first_sequence + 1),
                                  v_numbers_max)::integer) i
                       limit v_numbers_max) n
                left join lateral (
                  select o.id, o.segments from message_order o
                   where o.account_id = v_turn.account_id and o.sequence = n.sequence
                     and may_be_claimed(o, v_hold.hold_id, v_hold.held_before, v_hold.held_accounts)
                  offset 0) o on true
              window earlier as (rows between unbounded preceding and 1 preceding)) q
       where q.before < v_quantum and coalesce(q.orders < v_room, true);
      -- What stands behind the last number waits for the account's next turn.
      v_row := v_rows[v_found.row];
      v_gone := v_found.row - (v_found.last < v_row.last_sequence)::integer;
      delete from dispatch_backlog b
       where b.account_id = v_turn.account_id
         and b.backlog_id = any(array(select r.backlog_id from unnest(v_rows[1:v_gone]) r));
      if v_gone < v_found.row then
        v_row.sequences := case when v_row.sequences is not null then
                             array(select s from unnest(v_row.sequences) s where s > v_found.last order by s) end;
        update dispatch_backlog b
           set first_sequence = coalesce(v_row.sequences[1], v_found.last + 1), sequences = v_row.sequences
         where b.account_id = v_turn.account_id and b.backlog_id = v_row.backlog_id;
      end if;
      v_looked := v_looked + v_found.numbers;
      continue when v_found.ids is null;
      if v_turn.cap is not null then
        insert into capped_order (account_id, message_id) select v_turn.account_id, i from unnest(v_found.ids) i
        on conflict do nothing;
      end if;
      v_quantum := v_quantum - v_found.segments;
      v_left := v_left - v_found.segments;
      v_room := v_room - cardinality(v_found.ids);
      v_ids := v_ids || v_found.ids;
      v_lanes := v_lanes || v_found.lanes;
    end loop;
  end loop;

  -- Each order is locked by itself, so that its lane and its place stay beside it. A join afterwards would compare each
  -- order with each other one.
  return query
  with locked as (
    select l.id, t.lane, t.place
      from (select * from unnest(v_ids, v_lanes) with ordinality as u(id, lane, place) order by u.id) t
     cross join lateral (
       select o.id from message_order o
        where o.id = t.id and o.state = 'queued' and is_attempt_due(o)
        offset 0 for no key update) l
  ), fed as (
    update message_order o set due_at = least(o.valid_until, now() + p_due_after) from locked l where o.id = l.id
    returning o.id, o.account_id, o.destination, o.segments, o.attempts, o.only_carrier_id, l.lane, l.place
  )
  select f.id, f.account_id, f.lane, f.destination, f.segments,
         case when f.account_id < 0 then carrier_of_account(f.account_id, p_carrier_id)
              when f.only_carrier_id is not null then f.only_carrier_id
              when f.attempts > 0 then
                (select max(s.carrier_id)
                   from segment s join carrier c on c.carrier_id = s.carrier_id and c.removed_at is null
                  where s.message_id = f.id and s.state in ('accepted', 'delivered', 'undelivered', 'unknown')) end
    from fed f order by f.place;
  perform leave_run_queue(v_accounts, p_carrier_id);
end $$;

-- Takes those accounts out of a run queue that have no rows left. The second statement sees what was committed before
-- the first one had its locks. An account that an accept is about to use stays in.
create or replace function leave_run_queue(p_account_ids bigint[], p_carrier_id integer) returns void
language plpgsql set enable_seqscan = off set jit = off as $$
declare
  v_locked bigint[];
begin
  select array_agg(l.account_id) into v_locked from (
    select t.account_id from dispatch_turn t
     where t.carrier_id = p_carrier_id and t.account_id = any(p_account_ids)
       and not exists (select from dispatch_backlog b where b.carrier_id = p_carrier_id and b.account_id = t.account_id)
     order by t.account_id for update skip locked) l;
  delete from dispatch_turn t
   where t.carrier_id = p_carrier_id and t.account_id = any(v_locked)
     and not exists (select from dispatch_backlog b where b.carrier_id = p_carrier_id and b.account_id = t.account_id);
end $$;

-- Counts the messages that an account with a cap has on queues, or at carriers and unanswered. Forgets those that are
-- over.
create or replace function capped_in_flight(p_account_id bigint) returns integer
language plpgsql set enable_seqscan = off set jit = off as $$
begin
  delete from capped_order c using (
    select k.message_id from capped_order k
     where k.account_id = p_account_id
       and not exists (select from message_order o where o.id = k.message_id
                          and (o.state = 'sending'
                               or o.state = 'queued' and is_attempt_due(o)))
       for update skip locked) k
   where c.account_id = p_account_id and c.message_id = k.message_id;
  return (select count(*) from capped_order c where c.account_id = p_account_id);
end $$;
