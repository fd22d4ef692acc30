-- What accounts have used, by day of acceptance (UTC), country calling code, status and price of a segment.
--
-- Exact, because it is counted again and never counted up. The messages of an account are divided into chunks by their
-- numbers. A full chunk is counted once its messages are older than 15 minutes. A message that changes when it is older
-- than 10 minutes marks its chunk in the transaction of the change (move_orders), and marked chunks are counted again
-- within a minute. What is not counted yet is read from the orders. `ledger verify` compares every counted chunk that
-- has no mark with its orders.
-- A claim marks nothing: messages that are being sent count as queued.

-- Numbers in a chunk. Counting one takes some 7 ms.
create or replace function usage_chunk_size() returns bigint language sql immutable as $$ select 10000::bigint $$;

-- The country calling code of a number (ITU-T E.164 annex D: one to three digits, no code begins another one).
create or replace function calling_code(p_destination text) returns text language sql immutable as $$
  select case when left(p_destination, 1) in ('1', '7') then left(p_destination, 1)
              when left(p_destination, 2) in (
                '20', '27', '30', '31', '32', '33', '34', '36', '39', '40', '41', '43', '44', '45', '46', '47', '48',
                '49', '51', '52', '53', '54', '55', '56', '57', '58', '60', '61', '62', '63', '64', '65', '66', '81',
                '82', '84', '86', '90', '91', '92', '93', '94', '95', '98') then left(p_destination, 2)
              else left(p_destination, 3) end
$$;

-- Counts the orders with numbers above p_low, up to p_high.
create or replace function count_usage(p_account_id bigint, p_low bigint, p_high bigint) returns table (
  day date, destination text, state order_state, unit_price bigint, messages bigint, segments bigint, amount bigint
) language sql stable set enable_seqscan = off set jit = off set enable_bitmapscan = off as $$
  select (o.created_at at time zone 'UTC')::date, calling_code(o.destination),
         case o.state when 'sending' then 'queued' else o.state end, o.price / o.segments,
         count(*), sum(o.segments)::bigint,
         sum(o.amount)::bigint
    from message_order o
   where o.account_id = p_account_id and o.sequence > p_low and o.sequence <= p_high group by 1, 2, 3, 4
$$;

-- Counts a chunk again. The caller holds the account's row in usage_progress.
create or replace function count_chunk(p_account_id bigint, p_chunk bigint) returns void language sql as $$
  delete from usage_chunk where account_id = p_account_id and chunk = p_chunk;
  insert into usage_chunk
  select p_account_id, p_chunk, u.*
    from count_usage(p_account_id, p_chunk * usage_chunk_size(), (p_chunk + 1) * usage_chunk_size()) u;
$$;

-- Counts up to p_limit marked chunks again, and up to p_limit new ones; returns how many it has counted. One call at a
-- time over all workers (advisory lock of the transaction).
create or replace function roll_up_usage(p_limit integer) returns integer
language plpgsql as $$
declare
  c       record;
  v_count integer := 0;
begin
  if not pg_try_advisory_xact_lock(hashtext('heliograph.roll_up_usage')) then
    return 0;
  end if;
  for c in select distinct x.account_id, x.chunk from usage_change x order by 1, 2 limit p_limit loop
    -- A change that is committed after this statement has a mark that stays.
    delete from usage_change x where x.account_id = c.account_id and x.chunk = c.chunk;
    perform from usage_progress p where p.account_id = c.account_id and p.chunks > c.chunk for update;
    if found then
      perform count_chunk(c.account_id, c.chunk);
    end if;
    v_count := v_count + 1;
  end loop;
  for c in
    select b.account_id, coalesce(p.chunks, 0) as chunk
      from account_balance b left join usage_progress p using (account_id)
      left join message_order o on o.account_id = b.account_id
                                   and o.sequence = (coalesce(p.chunks, 0) + 1) * usage_chunk_size()
     where b.last_sequence >= (coalesce(p.chunks, 0) + 1) * usage_chunk_size()
       and (o.created_at < now() - interval '15 minutes' or o.id is null)
     limit p_limit
  loop
    insert into usage_progress values (c.account_id, c.chunk + 1)
    on conflict (account_id) do update set chunks = excluded.chunks;
    perform count_chunk(c.account_id, c.chunk);
    v_count := v_count + 1;
  end loop;
  return v_count;
