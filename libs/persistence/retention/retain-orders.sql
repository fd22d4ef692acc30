-- Drops what is older than the operator wants to keep: first texts and numbers of messages (redact.sql), later whole
-- messages with their segments, changes of state, references and idempotency keys. Balances, deposits and the journal
-- stay as they are.
--
-- The dropped part of whole messages is always the oldest part of an account, without gaps: sequences 1 to a watermark.
-- So the rest is still dense, pages stay one range of an index, and the checks of the ledger (verify-*.sql) add the
-- sums of `account_retired`.
-- Never dropped: an order that is not final, an unknown one for which a receipt may still come, an order of a batch in
-- open_batch, because `batch.completed` counts all orders of its batch, and what was accepted since the oldest
-- idempotency key, because a repeat is answered from its orders.

-- Whether an order can no longer change. An unknown order waits for a receipt as long as unmatched receipts are kept.
create or replace function is_retainable(o message_order) returns boolean
language sql stable as $$
  select o.final_at is not null
     and (o.state in ('delivered', 'undelivered', 'failed', 'canceled')
          or o.state = 'unknown' and o.final_at < now() - interval '30 days')
$$;

-- What is older is dropped, for one account; null: nothing. An account may have days of its own (0: for ever), and its
-- owner may have wished fewer.
create or replace function retention_times(p_account_id bigint)
returns table (texts_before timestamptz, numbers_before timestamptz, rows_before timestamptz)
language sql stable rows 1 as $$
  select now() - make_interval(days => least(nullif(coalesce(a.text_days, t.text_days), 0), a.client_text_days)),
         now() - make_interval(days => least(nullif(coalesce(a.number_days, t.number_days), 0), a.client_number_days)),
         case when t.row_days is not null then
           least(now() - make_interval(days => t.row_days), (select min(k.created_at) from idempotency_key k)) end
    from (values (abs(p_account_id))) as o(account_id)
    left join retention t on true
    left join account_retention a on a.account_id = o.account_id
$$;

-- The first account of a range of ids of which something is due; null: none. Each account takes some index probes.
create or replace function next_account_to_retain(p_after_account_id bigint, p_last_account_id bigint) returns bigint
language sql stable set enable_seqscan = off set jit = off as $$
  select b.account_id
    from account_balance b
    left join account_retired r using (account_id)
   cross join lateral retention_times(b.account_id) t
   where b.account_id > p_after_account_id and b.account_id <= p_last_account_id
     and (exists (select from message_order o
                   where o.account_id = b.account_id and o.sequence = coalesce(r.last_sequence, 0) + 1
                     and o.final_at < t.rows_before and is_retainable(o))
       or exists (select from message_order o
                   where o.account_id = b.account_id and o.sequence = greatest(r.last_text, r.last_sequence, 0) + 1
                     and (o.final_at < t.texts_before or o.created_at < t.texts_before - interval '1 day'))
       or exists (select from message_order o
                   where o.account_id = b.account_id and o.sequence = greatest(r.last_number, r.last_sequence, 0) + 1
                     and (o.final_at < t.numbers_before or o.created_at < t.numbers_before - interval '1 day'))
       or exists (select from inbound_message m
                   where m.account_id = b.account_id and m.number = coalesce(r.last_inbound_text, 0) + 1
                     and m.received_at < t.texts_before)
       or exists (select from inbound_message m
                   where m.account_id = b.account_id and m.number = coalesce(r.last_inbound_number, 0) + 1
                     and m.received_at < t.numbers_before))
   order by b.account_id limit 1
$$;

-- Drops up to p_limit texts, numbers and messages of an account. received: texts and numbers of messages from handsets.
--
-- Guarantees: one transaction; exactly the deleted rows are counted as retired. It waits for no lock: an order that is
--   locked ends the slice before it. It never blocks accepting, because it does not touch the balance row.
-- Locks: the account's row in account_retired, then order rows by id, then the account's row in usage_progress, then
--   segments, changes and keys.
create or replace function retain_slice(
  p_account_id bigint, p_texts_before timestamptz, p_numbers_before timestamptz, p_rows_before timestamptz,
  p_limit integer,
  out texts integer, out numbers integer, out received integer, out orders integer
) language plpgsql set enable_seqscan = off set jit = off set enable_bitmapscan = off
set plan_cache_mode = force_generic_plan as $$
declare
  r          account_retired%rowtype;
  v_ids      uuid[];
  v_last     bigint;
  v_text     bigint;
  v_number   bigint;
  v_inbound_text   bigint;
  v_inbound_number bigint;
