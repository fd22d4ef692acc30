-- What is released counts no longer as spent on the day and in the month in which its order was accepted. An earlier
-- day's, or month's, count is over, so nothing is given back to it: nobody spends more today because of what he canceled
-- of yesterday's.
-- Locks: the balance rows, which the caller has changed already.
create or replace function give_back_spend(p_ids uuid[], p_accounts bigint[], p_released bigint[]) returns void
language sql as $$
  update account_balance b
     set spent_day = greatest(b.spent_day - s.of_day, 0), spent_month = greatest(b.spent_month - s.of_month, 0)
    from (select m.account_id,
                 coalesce(sum(m.released) filter (where d.accepted = c.spent_on), 0)::bigint as of_day,
                 sum(m.released)::bigint as of_month
            from unnest(p_ids, p_accounts, p_released) as m(id, account_id, released)
            join message_order o on o.id = m.id
            join account_balance c on c.account_id = m.account_id
           cross join lateral (select (o.created_at at time zone 'UTC')::date as accepted) d
           where m.released > 0 and date_trunc('month', d.accepted) = date_trunc('month', c.spent_on)
           group by m.account_id) s
   where b.account_id = s.account_id
$$;
