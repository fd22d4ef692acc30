-- The backlogs of the accounts and the ring in which they take turns: what makes dispatch fair.
--
-- An order that need not go at once is pointed at by a row of dispatch_backlog: a range of its account's dense sequence, or a list
-- of them. A row is a hint: what it points at may have been claimed, ended, or be pointed at twice. dispatch_turn is the ring: an
-- account that has rows nobody has taken stands in it once for each scope (carrier_id; 0 is any carrier), and a turn moves
-- it to the tail. Lock order: a row of dispatch_turn, then rows of dispatch_backlog; orders are read and never locked.

-- Puts accounts into the ring of a scope, at its tail; who stands in it keeps the place. It writes rows that are there too, and so waits
-- for a turn that is being taken: a turn that finds no rows and ends must not overlook those that come meanwhile.
create or replace function start_turns(p_account_ids bigint[], p_carrier_id integer) returns void
language plpgsql as $$
begin
  insert into dispatch_turn as t (account_id, carrier_id)
  select a.id, p_carrier_id from (select distinct u.id from unnest(p_account_ids) as u(id)) a order by a.id
  on conflict (account_id, carrier_id) do update set turn = t.turn;
end $$;

-- Takes up to p_segments_max segments of the account that has waited longest, and sends it to the tail of the ring; p_turns times, so
-- that a busy worker need not ask for every turn, and turns are equal whatever the pace.
--
-- Guarantees: no two workers take the same rows (skip locked), and an account whose turn is being taken is passed over; what is
--   taken belongs to p_worker until finish_turns or give_back_turns, or until the worker is dead (tend_backlogs). Orders that may not be claimed
--   now are passed over and not kept: their due_at brings them back.
-- Bounds: p_rows_max rows and p_looks_max orders of each are looked at, however much waits, and a few accounts of which nothing is left.
-- Of an account's own rows lane 0 goes first, but in one turn of four: so single messages that come faster than they can go do not keep
--   its batches waiting for ever.
-- p_except: accounts that are not to have a turn here now. p_done: rows of earlier turns that are over.
-- A crash of the server may undo the last turns (asynchronous commit): then they are taken again, and the claims decide.
create or replace function take_turn(
  p_carrier_id integer, p_worker text, p_segments_max integer, p_turns integer, p_except bigint[], p_done bigint[],
  p_rows_max integer default 100, p_looks_max integer default 1000
) returns table (backlog_id bigint, account_id bigint, lane smallint, ids uuid[])
language plpgsql set enable_seqscan = off set enable_bitmapscan = off set enable_sort = off
set plan_cache_mode = force_generic_plan as $$
#variable_conflict use_column
declare
  v_hold    record;
  v_account bigint;
  v_taken   integer;
  v_lane    smallint;
  v_left    integer := p_segments_max;
  v_turns   integer := 0;
  v_row     record;
  v_end     bigint;
  v_wanted  bigint[];
  v_found   record;
