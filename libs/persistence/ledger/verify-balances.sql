-- Recomputes the invariants of balances, deposits and the journal from their rows. Each check selects its offenders:
-- account_id, subject (what), detail (why). No check goes row by row: each reads its tables once, so a million messages
-- take seconds. All run in one snapshot (repeatable read, read only) and block nobody.
-- Messages that retention has dropped (retain-orders.sql) count with their sums in `account_retired` and
-- `retired_part`.

-- check balance_row: every account has a balance row
select a.account_id, 'account' as subject, 'has no balance row' as detail
  from account a left join account_balance b using (account_id) where b.account_id is null;

-- check consumed: totalConsumed = totalDeposits - creditRemaining = the sum of the message amounts
select account_id, 'balance' as subject,
       format('reserved + captured is %s, the message amounts add up to %s', b.reserved + b.captured,
              coalesce(o.amount, 0) + coalesce(t.amount, 0)) as detail
  from account_balance b
  full join (select account_id, sum(amount) as amount from message_order group by account_id) o using (account_id)
  full join account_retired t using (account_id)
 where b.reserved + b.captured is distinct from coalesce(o.amount, 0) + coalesce(t.amount, 0);

-- check reserved: reserved = the prices of the messages that are still open
select account_id, 'balance' as subject,
       format('reserved is %s, open messages cost %s', b.reserved, coalesce(o.price, 0)) as detail
  from account_balance b
  left join (select account_id, sum(price) as price from message_order where state in ('scheduled', 'queued', 'sending')
              group by account_id) o using (account_id)
 where b.reserved is distinct from coalesce(o.price, 0);

-- check deposited: deposited = the sum of deposits and adjustments, which are numbered without gaps
select account_id, 'balance' as subject,
       format('deposited is %s, %s deposits up to number %s add up to %s', b.deposited, coalesce(d.n, 0),
              coalesce(d.last, 0), coalesce(d.amount, 0)) as detail
  from account_balance b
  full join (select account_id, sum(account_amount) as amount, count(*) as n, min(deposit_number) as first,
                    max(deposit_number) as last
               from deposit group by account_id) d using (account_id)
 where b.deposited is distinct from coalesce(d.amount, 0) or b.last_deposit is distinct from coalesce(d.last, 0)
    or coalesce(d.n, 0) <> coalesce(d.last, 0) or coalesce(d.first, 1) <> 1;

-- check deposit_conversion: each deposit was converted once, at the rate that stands beside it
select d.account_id, 'deposit ' || d.deposit_number as subject,
       format('%s %s at %s is not %s %s', d.amount, d.currency, d.fx_rate, d.account_amount, a.currency) as detail
  from deposit d join account a using (account_id)
 where abs(d.account_amount - d.amount * d.fx_rate) > 0.5
    or d.currency = a.currency and d.fx_rate <> 1
    or d.kind = 'adjustment' and d.currency <> a.currency;

-- check deposit_entries: each deposit and each adjustment has its one journal entry
with entry as (
  select account_id, deposit_number, kind, case when credit = 'available' then amount else -amount end as effect
    from journal_entry where kind in ('deposit', 'adjust')
)
select account_id, 'deposit ' || coalesce(deposit_number::text, '(none)') as subject,
       format('%s of %s in the deposits, %s of %s in the journal', coalesce(d.kind, 'nothing'), d.account_amount,
              coalesce(e.kind::text, 'nothing'), e.effect) as detail
  from deposit d full join entry e using (account_id, deposit_number)
 where d.account_amount is distinct from e.effect
    or e.kind is distinct from case d.kind when 'deposit' then 'deposit' else 'adjust' end::entry_kind
union all
select account_id, 'deposit ' || deposit_number, format('has %s journal entries', count(*))
  from entry where deposit_number is not null group by account_id, deposit_number having count(*) > 1;

