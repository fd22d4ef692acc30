-- The entries of an account's journal in a month.
--
-- Entries are numbered in the order in which they were written, but an entry has the time at which its transaction
-- began. So the entries of a month are a range of numbers only roughly. statement_entries reads the range with an hour
-- more on either side, and picks by time. No transaction of the service takes an hour, so nothing is missed.

-- The last entry before the first one that was written at p_at or later; found by halving, because no index has times.
create or replace function entry_before(p_account_id bigint, p_at timestamptz) returns bigint
language plpgsql stable as $$
declare
  v_low    bigint := 0;
  v_high   bigint;
  v_middle bigint;
begin
  select b.last_entry + 1 into strict v_high from account_balance b where b.account_id = p_account_id;
  while v_high - v_low > 1 loop
    v_middle := (v_low + v_high) / 2;
    if (select j.created_at < p_at from journal_entry j where j.account_id = p_account_id and j.entry = v_middle) then
      v_low := v_middle;
    else
      v_high := v_middle;
    end if;
  end loop;
  return v_low;
end $$;

-- Where the entries from p_from on and before p_to stand, and the balance at p_from.
create or replace function statement_bounds(
  p_account_id bigint, p_from timestamptz, p_to timestamptz, out low bigint, out high bigint, out opening bigint
) language plpgsql stable as $$
declare
  -- No entry behind it is of before p_from.
  v_last bigint := entry_before(p_account_id, p_from + interval '1 hour');
begin
  low := entry_before(p_account_id, p_from - interval '1 hour');
  high := entry_before(p_account_id, p_to + interval '1 hour');
  select coalesce((select j.available_after from journal_entry j
                    where j.account_id = p_account_id and j.entry = low), 0)
         + coalesce(sum(case when j.credit = 'available' then j.amount
                             when j.debit = 'available' then -j.amount else 0 end), 0)
    into opening
    from journal_entry j
   where j.account_id = p_account_id and j.entry > low and j.entry <= v_last and j.created_at < p_from;
end $$;

-- What changed the balance from p_from on and before p_to: each deposit and correction by itself, the rest by day (UTC)
-- and kind.
create or replace function statement_entries(p_account_id bigint, p_from timestamptz, p_to timestamptz) returns table (
  kind entry_kind, at timestamptz, deposit_number bigint, change bigint, messages bigint
) language sql stable as $$
  select j.kind,
         case when j.deposit_number is null then date_trunc('day', j.created_at, 'UTC') else j.created_at end as at,
         j.deposit_number, sum(case when j.credit = 'available' then j.amount else -j.amount end)::bigint,
         coalesce(sum(j.order_count), 0)::bigint
    from statement_bounds(p_account_id, p_from, p_to) b
    join journal_entry j on j.account_id = p_account_id and j.entry > b.low and j.entry <= b.high
   where j.created_at >= p_from and j.created_at < p_to and j.kind <> 'capture'
   group by 1, 2, 3 order by 2, 3
$$;