end $$;

-- What an account has used on the days from p_from on and before p_to. Of messages that no chunk has counted yet those
-- of at most five chunks are read; counted_until is then the time of the first one that is left out. If these days have
-- none that is counted, a row says only that.
create or replace function account_usage(p_account_id bigint, p_from date, p_to date) returns table (
  day date, destination text, state order_state, messages bigint, segments bigint, amount bigint,
  counted_until timestamptz
) language plpgsql stable set jit = off as $$
declare
  v_low   bigint;
  v_high  bigint;
  v_until timestamptz;
begin
  select greatest(coalesce(p.chunks, 0) * usage_chunk_size(), coalesce(r.last_sequence, 0)), b.last_sequence
    into strict v_low, v_high
    from account_balance b left join usage_progress p using (account_id) left join account_retired r using (account_id)
   where b.account_id = p_account_id;
  if v_high > v_low + 5 * usage_chunk_size() then
    v_high := v_low + 5 * usage_chunk_size();
    select o.created_at into v_until from message_order o where o.account_id = p_account_id and o.sequence = v_high + 1;
  end if;
  return query
  select u.day, u.destination, u.state, sum(u.messages)::bigint, sum(u.segments)::bigint, sum(u.amount)::bigint, v_until
    from (select c.day, c.destination, c.state, c.messages, c.segments, c.amount
            from usage_chunk c where c.account_id = p_account_id
          union all
          select t.day, t.destination, t.state, t.messages, t.segments, t.amount
            from usage_retired t where t.account_id = p_account_id
          union all
          select n.day, n.destination, n.state, n.messages, n.segments, n.amount
            from count_usage(p_account_id, v_low, v_high) n) u
   where u.day >= p_from and u.day < p_to
   group by u.day, u.destination, u.state order by u.day desc, u.destination, u.state;
  if not found and v_until is not null then
    counted_until := v_until;
    return next;
  end if;
end $$;

-- What the messages of the days from p_from on and before p_to were charged when they were accepted, whatever became of
-- them: `segments` times `unit_price` is the amount. It is exact, because a message keeps its day, its segments and its
-- price: a chunk that waits to be counted again is right here. It reads every message that no chunk has counted yet,
-- unless the first of them is of a later day.
create or replace function account_charges(p_account_id bigint, p_from date, p_to date) returns table (
  day date, destination text, unit_price bigint, messages bigint, segments bigint
) language plpgsql stable set jit = off as $$
declare
  v_low  bigint;
  v_high bigint;
begin
  select greatest(coalesce(p.chunks, 0) * usage_chunk_size(), coalesce(r.last_sequence, 0)), b.last_sequence
    into strict v_low, v_high
    from account_balance b left join usage_progress p using (account_id) left join account_retired r using (account_id)
   where b.account_id = p_account_id;
  if exists (select from message_order o where o.account_id = p_account_id and o.sequence = v_low + 1
                                           and o.created_at >= (p_to + 1)::timestamp at time zone 'UTC') then
    v_high := v_low;
  end if;
  return query
  select u.day, u.destination, u.unit_price, sum(u.messages)::bigint, sum(u.segments)::bigint
    from (select c.day, c.destination, c.unit_price, c.messages, c.segments
            from usage_chunk c where c.account_id = p_account_id
          union all
          select t.day, t.destination, t.unit_price, t.messages, t.segments
            from usage_retired t where t.account_id = p_account_id
          union all
          select n.day, n.destination, n.unit_price, n.messages, n.segments
            from count_usage(p_account_id, v_low, v_high) n) u
   where u.day >= p_from and u.day < p_to
   group by u.day, u.destination, u.unit_price order by u.day, u.destination, u.unit_price;
end $$;
