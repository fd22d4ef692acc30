-- The checks of journal entries against messages. verify-balances.sql says how checks work.

-- check sequences: the messages of an account are numbered from 1, or from where retention has come to, without gaps
select account_id, 'account' as subject,
       format('%s messages, numbers %s to %s; retired up to %s; the row says %s', coalesce(o.n, 0), o.first, o.last,
              coalesce(t.last_sequence, 0), b.last_sequence) as detail
  from account_balance b
  full join (select account_id, count(*) as n, min(sequence) as first, max(sequence) as last
               from message_order group by account_id) o using (account_id)
  full join account_retired t using (account_id)
 where b.last_sequence is distinct from coalesce(t.last_sequence, 0) + coalesce(o.n, 0)
    or o.first <> coalesce(t.last_sequence, 0) + 1 or o.last <> b.last_sequence;

-- check reserve_entries: each reserve entry covers its own range of messages, and exactly their price
-- If retention has dropped a whole range, only its position can be compared; reserved_once has the sum of such ranges.
-- If it has dropped a part, the entry and all before it must equal the cost of all messages up to its last one.
with running as (
  select account_id, sequence,
         coalesce(t.price, 0) + sum(m.price) over (partition by account_id order by sequence) as total
    from message_order m left join account_retired t using (account_id)
), range as (
  select account_id, entry, j.amount, first_sequence, j.last_sequence, order_count,
         lag(j.last_sequence, 1, 0::bigint) over w as covered, sum(j.amount) over w as reserved,
         coalesce(t.last_sequence, 0) as retired, coalesce(t.price, 0) as retired_price
    from journal_entry j left join account_retired t using (account_id) where kind = 'reserve'
  window w as (partition by account_id order by entry)
), costed as (
  select r.*, u.total - case when r.first_sequence <= r.retired then r.reserved - r.amount
                             else coalesce(b.total, r.retired_price) end as price
    from range r
    left join running b on b.account_id = r.account_id and b.sequence = r.first_sequence - 1
    left join running u on u.account_id = r.account_id and u.sequence = r.last_sequence
)
select c.account_id, 'entry ' || c.entry as subject,
       format('reserves %s for %s messages, numbers %s to %s, after %s; they cost %s', c.amount, c.order_count,
              c.first_sequence, c.last_sequence, c.covered, c.price) as detail
  from costed c
 where (c.first_sequence > c.covered and c.last_sequence >= c.first_sequence
        and c.order_count = c.last_sequence - c.first_sequence + 1
        and (c.price = c.amount or c.last_sequence <= c.retired)) is not true;

-- check reserved_once: every message that costs something is covered by a reserve entry
select account_id, 'account' as subject,
       format('its messages cost %s, its reserve entries are for %s',
              coalesce(o.price, 0), coalesce(j.amount, 0)) as detail
  from (select account_id, sum(price) as price
          from (select account_id, price from message_order union all select account_id, price from account_retired) p
         group by account_id) o
  full join (select account_id, sum(amount) as amount from journal_entry where kind = 'reserve' group by account_id) j
       using (account_id)
 where coalesce(o.price, 0) <> coalesce(j.amount, 0);

-- check capture_entries: each capture entry is what the messages that point at it keep
-- Entries of which retention has dropped every message are known as one sum, by the account.
with compared as (
  select account_id, entry, j.amount, j.order_count, o.amount as found, o.n
    from (select account_id, entry, amount, order_count from journal_entry where kind = 'capture') j
    full join (select account_id, entry, sum(amount) as amount, sum(n) as n
                 from (select account_id, capture_entry as entry, sum(amount) as amount, count(*) as n
                         from message_order where capture_entry is not null group by account_id, capture_entry
                       union all
                       select p.account_id, p.entry, p.amount, p.orders
                         from retired_part p join journal_entry e using (account_id, entry) where e.kind = 'capture') m
                group by account_id, entry) o
         using (account_id, entry)
)
select c.account_id, 'entry ' || c.entry as subject,
       format('captures %s of %s messages; %s of %s messages point at it',
              c.amount, c.order_count, c.found, c.n) as detail
  from compared c left join account_retired t using (account_id)
 where (c.amount, c.order_count) is distinct from (c.found, c.n) and not (c.n is null and coalesce(t.captures, 0) > 0)
union all
select account_id, 'retired messages',
       format('captured %s of %s; the entries that no message points at %s of %s',
              t.captured, t.captures, coalesce(w.amount, 0), coalesce(w.n, 0))
  from account_retired t
  left join (select account_id, sum(amount) as amount, sum(order_count) as n
               from compared where n is null group by account_id) w
       using (account_id)
 where (t.captured, t.captures) is distinct from (coalesce(w.amount, 0), coalesce(w.n, 0));

-- check release_entries: each release entry is what the messages that point at it gave back
with compared as (
  select account_id, entry, j.amount, j.order_count, o.amount as found, o.n
    from (select account_id, entry, amount, order_count from journal_entry where kind = 'release') j
    full join (select account_id, entry, sum(amount) as amount, sum(n) as n
                 from (select account_id, release_entry as entry, sum(price - amount) as amount, count(*) as n
                         from message_order where release_entry is not null group by account_id, release_entry
                       union all
                       select p.account_id, p.entry, p.amount, p.orders
                         from retired_part p join journal_entry e using (account_id, entry) where e.kind = 'release') m
                group by account_id, entry) o
         using (account_id, entry)
)
select c.account_id, 'entry ' || c.entry as subject,
       format('releases %s of %s messages; %s of %s messages point at it',
              c.amount, c.order_count, c.found, c.n) as detail
  from compared c left join account_retired t using (account_id)
 where (c.amount, c.order_count) is distinct from (c.found, c.n) and not (c.n is null and coalesce(t.releases, 0) > 0)
union all
select account_id, 'retired messages',
       format('released %s of %s; the entries that no message points at %s of %s',
              t.released, t.releases, coalesce(w.amount, 0), coalesce(w.n, 0))
  from account_retired t
  left join (select account_id, sum(amount) as amount, sum(order_count) as n
               from compared where n is null group by account_id) w
       using (account_id)
 where (t.released, t.releases) is distinct from (coalesce(w.amount, 0), coalesce(w.n, 0));
