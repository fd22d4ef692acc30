-- The checks of what accounts have used. verify-balances.sql says how checks work.

-- check usage: each counted chunk is what its messages add up to
with counted as (
  select account_id, (sequence - 1) / usage_chunk_size() as chunk, (created_at at time zone 'UTC')::date as day,
         calling_code(destination) as destination, case state when 'sending' then 'queued' else state end as state,
         price / segments as unit_price, count(*) as messages, sum(segments) as segments, sum(amount) as amount
    from message_order o join usage_progress p using (account_id)
   where o.sequence <= p.chunks * usage_chunk_size() group by 1, 2, 3, 4, 5, 6
)
select account_id, 'chunk ' || chunk as subject,
       format('%s to %s, %s: counted %s messages of %s; there are %s of %s', day, destination, state,
              coalesce(u.messages, 0),
              coalesce(u.amount, 0), coalesce(c.messages, 0), coalesce(c.amount, 0)) as detail
  from counted c full join usage_chunk u using (account_id, chunk, day, destination, state, unit_price)
 where (c.messages, c.segments, c.amount) is distinct from (u.messages, u.segments, u.amount)
   and not exists (select from usage_change x
                    where x.account_id = coalesce(c.account_id, u.account_id) and x.chunk = coalesce(c.chunk, u.chunk));

-- check usage_retired: dropped messages are counted as used at their price, and none that was not dropped
-- Versions before 0.3 dropped messages without counting them. Where all are counted, the sums agree exactly.
select account_id, 'retired messages' as subject,
       format('%s of %s at %s are counted as used, %s of %s at %s were dropped', u.messages, u.amount, u.price,
              coalesce(t.last_sequence, 0), coalesce(t.amount, 0), coalesce(t.price, 0)) as detail
  from (select account_id, sum(messages) as messages, sum(amount) as amount, sum(unit_price * segments) as price
          from usage_retired group by account_id) u
  left join account_retired t using (account_id)
 where (u.messages <= t.last_sequence and u.amount <= t.amount and u.price <= t.price
        and (u.messages < t.last_sequence or u.amount = t.amount and u.price = t.price)) is not true;