-- check journal_chain: journal entries are dense, and each leaves what the one before it left, plus its effect
with chain as (
  select account_id, entry, kind, available_after,
         case when credit = 'available' then amount when debit = 'available' then -amount else 0 end as effect,
         lag(entry, 1, 0::bigint) over w as entry_before, lag(available_after, 1, 0::bigint) over w as available_before,
         lead(entry) over w is null as is_last
    from journal_entry window w as (partition by account_id order by entry)
)
select account_id, 'entry ' || entry as subject,
       format('%s: follows entry %s, which left %s; its effect is %s and it leaves %s', kind, entry_before,
              available_before, effect, available_after) as detail
  from chain where entry <> entry_before + 1 or available_after <> available_before + effect
union all
select account_id, 'balance',
       format('the last entry is %s and leaves %s; the row says %s and %s',
              coalesce(c.entry, 0), coalesce(c.available_after, 0),
              b.last_entry, b.deposited - b.reserved - b.captured)
  from account_balance b full join (select * from chain where is_last) c using (account_id)
 where b.last_entry is distinct from coalesce(c.entry, 0)
    or b.deposited - b.reserved - b.captured is distinct from coalesce(c.available_after, 0);

-- check journal_sums: the entries of each kind add up to the columns of the balance
with sums as (
  select account_id,
         sum(case when debit = 'funding' then amount when credit = 'funding' then -amount else 0 end) as deposited,
         sum(case when credit = 'reserved' then amount when debit = 'reserved' then -amount else 0 end) as reserved,
         sum(case when credit = 'captured' then amount when debit = 'captured' then -amount else 0 end) as captured
    from journal_entry group by account_id
)
select account_id, 'balance' as subject,
       format('the row says deposited %s, reserved %s, captured %s; the journal %s, %s, %s', b.deposited, b.reserved,
              b.captured, coalesce(s.deposited, 0), coalesce(s.reserved, 0), coalesce(s.captured, 0)) as detail
  from account_balance b full join sums s using (account_id)
 where (b.deposited, b.reserved, b.captured)
       is distinct from (coalesce(s.deposited, 0), coalesce(s.reserved, 0), coalesce(s.captured, 0));

-- check credit: nothing was accepted beyond the credit limit that was in force
select j.account_id, 'entry ' || j.entry as subject,
       format('leaves %s with a credit limit of %s', j.available_after, l.credit_limit) as detail
  from journal_entry j
  join account_balance b using (account_id)
  cross join lateral (
    select coalesce((select c.credit_limit from credit_limit_change c
                      where c.account_id = j.account_id and c.after_entry < j.entry
                      order by c.after_entry desc limit 1), b.credit_limit) as credit_limit) l
 where j.kind = 'reserve' and j.available_after < 0 and j.available_after < -l.credit_limit
union all
select b.account_id, 'balance',
       format('the credit limit is %s, the last one recorded %s', b.credit_limit, l.credit_limit)
  from account_balance b
  join (select distinct on (account_id) account_id, credit_limit from credit_limit_change
         order by account_id, after_entry desc) l using (account_id)
 where b.credit_limit <> l.credit_limit;

-- check spend: what counts as spent on a day and in a month is what the messages since its beginning cost
-- Not checked, if retention has dropped messages of it.
with periods as (
  select b.account_id, p.*
    from account_balance b
   cross join lateral (values ('day', b.spent_day, b.spent_day_after),
                              ('month', b.spent_month, b.spent_month_after)) as p(name, spent, after)
   where b.spent_on > '-infinity'
), costs as (
  select p.account_id, p.name, sum(o.amount) as cost
    from periods p join message_order o on o.account_id = p.account_id and o.sequence > p.after
   group by p.account_id, p.name
)
select p.account_id, 'balance' as subject,
       format('spent %s of the %s, its messages cost %s', p.spent, p.name, coalesce(c.cost, 0)) as detail
  from periods p
  left join costs c using (account_id, name)
  left join account_retired t using (account_id)
 where p.spent <> coalesce(c.cost, 0) and coalesce(t.last_sequence, 0) <= p.after;