begin
  insert into account_retired (account_id) values (p_account_id) on conflict do nothing;
  select * into strict r from account_retired a where a.account_id = p_account_id for update;

  select f.orders, f.last into texts, v_text
    from redact_oldest(p_account_id, greatest(r.last_text, r.last_sequence), p_texts_before, p_limit, true, false) f;
  select f.orders, f.last into numbers, v_number
    from redact_oldest(p_account_id, greatest(r.last_number, r.last_sequence),
                       p_numbers_before, p_limit, false, true) f;
  select f.messages, f.last into received, v_inbound_text
    from redact_oldest_inbound(p_account_id, r.last_inbound_text, p_texts_before, p_limit, true, false) f;
  select greatest(received, f.messages), f.last into received, v_inbound_number
    from redact_oldest_inbound(p_account_id, r.last_inbound_number, p_numbers_before, p_limit, false, true) f;
  if coalesce(v_text, v_number, v_inbound_text, v_inbound_number) is not null then
    update account_retired a
       set last_text = coalesce(v_text, a.last_text), last_number = coalesce(v_number, a.last_number),
           last_inbound_text = coalesce(v_inbound_text, a.last_inbound_text),
           last_inbound_number = coalesce(v_inbound_number, a.last_inbound_number), retired_at = now()
     where a.account_id = p_account_id;
  end if;

  select f.ids, f.last into v_ids, v_last
    from oldest_to_drop(p_account_id, r.last_sequence, p_rows_before, p_limit) f;
  orders := coalesce(cardinality(v_ids), 0);
  if orders = 0 then
    return;
  end if;
  -- Also of an account that nothing was counted of yet: roll_up_usage() may be doing that for the first time.
  insert into usage_progress values (p_account_id, 0) on conflict do nothing;
  perform from usage_progress p where p.account_id = p_account_id for update;
  insert into usage_retired as u
  select p_account_id, c.* from count_usage(p_account_id, r.last_sequence, v_last) c
  on conflict (account_id, day, destination, state, unit_price) do update
     set messages = u.messages + excluded.messages, segments = u.segments + excluded.segments,
         amount = u.amount + excluded.amount;
  delete from segment s where s.message_id = any(v_ids);
  delete from order_transition t where t.message_id = any(v_ids);
  delete from doubtful_submit d where d.message_id = any(v_ids);
  delete from order_exception x
   where x.account_id = p_account_id and x.state in ('undelivered', 'failed', 'canceled', 'unknown')
     and x.sequence <= v_last;
  delete from order_label l where l.account_id = p_account_id and l.sequence <= v_last;
  delete from redaction_due d where d.account_id = p_account_id and d.sequence <= v_last;
  delete from message_batch b
   where b.account_id = p_account_id and b.first_sequence <= v_last and b.first_sequence + b.order_count - 1 <= v_last;

  with gone as (
    delete from message_order o where o.id = any(v_ids) returning o.price, o.amount, o.capture_entry, o.release_entry
  ), summed as (
    select coalesce(sum(g.price), 0)::bigint as price, coalesce(sum(g.amount), 0)::bigint as amount from gone g
  ), counted as (
    update account_retired a
       set last_sequence = v_last, price = a.price + s.price, amount = a.amount + s.amount, retired_at = now()
      from summed s where a.account_id = p_account_id
  ), parts as (
    select g.capture_entry as entry, sum(g.amount)::bigint as amount, count(*)::integer as orders
      from gone g where g.capture_entry is not null group by g.capture_entry
    union all
    select g.release_entry, sum(g.price - g.amount)::bigint, count(*)::integer
      from gone g where g.release_entry is not null group by g.release_entry
  )
  insert into retired_part as p (account_id, entry, amount, orders)
  select p_account_id, e.entry, e.amount, e.orders from parts e
  on conflict (account_id, entry) do update
       set amount = p.amount + excluded.amount, orders = p.orders + excluded.orders;

  perform count_chunk(p_account_id, c) from usage_progress p,
          generate_series(r.last_sequence / usage_chunk_size(),
                          least((v_last - 1) / usage_chunk_size(), p.chunks - 1)) c
   where p.account_id = p_account_id;

  -- An entry without remaining messages needs no row of its own: the account's sums contain it.
  with whole as (
    delete from retired_part p using journal_entry j
     where p.account_id = p_account_id and j.account_id = p.account_id and j.entry = p.entry
       and j.amount = p.amount and j.order_count = p.orders
    returning j.kind, j.amount, j.order_count
  ), summed as (
    select coalesce(sum(w.amount) filter (where w.kind = 'capture'), 0)::bigint as captured,
           coalesce(sum(w.order_count) filter (where w.kind = 'capture'), 0)::bigint as captures,
           coalesce(sum(w.amount) filter (where w.kind = 'release'), 0)::bigint as released,
           coalesce(sum(w.order_count) filter (where w.kind = 'release'), 0)::bigint as releases
      from whole w
  )
  update account_retired a
     set captured = a.captured + s.captured, captures = a.captures + s.captures,
         released = a.released + s.released, releases = a.releases + s.releases
    from summed s where a.account_id = p_account_id;
