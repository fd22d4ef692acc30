-- Recomputes every invariant of the ledger from the rows that it stands on. Each check selects its offenders:
-- account_id, subject (what), detail (why). No check looks at one row at a time: each reads its tables once, so
-- a million messages take seconds. All run in one snapshot (repeatable read, read only) and block nobody.
-- What retention has dropped (retain-orders.sql) counts with what `account_retired` and `retired_part` remember of it.

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
  left join (select account_id, sum(price) as price from message_order where state in ('queued', 'sending')
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
       format('the last entry is %s and leaves %s; the row says %s and %s', coalesce(c.entry, 0), coalesce(c.available_after, 0),
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
select b.account_id, 'balance', format('the credit limit is %s, the last one recorded %s', b.credit_limit, l.credit_limit)
  from account_balance b
  join (select distinct on (account_id) account_id, credit_limit from credit_limit_change
         order by account_id, after_entry desc) l using (account_id)
 where b.credit_limit <> l.credit_limit;

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

-- check reserve_entries: each reserve entry covers a range of messages of its own, and exactly their price
-- Of a range that retention has taken whole only its place is left to compare; what those cost together is in reserved_once.
-- One that it has taken in part must come, with all before it, to what all messages up to its last one cost.
with running as (
  select account_id, sequence, coalesce(t.price, 0) + sum(m.price) over (partition by account_id order by sequence) as total
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
       format('its messages cost %s, its reserve entries are for %s', coalesce(o.price, 0), coalesce(j.amount, 0)) as detail
  from (select account_id, sum(price) as price
          from (select account_id, price from message_order union all select account_id, price from account_retired) p
         group by account_id) o
  full join (select account_id, sum(amount) as amount from journal_entry where kind = 'reserve' group by account_id) j
       using (account_id)
 where coalesce(o.price, 0) <> coalesce(j.amount, 0);

-- check capture_entries: each capture entry is what the messages that point at it keep
-- Those of which retention has taken every message are known together, by the account.
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
       format('captures %s of %s messages; %s of %s messages point at it', c.amount, c.order_count, c.found, c.n) as detail
  from compared c left join account_retired t using (account_id)
 where (c.amount, c.order_count) is distinct from (c.found, c.n) and not (c.n is null and coalesce(t.captures, 0) > 0)
union all
select account_id, 'retired messages',
       format('captured %s of %s; the entries that no message points at %s of %s', t.captured, t.captures, coalesce(w.amount, 0), coalesce(w.n, 0))
  from account_retired t
  left join (select account_id, sum(amount) as amount, sum(order_count) as n from compared where n is null group by account_id) w
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
       format('releases %s of %s messages; %s of %s messages point at it', c.amount, c.order_count, c.found, c.n) as detail
  from compared c left join account_retired t using (account_id)
 where (c.amount, c.order_count) is distinct from (c.found, c.n) and not (c.n is null and coalesce(t.releases, 0) > 0)
union all
select account_id, 'retired messages',
       format('released %s of %s; the entries that no message points at %s of %s', t.released, t.releases, coalesce(w.amount, 0), coalesce(w.n, 0))
  from account_retired t
  left join (select account_id, sum(amount) as amount, sum(order_count) as n from compared where n is null group by account_id) w
       using (account_id)
 where (t.released, t.releases) is distinct from (coalesce(w.amount, 0), coalesce(w.n, 0));

-- check settlement: a message is captured at most once and released at most once, as its state says
select o.account_id, 'message ' || o.id as subject,
       format('%s, price %s, amount %s, capture entry %s, release entry %s', o.state, o.price, o.amount,
              coalesce(o.capture_entry::text, '-'), coalesce(o.release_entry::text, '-')) as detail
  from message_order o
 where case
         when o.state in ('queued', 'sending') then
           o.amount <> o.price or o.capture_entry is not null or o.release_entry is not null
         when o.state = 'failed' then
           (o.capture_entry is not null) <> (o.amount > 0) or (o.release_entry is not null) <> (o.amount < o.price)
         else
           o.amount <> o.price or o.release_entry is not null or (o.capture_entry is not null) <> (o.price > 0)
       end;

-- check prices: a price is a whole number of micro-units for each segment, and a standard text has the segments it is billed for
-- A text that retention has dropped is empty.
with text as (
  select o.id, o.account_id, o.price, o.segments, o.extended, o.message = '' as is_empty,
         o.sequence <= coalesce(r.last_text, 0) as is_dropped,
         case when o.extended
              then length(o.message) * 2 - length(regexp_replace(o.message, '[\U00010000-\U0010ffff]', '', 'g'))
              else length(o.message) end as units
    from message_order o left join account_retired r using (account_id)
)
select t.account_id, 'message ' || t.id as subject,
       format('%s segments for %s %s units, price %s', t.segments, t.units,
              case when t.extended then 'extended' else 'standard' end, t.price) as detail
  from text t
 where t.price % t.segments <> 0
    or t.is_empty <> t.is_dropped
    or not t.is_dropped and not t.extended and t.segments <> case when t.units <= 160 then 1 else (t.units + 152) / 153 end
    -- A surrogate pair that would be cut leaves one unit of a segment unused.
    or not t.is_dropped and t.extended and not t.segments between case when t.units <= 70 then 1 else (t.units + 62) / 63 end
                                         and case when t.units <= 70 then 1 else (t.units + 61) / 62 end;

-- check segments: the segments of a message bear out its state, and a failed one kept only what the carrier took
with counts as (
  select message_id, max(position) as last,
         count(*) filter (where state in ('accepted', 'delivered', 'undelivered', 'unknown')) as taken,
         -- Without those of which a receipt told only later, maybe after the message had failed.
         count(*) filter (where state in ('accepted', 'delivered', 'undelivered', 'unknown')
                            and settled_at is distinct from accepted_at) as taken_in_time,
         count(*) filter (where state = 'delivered') as delivered,
         bool_or(whole and state in ('accepted', 'delivered', 'undelivered', 'unknown')) as whole,
         count(*) filter (where state = 'undelivered') as undelivered,
         count(*) filter (where state = 'unknown') as unknown,
         count(*) filter (where state = 'refused') as refused,
         count(*) filter (where state in ('submitting', 'in_doubt')) as open
    from segment group by message_id
), judged as (
  select o.id, o.account_id, o.state, o.segments, o.price, o.amount, coalesce(c.last, 0) as last,
         -- One that carried the whole message stands for all its segments.
         coalesce(c.taken, 0) * case when c.whole then o.segments else 1 end as taken,
         coalesce(c.taken_in_time, 0) * case when c.whole then o.segments else 1 end as taken_in_time,
         coalesce(c.delivered, 0) * case when c.whole then o.segments else 1 end as delivered, coalesce(c.undelivered, 0) as undelivered,
         coalesce(c.unknown, 0) as unknown, coalesce(c.refused, 0) as refused, coalesce(c.open, 0) as open
    from message_order o left join counts c on c.message_id = o.id
)
select account_id, 'message ' || id as subject,
       format('%s with %s segments: %s taken, %s delivered, %s undelivered, %s unknown, %s refused, %s open, highest %s; keeps %s of %s',
              state, segments, taken, delivered, undelivered, unknown, refused, open, last, amount, price) as detail
  from judged
 where last > segments
    or not case state
         when 'queued' then refused = 0 and open = 0 and taken < segments
         when 'sending' then taken < segments
         when 'sent' then taken = segments and delivered < segments and undelivered = 0 and unknown = 0
         when 'delivered' then delivered = segments
         -- A late receipt may better one segment while another still waits.
         when 'undelivered' then taken = segments and delivered < segments
         when 'unknown' then taken = segments and undelivered = 0 and delivered < segments
         when 'failed' then open = 0 and amount between price / segments * taken_in_time and price / segments * taken
                            and amount % greatest(price / segments, 1) = 0
       end;

-- check transitions: the recorded changes of state lead from queued to the message's state without a break
-- A path enters each state as often as it leaves it, but for its ends. The only cycle (queued, sending) holds the
-- start, so equal counts are enough, and the order of two records of the same moment does not matter.
with net as (
  select message_id,
         count(*) filter (where to_state = 'queued') - count(*) filter (where from_state = 'queued') as queued,
         count(*) filter (where to_state = 'sending') - count(*) filter (where from_state = 'sending') as sending,
         count(*) filter (where to_state = 'sent') - count(*) filter (where from_state = 'sent') as sent,
         count(*) filter (where to_state = 'delivered') - count(*) filter (where from_state = 'delivered') as delivered,
         count(*) filter (where to_state = 'undelivered') - count(*) filter (where from_state = 'undelivered') as undelivered,
         count(*) filter (where to_state = 'failed') - count(*) filter (where from_state = 'failed') as failed,
         count(*) filter (where to_state = 'unknown') - count(*) filter (where from_state = 'unknown') as unknown,
         count(*) filter (where to_state = 'sending') as claims, count(*) as n
    from order_transition group by message_id
)
select o.account_id, 'message ' || coalesce(o.id, t.message_id) as subject,
       format('is %s after %s attempts; %s changes of state and %s claims are recorded',
              coalesce(o.state::text, 'not there'), o.attempts, coalesce(t.n, 0), coalesce(t.claims, 0)) as detail
  from message_order o full join net t on t.message_id = o.id
 where o.id is null
    or coalesce(t.claims, 0) <> o.attempts
    or coalesce(t.queued, 0) + 1 <> (o.state = 'queued')::integer
    or coalesce(t.sending, 0) <> (o.state = 'sending')::integer
    or coalesce(t.sent, 0) <> (o.state = 'sent')::integer
    or coalesce(t.delivered, 0) <> (o.state = 'delivered')::integer
    or coalesce(t.undelivered, 0) <> (o.state = 'undelivered')::integer
    or coalesce(t.failed, 0) <> (o.state = 'failed')::integer
    or coalesce(t.unknown, 0) <> (o.state = 'unknown')::integer;

-- check segment_owner: every segment belongs to a message
select null::bigint as account_id, 'message ' || s.message_id as subject, format('segment %s has no message', s.position) as detail
  from segment s left join message_order o on o.id = s.message_id where o.id is null;

-- check deadlines: every open message has a time by which somebody looks at it, and a settled one has none
select o.account_id, 'message ' || o.id as subject,
       format('is %s; due %s, final %s', o.state, coalesce(o.due_at::text, 'never'), coalesce(o.final_at::text, 'never')) as detail
  from message_order o
 where (o.due_at is not null) <> (o.state in ('queued', 'sending', 'sent'))
    or (o.final_at is null) <> (o.state in ('queued', 'sending', 'sent'));

-- check idempotency_keys: each key points at messages of its own
select k.account_id, 'key of ' || k.created_at as subject,
       format('points at %s messages from %s; %s are there, and another key has them up to %s', k.order_count,
              k.first_sequence, coalesce(b.last_sequence, 0), k.covered) as detail
  from (select account_id, created_at, first_sequence, order_count,
               lag(first_sequence + order_count - 1, 1, 0::bigint) over (partition by account_id order by first_sequence) as covered
          from idempotency_key) k
  left join account_balance b using (account_id)
 where (k.order_count > 0 and k.first_sequence > k.covered
        and k.first_sequence + k.order_count - 1 <= b.last_sequence) is not true;

-- check retired: what is remembered of retired messages belongs to accounts and entries that are there
select account_id, 'retired messages' as subject,
       format('up to number %s, texts up to %s; the last message is %s', t.last_sequence, t.last_text,
              coalesce(b.last_sequence::text, 'of no account')) as detail
  from account_retired t left join account_balance b using (account_id)
 where (greatest(t.last_sequence, t.last_text) <= b.last_sequence) is not true
union all
select p.account_id, 'entry ' || p.entry,
       format('%s of %s retired messages point at it; it is %s of %s', p.amount, p.orders, coalesce(j.amount::text, 'not there'), j.order_count)
  from retired_part p left join journal_entry j on j.account_id = p.account_id and j.entry = p.entry and j.kind in ('capture', 'release')
 where (p.amount between 0 and j.amount and p.orders < j.order_count) is not true;