begin
  perform set_config('synchronous_commit', 'off', true);
  if cardinality(p_done) > 0 then
    delete from dispatch_backlog b where b.owner = p_worker and b.backlog_id = any(p_done);
  end if;
  select * into v_hold from active_hold();
  if v_hold.held_before = 'infinity' then
    return;
  end if;
  for v_try in 1 .. 10 + p_turns loop
    select t.account_id, t.taken into v_account, v_taken from dispatch_turn t
     where t.carrier_id = p_carrier_id and t.account_id <> all(p_except)
     order by t.turn limit 1 for update skip locked;
    if not found then
      return;
    end if;
    v_lane := 0;
    if v_taken % 4 = 3 then
      select max(l.lane) into v_lane
        from (select b.lane from dispatch_backlog b
               where b.carrier_id = p_carrier_id and b.account_id = v_account and b.owner is null
               order by b.lane desc limit 1) l;
      v_lane := coalesce(v_lane, 0);
    end if;

    for v_row in
      select b.* from dispatch_backlog b
       where b.carrier_id = p_carrier_id and b.account_id = v_account and b.owner is null and b.lane >= v_lane
       order by b.lane, b.first_sequence limit p_rows_max for update skip locked
    loop
      exit when v_left <= 0;
      -- One look-up in the index for each, however far apart they lie.
      v_wanted := coalesce(
        v_row.sequences[1:p_looks_max],
        array(select generate_series(v_row.first_sequence, least(v_row.last_sequence, v_row.first_sequence + p_looks_max - 1))));
      v_end := v_wanted[cardinality(v_wanted)];
      select array_agg(q.id order by q.sequence) as ids, max(q.sequence) as last, coalesce(sum(q.segments), 0) as segments into v_found
        from (select o.id, o.sequence, o.segments, sum(o.segments) over (order by o.sequence) - o.segments as before
                from message_order o
               where o.account_id = v_account and o.sequence = any(v_wanted)
                 and o.state = 'queued' and o.valid_until > now() and (o.next_attempt_at is null or o.next_attempt_at <= now())
                 and (o.created_at >= v_hold.held_before or o.cleared_hold = v_hold.hold_id) and o.account_id <> all(v_hold.held_accounts)
               order by o.sequence limit v_left) q
       where q.before < v_left;
      -- Stopped by the quantum: the rest of the row waits for the next turn.
      if v_found.segments >= v_left then
        v_end := v_found.last;
      end if;
      v_left := v_left - v_found.segments;

      backlog_id := v_row.backlog_id;
      if v_end >= v_row.last_sequence then
        if v_found.ids is null then
          delete from dispatch_backlog b where b.account_id = v_account and b.backlog_id = v_row.backlog_id;
        else
          update dispatch_backlog b set owner = p_worker where b.account_id = v_account and b.backlog_id = v_row.backlog_id;
        end if;
      else
        update dispatch_backlog b
           set first_sequence = case when b.sequences is null then v_end + 1
                                     else (select min(s) from unnest(b.sequences) s where s > v_end) end,
               sequences = case when b.sequences is not null
                                then array(select s from unnest(b.sequences) s where s > v_end order by s) end
         where b.account_id = v_account and b.backlog_id = v_row.backlog_id;
        if v_found.ids is not null then
          insert into dispatch_backlog as b (account_id, carrier_id, lane, first_sequence, last_sequence, sequences, owner)
          values (v_account, p_carrier_id, v_row.lane, v_row.first_sequence, v_end,
                  case when v_row.sequences is not null
                       then array(select s from unnest(v_row.sequences) s where s <= v_end order by s) end, p_worker)
          returning b.backlog_id into backlog_id;
        end if;
      end if;
      if v_found.ids is not null then
        account_id := v_account;
        lane := v_row.lane;
        ids := v_found.ids;
        return next;
      end if;
    end loop;

    if exists (select from dispatch_backlog b
                where b.carrier_id = p_carrier_id and b.account_id = v_account and b.owner is null) then
      update dispatch_turn t set turn = nextval('dispatch_turn_order'), taken = t.taken + 1
       where t.account_id = v_account and t.carrier_id = p_carrier_id;
    else
      delete from dispatch_turn t where t.account_id = v_account and t.carrier_id = p_carrier_id;
    end if;
    if v_left < p_segments_max then
      v_turns := v_turns + 1;
      v_left := p_segments_max;
    end if;
    exit when v_turns >= p_turns;
  end loop;
end $$;

-- Turns that a worker has done with: their orders are claimed, or somebody else's.
create or replace function finish_turns(p_worker text, p_done bigint[]) returns void
language sql as $$
  delete from dispatch_backlog b where b.owner = p_worker and b.backlog_id = any(p_done)
$$;

-- Turns that a worker cannot go on with: somebody else takes them.
create or replace function give_back_turns(p_worker text, p_backlog_ids bigint[]) returns void
language plpgsql as $$
declare
  v_scope record;