end $$;

-- Locks and returns the oldest orders above a sequence that are due, up to the first one that is not due, or is locked,
-- or is of a batch in open_batch.
create or replace function oldest_to_drop(
  p_account_id bigint, p_after_sequence bigint, p_before timestamptz, p_limit integer,
  out ids uuid[], out last bigint
) language plpgsql set enable_seqscan = off set jit = off set enable_bitmapscan = off
set plan_cache_mode = force_generic_plan as $$
declare
  v_end bigint;
begin
  if p_before is null then
    return;
  end if;
  -- By message_batch, because open_batch has no index by account.
  select coalesce(min(m.first_sequence) - 1, p_after_sequence + p_limit) into v_end
    from message_batch m join open_batch b using (batch_id)
   where m.account_id = p_account_id and m.first_sequence <= p_after_sequence + p_limit;
  with locked as materialized (
    select o.id, o.sequence, o.final_at < p_before and is_retainable(o) as is_due
      from message_order o
     where o.account_id = p_account_id and o.sequence > p_after_sequence and o.sequence <= v_end
       for update skip locked
  ), dense as (
    select l.*, l.sequence = p_after_sequence + row_number() over w and bool_and(l.is_due) over w as is_next
      from locked l window w as (order by l.sequence)
  )
  select array_agg(d.id order by d.id), max(d.sequence) into ids, last
    from dense d where d.is_next;
end $$;

-- One step of the scheduled job: the next account with something due, and a slice of it, by the operator's settings.
--
-- Guarantees: one at a time over all workers (advisory lock of the transaction); limited by p_limit, and by 10,000
--   examined accounts (0.2 s). account_id is the last examined account; the caller continues after it, or calls again
--   if the account may have more (is_full).
-- Null: there are no accounts above p_after_account_id, or retention is off, or (is_busy) another worker is doing it.
create or replace function retain_next(
  p_after_account_id bigint, p_limit integer,
  out is_busy boolean, out account_id bigint, out texts integer, out orders integer,
  out numbers integer, out received integer,
  out is_full boolean
) language plpgsql as $$
declare
  t      record;
  v_last bigint;
  v_due  bigint;
begin
  is_busy := not pg_try_advisory_xact_lock(hashtext('heliograph.retain_orders'));
  if is_busy
     or not exists (select from retention s where coalesce(s.text_days, s.number_days, s.row_days) is not null)
        and not exists (select from account_retention) then
    return;
  end if;
  select max(a.id) into v_last from (
    select b.account_id as id from account_balance b where b.account_id > p_after_account_id
     order by b.account_id limit 10000) a;
  if v_last is null then
    perform redact_unassigned(p_limit);
    return;
  end if;
  v_due := next_account_to_retain(p_after_account_id, v_last);
  account_id := coalesce(v_due, v_last);
  is_full := false;
  if v_due is not null then
    select * into t from retention_times(v_due);
    select s.texts, s.numbers, s.received, s.orders into texts, numbers, received, orders
      from retain_slice(v_due, t.texts_before, t.numbers_before, t.rows_before, p_limit) s;
    is_full := greatest(texts, numbers, received, orders) >= p_limit;
  end if;
end $$;

-- Messages from handsets that are nobody's follow the settings for all, at most p_limit in a round. The conditions are
-- those of indexes, as redacted_number() leaves a number; the order keeps the planner at these.
create or replace function redact_unassigned(p_limit integer) returns void
language plpgsql as $$
declare
  t record;
begin
  select now() - make_interval(days => s.text_days) as texts_before,
         now() - make_interval(days => s.number_days) as numbers_before
    into t from retention s;
  perform redact_inbound(array(select m.inbound_id from inbound_message m
                                where m.account_id is null and m.received_at < t.texts_before and m.message <> ''
                                order by m.received_at limit p_limit), true, false);
  perform redact_inbound(array(select m.inbound_id from inbound_message m
                                where m.account_id is null and m.received_at < t.numbers_before
                                  and m.source !~ '^[0-9]*[*]+$'
                                order by m.received_at limit p_limit), false, true);
end $$;
