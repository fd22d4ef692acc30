-- What is released counts no longer as spent on the day and in the month in which its order was accepted. An earlier
-- day's, or month's, count is over, so nothing is given back to it: an account does not spend more today because it
-- canceled messages of yesterday.
-- Locks: the balance rows, which the caller has changed already.
create or replace function give_back_spend(p_ids uuid[], p_accounts bigint[], p_released bigint[]) returns void
language sql as $$
  update account_balance b set spent_day = b.spent_day - s.of_day, spent_month = b.spent_month - s.of_month
    from (select m.account_id, sum(m.released)::bigint as of_month,
                 coalesce(sum(m.released) filter (where o.sequence > c.spent_day_after), 0)::bigint as of_day
            from unnest(p_ids, p_accounts, p_released) as m(id, account_id, released)
            join message_order o on o.id = m.id
            join account_balance c on c.account_id = m.account_id
           where m.released > 0 and o.sequence > c.spent_month_after
           group by m.account_id) s
   where b.account_id = s.account_id
$$;