begin
  for v_scope in
    with given as (
      update dispatch_backlog b set owner = null
       where b.owner = p_worker and b.backlog_id = any(p_backlog_ids) returning b.account_id, b.carrier_id
    )
    select g.carrier_id, array_agg(g.account_id) as account_ids from given g group by g.carrier_id order by g.carrier_id
  loop
    perform start_turns(v_scope.account_ids, v_scope.carrier_id);
  end loop;
end $$;

-- Puts queued orders into the backlogs of their accounts, whosever they are: consecutive ones become a range. lane 0 goes before 1.
-- A crash of the server may undo it (asynchronous commit): then their due_at brings them back.
create or replace function put_in_backlog(p_ids uuid[], p_carrier_id integer, p_lane smallint) returns void
language plpgsql set enable_seqscan = off as $$
declare
  v_accounts bigint[];
begin
  perform set_config('synchronous_commit', 'off', true);
  with numbered as (
    select o.account_id, o.sequence, (row_number() over (partition by o.account_id order by o.sequence) - 1) / 500 as part
      from message_order o where o.id = any(p_ids) and o.state = 'queued'
  ), parts as (
    select n.account_id, min(n.sequence) as first, max(n.sequence) as last, array_agg(n.sequence order by n.sequence) as sequences
      from numbered n group by n.account_id, n.part
  ), put as (
    insert into dispatch_backlog (account_id, carrier_id, lane, first_sequence, last_sequence, sequences)
    select p.account_id, p_carrier_id, p_lane, p.first, p.last,
           case when p.last - p.first + 1 <> cardinality(p.sequences) then p.sequences end
      from parts p
    returning account_id
  )
  select array_agg(distinct p.account_id) into v_accounts from put p;
  if v_accounts is not null then
    perform start_turns(v_accounts, p_carrier_id);
  end if;
end $$;

-- When the sweeper looks at an order that may be claimed and waits for its account's turn. The backlog brings it: a turn passes over
-- only what is claimed, put off or held by then, and each of these sets another time. That it is looked at nevertheless is for a row
-- that was lost. However long a backlog is, so few of it are looked at.
create or replace function due_in_backlog(p_valid_until timestamptz) returns timestamptz
language sql stable as $$
  select least(p_valid_until, now() + interval '2 hours')
$$;

-- Whether a row points at the order: `waits` for its account's turn, `taken` by a worker that has it in hand, or did a moment ago; null:
-- none does. It looks at few rows, so one in many that overlap may be missed: then the order is offered once more, which is harmless.
create or replace function place_in_backlog(p_account_id bigint, p_sequence bigint) returns text
language sql stable as $$
  select case when bool_or(n.owner is null) then 'waits' when count(*) > 0 then 'taken' end
    from (select b.first_sequence, b.sequences, b.owner from dispatch_backlog b
           where b.account_id = p_account_id and b.last_sequence >= p_sequence order by b.last_sequence limit 8) n
   where n.first_sequence <= p_sequence and (n.sequences is null or p_sequence = any(n.sequences))
$$;

-- Frees what dead workers had taken, brings what waits for a carrier that is no more to any, and puts accounts that have
-- rows back into the ring should one be missing.
create or replace function tend_backlogs() returns void
language plpgsql set enable_seqscan = off as $$
begin
  update dispatch_backlog b set owner = null
   where b.owner is not null and not exists (select from process_heartbeat h where h.process_id = b.owner);
  update dispatch_backlog b set carrier_id = 0
   where b.owner is null and b.carrier_id in (select c.carrier_id from carrier c where c.removed_at is not null);
  insert into dispatch_turn (account_id, carrier_id)
  select distinct b.account_id, b.carrier_id from dispatch_backlog b where b.owner is null order by 1, 2
  on conflict do nothing;
end $$;
