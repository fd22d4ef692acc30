-- Pages of an account's orders and deposits, newest first.
--
-- Both are numbered densely per account, so page p of l items is the range (last - p*l, last - (p-1)*l]: one range of
-- an index for every page. The total is a stored number; for orders without those that retention has dropped, which
-- were the oldest, so the pages of the others do not change. The bounds are computed before the range is read, so that
-- the planner sees a range with a limit and walks the index backwards; a connection makes the plan once.
-- A page past the end has only the total.

-- A page is one row with a JSON array for each column: a client reads that in a third of the time of a hundred rows.
-- Amounts are texts, because most readers turn JSON numbers into floats; times are milliseconds since 1970. Past the
-- end the arrays are null.
-- A page of 100 takes a backend 327 us. Without segments, codes and the last two times, and with array_agg and extract
-- (a numeric), it took 313 us. date_part is a float: the added half microsecond keeps a whole millisecond from being
-- rounded down.
-- A gateway reads the arrays that it knows; one of 0.1.0 ignores the new ones.
create or replace function orders_page_columns(p_account_id bigint, p_page bigint, p_limit bigint) returns table (total bigint, columns json)
language plpgsql stable set enable_seqscan = off set enable_bitmapscan = off set jit = off
set plan_cache_mode = force_generic_plan as $$
declare
  v_last  bigint;
  v_total bigint;
begin
  select b.last_sequence, b.last_sequence - coalesce(r.last_sequence, 0) into strict v_last, v_total
    from account_balance b left join account_retired r using (account_id) where b.account_id = p_account_id;
  return query
  select v_total, json_build_object(
           'ids', json_agg(o.id), 'recipients', json_agg(o.recipient), 'messages', json_agg(o.message),
           'amounts', json_agg(o.amount::text), 'states', json_agg(o.state), 'segments', json_agg(o.segments),
           'extended', json_agg(o.extended), 'codes', json_agg(o.carrier_code),
           'createdAtMs', json_agg(floor(date_part('epoch', o.created_at) * 1000 + 0.0005)::bigint),
           'sentAtMs', json_agg(floor(date_part('epoch', o.sent_at) * 1000 + 0.0005)::bigint),
           'finalAtMs', json_agg(floor(date_part('epoch', o.final_at) * 1000 + 0.0005)::bigint))
    from (select * from message_order m
           where m.account_id = p_account_id and m.sequence > v_last - p_page * p_limit
             and m.sequence <= v_last - (p_page - 1) * p_limit
           order by m.sequence desc limit p_limit) o;
end $$;

-- Amounts as paid and as booked. One JSON document for a page would save little, because accounts have few deposits.
create or replace function deposits_booked_page(p_account_id bigint, p_page bigint, p_limit bigint)
returns table (total bigint, amount bigint, currency text, created_at timestamptz, kind text, account_amount bigint, reference text, reason text)
language plpgsql stable set enable_seqscan = off set enable_bitmapscan = off set jit = off
set plan_cache_mode = force_generic_plan as $$
declare
  v_total bigint;
begin
  select b.last_deposit into strict v_total from account_balance b where b.account_id = p_account_id;
  return query
  select v_total, d.amount, d.currency, d.created_at, d.kind, d.account_amount, d.reference, d.reason
    from deposit d
   where d.account_id = p_account_id and d.deposit_number > v_total - p_page * p_limit
     and d.deposit_number <= v_total - (p_page - 1) * p_limit
   order by d.deposit_number desc limit p_limit;
  -- Past the end.
  if not found then
    return query select v_total, null::bigint, null::text, null::timestamptz, null::text, null::bigint, null::text, null::text;
  end if;
end $$;
