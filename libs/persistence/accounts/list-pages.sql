-- Pages of an account's deposits, newest first.
--
-- They are numbered densely by account, so page p of l items is the range (last - p*l, last - (p-1)*l]: one range of an
-- index for every page. The total is a stored number. The bounds are computed before the range is read, so that the
-- planner sees a range with a limit and walks the index backwards; a connection makes the plan once.
-- A page past the end has only the total.

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
