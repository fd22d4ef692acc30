-- Pages of an account's orders, newest first, all of them or those that a client looks for.
--
-- Orders are numbered densely by account. So a page of all orders, or of those of a time (p_from, p_to), is one range
-- of numbers, whatever its page number, and the total is a difference. (Retention has dropped the oldest numbers, so
-- the pages of the others do not change.) Other conditions walk one index from the newest number down: by reference, by
-- destination, by tag, by a state that is an exception, by the schedule, or else by number. At most 5,000 orders are
-- examined in a call (3.6 ms) and 1,000 are counted. The walk by number reads the orders themselves, each maybe on a
-- page of its own (30 microseconds if it is not in the database's memory). So it ends after 4 ms too, but not before
-- 500 orders, nor before the end of a page that was asked for by its number. A page may therefore be short, even empty,
-- and still have `next`; `is_capped` says that there may be more than `total`.
--
-- p_before: only orders with lower numbers, for the page that follows another; p_page is 1 then, and there is no total
--   unless it costs nothing.
-- next: what p_before has to be for the page that follows; null: there is none.
-- A page is one row with a JSON array for each column: a client reads that in a third of the time of a hundred rows.
-- Amounts are texts, because most readers turn JSON numbers into floats; times are milliseconds since 1970. date_part
-- is a float: the added half microsecond keeps a whole millisecond from being rounded down. Past the end the arrays are
-- null. `labels` has [reference, tag] by number.
create or replace function find_orders(
  p_account_id bigint, p_page bigint, p_limit bigint, p_before bigint, p_from timestamptz, p_to timestamptz,
  p_state order_state, p_destination text, p_reference text, p_tag text
) returns table (total bigint, is_capped boolean, next bigint, columns json)
language plpgsql stable set enable_seqscan = off set enable_bitmapscan = off set enable_hashjoin = off
set enable_mergejoin = off set jit = off set plan_cache_mode = force_generic_plan as $$
declare
  c_examined constant bigint := 5000;
  c_counted  constant bigint := 1000;
  -- Of the walk by number: how long, how many orders at least, and how many at once.
  c_walk     constant interval := '4 milliseconds';
  c_walked   constant bigint := 500;
  c_part     constant bigint := 250;
  -- The orders in question have numbers above v_low, up to v_high.
  v_low      bigint;
  v_high     bigint;
  v_need     bigint;
  -- The last one of the page among those that were found.
  v_last     integer;
  v_floor    bigint;
  v_found    bigint[];
  v_page     bigint[];
  v_walk_end timestamptz;
begin
  select coalesce(r.last_sequence, 0), b.last_sequence into strict v_low, v_high
    from account_balance b left join account_retired r using (account_id) where b.account_id = p_account_id;
  if p_to is not null then
    v_high := first_sequence_at(p_account_id, p_to, v_low, v_high) - 1;
  end if;
  if p_from is not null then
    v_low := first_sequence_at(p_account_id, p_from, v_low, v_high) - 1;
  end if;

  if p_state is null and p_destination is null and p_reference is null and p_tag is null then
    total := v_high - v_low;
    is_capped := false;
    v_high := least(v_high, p_before - 1) - (p_page - 1) * p_limit;
    v_page := array(select generate_series(v_high, greatest(v_low, v_high - p_limit) + 1, -1));
    if v_high - p_limit > v_low then
      next := v_high - p_limit + 1;
    end if;
  else
    v_high := least(v_high, p_before - 1);
    v_need := case when p_before is null then c_counted else p_limit end + 1;
    v_last := case when p_before is null then least(p_page * p_limit, c_counted) else p_limit end;
    if p_reference is not null then
      select array_agg(f.sequence) into v_found from (
        select c.sequence
          from (select l.sequence, l.tag from order_label l
                 where l.account_id = p_account_id and l.reference = p_reference
                   and l.sequence > v_low and l.sequence <= v_high
                 order by l.sequence desc limit c_examined) c
         cross join lateral (select from message_order o
                              where o.account_id = p_account_id and o.sequence = c.sequence
                                and (p_state is null or o.state = p_state)
                                and (p_destination is null or o.destination = p_destination) offset 0) o
         where p_tag is null or c.tag = p_tag order by c.sequence desc limit v_need) f;
    elsif p_destination is not null then
      select array_agg(f.sequence) into v_found from (
        select c.sequence
          from (select o.sequence, o.state from message_order o
                 where o.account_id = p_account_id and o.destination = p_destination
                   and o.sequence > v_low and o.sequence <= v_high
                 order by o.sequence desc limit c_examined) c
         where (p_state is null or c.state = p_state)
           and (p_tag is null or exists (select from order_label l where l.account_id = p_account_id
                                            and l.sequence = c.sequence and l.tag = p_tag))
         order by c.sequence desc limit v_need) f;
    elsif p_tag is not null then
      select array_agg(f.sequence) into v_found from (
        select c.sequence
          from (select l.sequence from order_label l
                 where l.account_id = p_account_id and l.tag = p_tag and l.sequence > v_low and l.sequence <= v_high
                 order by l.sequence desc limit c_examined) c
         where p_state is null or exists (select from message_order o where o.account_id = p_account_id
                                             and o.sequence = c.sequence and o.state = p_state)
         order by c.sequence desc limit v_need) f;
    elsif p_state in ('undelivered', 'failed', 'canceled', 'unknown') then
      select array_agg(f.sequence) into v_found from (
        select x.sequence from order_exception x
         where x.account_id = p_account_id and x.state = p_state and x.sequence > v_low and x.sequence <= v_high
         order by x.sequence desc limit v_need) f;
    elsif p_state = 'scheduled' then
      select array_agg(f.sequence) into v_found from (
        select c.sequence
          from (select s.sequence from scheduled_sequences(p_account_id, v_low, v_high, c_examined) s) c
         cross join lateral (select from message_order o where o.account_id = p_account_id and o.sequence = c.sequence
                                and o.state = 'scheduled' offset 0) o
         order by c.sequence desc limit v_need) f;
    else
      v_found := '{}';
      v_floor := v_high + 1;
      v_walk_end := clock_timestamp() + c_walk;
      loop
        v_found := v_found || array(
          select o.sequence from message_order o
           where o.account_id = p_account_id
             and o.sequence > greatest(v_low, v_floor - c_part - 1) and o.sequence < v_floor
             and o.state = p_state
           order by o.sequence desc);
        v_floor := nullif(greatest(v_low, v_floor - c_part - 1) + 1, v_low + 1);
        exit when v_floor is null or cardinality(v_found) >= v_need or v_high - v_floor + 1 >= c_examined
          or v_high - v_floor + 1 >= c_walked and clock_timestamp() > v_walk_end
             and (p_page = 1 or cardinality(v_found) >= v_last);
      end loop;
    end if;
    v_found := coalesce(v_found, '{}');

    -- Fewer than wanted: all of them, or the last one that was examined has the number v_floor.
    if v_floor is null and cardinality(v_found) < v_need then
      v_floor := case
        when p_reference is not null then
          (select l.sequence from order_label l
            where l.account_id = p_account_id and l.reference = p_reference
              and l.sequence > v_low and l.sequence <= v_high
            order by l.sequence desc offset c_examined - 1 limit 1)
        when p_destination is not null then
          (select o.sequence from message_order o
            where o.account_id = p_account_id and o.destination = p_destination
              and o.sequence > v_low and o.sequence <= v_high
            order by o.sequence desc offset c_examined - 1 limit 1)
        when p_tag is not null then
          (select l.sequence from order_label l
            where l.account_id = p_account_id and l.tag = p_tag and l.sequence > v_low and l.sequence <= v_high
            order by l.sequence desc offset c_examined - 1 limit 1)
        when p_state in ('undelivered', 'failed', 'canceled', 'unknown') then null
        when p_state = 'scheduled' then
          (select min(s.sequence) from scheduled_sequences(p_account_id, v_low, v_high, c_examined) s
           having count(*) = c_examined)
      end;
    end if;
    next := case when cardinality(v_found) > v_last then v_found[v_last] else v_floor end;
    if p_before is null then
      total := least(cardinality(v_found), c_counted);
      is_capped := cardinality(v_found) > c_counted or v_floor is not null;
    end if;
    -- A page may begin beyond what is counted.
    v_page := case when (p_page - 1) * p_limit < v_last
                   then v_found[((p_page - 1) * p_limit + 1)::integer : v_last] else '{}' end;
  end if;

  return query
  select total, is_capped, next, json_build_object(
           'sequences', json_agg(o.sequence), 'ids', json_agg(o.id), 'recipients', json_agg(o.recipient),
           'messages', json_agg(o.message), 'amounts', json_agg(o.amount::text), 'states', json_agg(o.state),
           'segments', json_agg(o.segments), 'extended', json_agg(o.extended), 'codes', json_agg(o.carrier_code),
           'createdAtMs', json_agg(floor(date_part('epoch', o.created_at) * 1000 + 0.0005)::bigint),
           'sentAtMs', json_agg(floor(date_part('epoch', o.sent_at) * 1000 + 0.0005)::bigint),
           'finalAtMs', json_agg(floor(date_part('epoch', o.final_at) * 1000 + 0.0005)::bigint),
           'sendAtMs', json_agg(floor(date_part('epoch', o.send_at) * 1000 + 0.0005)::bigint),
           'labels', (select json_object_agg(l.sequence, json_build_array(l.reference, l.tag)) from order_label l
                       where l.account_id = p_account_id and l.sequence = any(v_page)))
    from (select * from message_order m where m.account_id = p_account_id and m.sequence = any(v_page)
           order by m.sequence desc limit p_limit) o;
end $$;

-- The highest p_limit numbers in (p_low, p_high] that stand in the schedule, highest first.
create or replace function scheduled_sequences(p_account_id bigint, p_low bigint, p_high bigint, p_limit bigint)
returns table (sequence bigint)
language sql stable rows 1000 set enable_seqscan = off set jit = off set enable_bitmapscan = off as $$
  select n.sequence
    from order_schedule s
   cross join lateral
     generate_series(least(s.last_sequence, p_high), greatest(s.first_sequence, p_low + 1), -1) as n(sequence)
   where s.account_id = p_account_id and s.first_sequence <= p_high
   order by s.first_sequence desc, n.sequence desc limit p_limit
$$;

-- The first number in (p_low, p_high] whose order was accepted at p_at or later, or p_high + 1: a binary search,
-- because later numbers have later times (0.5 ms in a million). If the clock of the database was set back, messages of
-- that moment may be on the wrong side.
create or replace function first_sequence_at(p_account_id bigint, p_at timestamptz, p_low bigint, p_high bigint)
returns bigint
language plpgsql stable set enable_seqscan = off set jit = off set enable_bitmapscan = off
set plan_cache_mode = force_generic_plan as $$
declare
  v_from bigint := p_low + 1;
  v_to   bigint := p_high + 1;
  v_mid  bigint;
  v_at   timestamptz;
begin
  while v_from < v_to loop
    v_mid := (v_from + v_to) / 2;
    v_at := null;
    select o.created_at into v_at from message_order o where o.account_id = p_account_id and o.sequence = v_mid;
    if v_at >= p_at then
      v_to := v_mid;
    else
      v_from := v_mid + 1;
    end if;
  end loop;
  return v_from;
end $$;
