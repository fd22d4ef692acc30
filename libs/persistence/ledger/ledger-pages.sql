-- Pages of an account's deposits and of its journal, newest first.
--
-- Both are numbered densely by account, so page p of l items is the range (last - p*l, last - (p-1)*l]: one range of an
-- index for every page, and the total is a stored number. The bounds are computed before the range is read, so that the
-- planner sees a range with a limit and walks the index backwards; a connection makes the plan once.
-- p_before: only lower numbers, for the page that follows another; p_page is 1 then.
-- A page past the end has only the total.

-- Amounts as paid and as booked. One JSON document for a page would save little, because accounts have few deposits.
create or replace function deposits_page(p_account_id bigint, p_page bigint, p_limit bigint, p_before bigint)
returns table (
  total bigint, number bigint, amount bigint, currency text, created_at timestamptz, kind text, account_amount bigint,
  reference text, reason text
)
language plpgsql stable set enable_seqscan = off set enable_bitmapscan = off set jit = off
set plan_cache_mode = force_generic_plan as $$
declare
  v_high bigint;
begin
  select b.last_deposit into strict total from account_balance b where b.account_id = p_account_id;
  v_high := least(total, p_before - 1) - (p_page - 1) * p_limit;
  return query
  select total, d.deposit_number, d.amount, d.currency, d.created_at, d.kind, d.account_amount, d.reference, d.reason
    from deposit d
   where d.account_id = p_account_id and d.deposit_number > v_high - p_limit and d.deposit_number <= v_high
   order by d.deposit_number desc limit p_limit;
  if not found then
    return next;
  end if;
end $$;

create or replace function journal_page(p_account_id bigint, p_page bigint, p_limit bigint, p_before bigint)
returns table (
  total bigint, number bigint, kind entry_kind, debit ledger_bucket, credit ledger_bucket, amount bigint,
  available_after bigint, order_count integer, reason text, created_at timestamptz
)
language plpgsql stable set enable_seqscan = off set enable_bitmapscan = off set jit = off
set plan_cache_mode = force_generic_plan as $$
declare
  v_high bigint;
begin
  select b.last_entry into strict total from account_balance b where b.account_id = p_account_id;
  v_high := least(total, p_before - 1) - (p_page - 1) * p_limit;
  return query
  select total, j.entry, j.kind, j.debit, j.credit, j.amount, j.available_after, j.order_count, j.reason, j.created_at
    from journal_entry j
   where j.account_id = p_account_id and j.entry > v_high - p_limit and j.entry <= v_high
   order by j.entry desc limit p_limit;
  if not found then
    return next;
  end if;
end $$;
