-- The checks of the messages themselves. verify-balances.sql says how checks work.

-- check settlement: a message is captured at most once and released at most once, as its state says
select o.account_id, 'message ' || o.id as subject,
       format('%s, price %s, amount %s, capture entry %s, release entry %s', o.state, o.price, o.amount,
              coalesce(o.capture_entry::text, '-'), coalesce(o.release_entry::text, '-')) as detail
  from message_order o
 where case
         when o.state in ('scheduled', 'queued', 'sending') then
           o.amount <> o.price or o.capture_entry is not null or o.release_entry is not null
         when o.state = 'failed' then
           (o.capture_entry is not null) <> (o.amount > 0) or (o.release_entry is not null) <> (o.amount < o.price)
         when o.state = 'canceled' then
           o.amount <> 0 or o.capture_entry is not null or (o.release_entry is not null) <> (o.price > 0)
         else
           o.amount <> o.price or o.release_entry is not null or (o.capture_entry is not null) <> (o.price > 0)
       end;

-- check prices: a price is a whole number of micro-units for each segment, and a standard text has its billed segments
-- Of an encrypted text only its octets in UTF-8 are known: a third of them to all of them are units.
-- A text may be redacted once its message is final. Retention leaves none that it has passed, but those that are due.
with text as (
  select o.id, o.account_id, o.price, o.segments, o.extended, o.message = '' as is_empty, o.final_at is null as is_open,
         o.sequence <= coalesce(r.last_text, 0)
           and not exists (select from redaction_due d where d.account_id = o.account_id and d.sequence = o.sequence)
               as is_passed,
         u.least, u.most
    from message_order o left join account_retired r using (account_id)
   cross join lateral (
     select case when left(o.message, 1) = chr(1) then (length(split_part(o.message, ':', 2)) * 3 / 4 - 28 + 2) / 3
                 when o.extended
                 then length(o.message) * 2 - length(regexp_replace(o.message, '[\U00010000-\U0010ffff]', '', 'g'))
                 else length(o.message) end as least,
            case when left(o.message, 1) = chr(1) then length(split_part(o.message, ':', 2)) * 3 / 4 - 28 end as octets
   ) n
   cross join lateral (select n.least, coalesce(n.octets, n.least) as most) u
)
select t.account_id, 'message ' || t.id as subject,
       format('%s segments for %s %s units, price %s', t.segments,
              case when t.least = t.most then t.most::text else t.least || ' to ' || t.most end,
              case when t.extended then 'extended' else 'standard' end, t.price) as detail
  from text t
 where t.price % t.segments <> 0
    or t.is_empty and t.is_open
    or t.is_passed and not t.is_empty
    or not t.is_empty and not t.extended
       and not t.segments between case when t.least <= 160 then 1 else (t.least + 152) / 153 end
                              and case when t.most <= 160 then 1 else (t.most + 152) / 153 end
    -- A surrogate pair that does not fit leaves one unit of a segment unused.
    or not t.is_empty and t.extended
       and not t.segments between case when t.least <= 70 then 1 else (t.least + 62) / 63 end
                                         and case when t.most <= 70 then 1 else (t.most + 61) / 62 end;

-- check segments: the segments of a message bear out its state, and a failed one kept only what the carrier took
with counts as (
  select o.id, o.account_id, o.state, o.segments, o.price, o.amount, coalesce(max(s.position), 0) as last,
         count(*) filter (where s.state in ('accepted', 'delivered', 'undelivered', 'unknown')) as taken,
         -- Without segments whose answer or receipt came when the message had failed.
         count(*) filter (where s.state in ('accepted', 'delivered', 'undelivered', 'unknown')
                            and (s.accepted_at > o.final_at or s.accepted_at = s.settled_at) is not true
                         ) as taken_in_time,
         count(*) filter (where s.state = 'delivered') as delivered,
         -- A segment that carried the whole message counts for all its segments.
         case when bool_or(s.whole and s.state in ('accepted', 'delivered', 'undelivered', 'unknown'))
              then o.segments else 1 end as each,
         count(*) filter (where s.state = 'undelivered') as undelivered,
         count(*) filter (where s.state = 'unknown') as unknown,
         count(*) filter (where s.state = 'refused') as refused,
         count(*) filter (where s.state in ('submitting', 'in_doubt')) as open
    from message_order o left join segment s on s.message_id = o.id group by o.id
), judged as (
  select id, account_id, state, segments, price, amount, last, taken * each as taken,
         taken_in_time * each as taken_in_time, delivered * each as delivered, undelivered, unknown, refused, open
    from counts
)
select account_id, 'message ' || id as subject,
       format('%s with %s segments: %s taken, %s delivered, %s undelivered, %s unknown, %s refused, %s open, '
              'highest %s; keeps %s of %s',
              state, segments, taken, delivered, undelivered, unknown, refused, open, last, amount, price) as detail
  from judged
 where last > segments
    or not case state
         when 'scheduled' then last = 0
         when 'canceled' then taken = 0 and open = 0
         when 'queued' then refused = 0 and open = 0 and taken < segments
         when 'sending' then taken < segments
         when 'sent' then taken = segments and delivered < segments and undelivered = 0 and unknown = 0
         when 'delivered' then delivered = segments
         -- A late receipt may improve one segment while another still waits.
         when 'undelivered' then taken = segments and delivered < segments
         when 'unknown' then taken = segments and undelivered = 0 and delivered < segments
         when 'failed' then open = 0 and amount between price / segments * taken_in_time and price / segments * taken
                            and amount % greatest(price / segments, 1) = 0
       end;

-- check carried: a message charged as sent was taken as claimed: each charged segment once, or the whole message once
-- Messages that older versions have claimed have no format; retention drops messages with their segments.
with taken as (
  select message_id, count(*) as n, count(*) filter (where whole) as wholes
    from segment where state in ('accepted', 'delivered', 'undelivered', 'unknown') group by message_id
), charged as (
  select o.id, o.account_id, o.state, o.wire_format_id, f.whole as as_whole,
         coalesce(t.n, 0) as n, coalesce(t.wholes, 0) as wholes,
         case when o.price = 0 then o.segments else o.amount * o.segments / o.price end as segments
    from message_order o
    left join taken t on t.message_id = o.id
    left join wire_format f on f.wire_format_id = o.wire_format_id
   where o.state in ('sent', 'delivered', 'undelivered', 'unknown')
)
select account_id, 'message ' || id as subject,
       format('is %s and charged for %s segments; carriers took %s segments and %s times the whole; '
              'it was claimed %s', state, segments,
              n - wholes, wholes, case when wire_format_id is null then 'by a version before' when as_whole then 'whole'
                                       when not as_whole then 'in segments'
                                       else 'in a format that is not there' end) as detail
  from charged
 where not (wholes = 0 and n = segments or wholes = 1 and n = 1)
    or wire_format_id is not null and as_whole is distinct from (wholes > 0);

-- check transitions: the recorded changes of state lead from queued or scheduled to the message's state without a break
-- A path enters each state as often as it leaves it, except at its ends. The only cycle (queued, sending) contains the
-- start, so equal counts are enough, and the order of two records of the same moment does not matter.
with net as (
  select message_id,
         count(*) filter (where from_state = 'scheduled') as started,
         count(*) filter (where to_state = 'canceled') as canceled,
         count(*) filter (where to_state = 'queued') - count(*) filter (where from_state = 'queued') as queued,
         count(*) filter (where to_state = 'sending') - count(*) filter (where from_state = 'sending') as sending,
         count(*) filter (where to_state = 'sent') - count(*) filter (where from_state = 'sent') as sent,
         count(*) filter (where to_state = 'delivered') - count(*) filter (where from_state = 'delivered') as delivered,
         count(*) filter (where to_state = 'undelivered')
           - count(*) filter (where from_state = 'undelivered') as undelivered,
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
    or (o.send_at is not null)::integer - coalesce(t.started, 0) <> (o.state = 'scheduled')::integer
    or coalesce(t.queued, 0) + (o.send_at is null)::integer <> (o.state = 'queued')::integer
    or coalesce(t.canceled, 0) <> (o.state = 'canceled')::integer
    or coalesce(t.sending, 0) <> (o.state = 'sending')::integer
    or coalesce(t.sent, 0) <> (o.state = 'sent')::integer
    or coalesce(t.delivered, 0) <> (o.state = 'delivered')::integer
    or coalesce(t.undelivered, 0) <> (o.state = 'undelivered')::integer
    or coalesce(t.failed, 0) <> (o.state = 'failed')::integer
    or coalesce(t.unknown, 0) <> (o.state = 'unknown')::integer;

-- check segment_owner: every segment belongs to a message
select null::bigint as account_id, 'message ' || s.message_id as subject,
       format('segment %s has no message', s.position) as detail
  from segment s left join message_order o on o.id = s.message_id where o.id is null;

-- check deadlines: every open message has a due time, or is scheduled; a final one has none
select o.account_id, 'message ' || o.id as subject,
       format('is %s; due %s, final %s', o.state, coalesce(o.due_at::text, 'never'),
              coalesce(o.final_at::text, 'never')) as detail
  from message_order o
 where (o.due_at is not null) <> (o.state in ('queued', 'sending', 'sent'))
    or (o.final_at is null) <> (o.state in ('scheduled', 'queued', 'sending', 'sent'));

-- check idempotency_keys: each key points at its own messages
select k.account_id, 'key of ' || k.created_at as subject,
       format('points at %s messages from %s; %s are there, and another key has them up to %s', k.order_count,
              k.first_sequence, coalesce(b.last_sequence, 0), k.covered) as detail
  from (select account_id, created_at, first_sequence, order_count,
               lag(first_sequence + order_count - 1, 1, 0::bigint)
                 over (partition by account_id order by first_sequence) as covered
          from idempotency_key) k
  left join account_balance b using (account_id)
 where (k.order_count > 0 and k.first_sequence > k.covered
        and k.first_sequence + k.order_count - 1 <= b.last_sequence) is not true;

-- check retired: the sums of dropped messages belong to existing accounts and entries
select account_id, 'retired messages' as subject,
       format('up to number %s, texts up to %s; the last message is %s', t.last_sequence, t.last_text,
              coalesce(b.last_sequence::text, 'of no account')) as detail
  from account_retired t left join account_balance b using (account_id)
 where (greatest(t.last_sequence, t.last_text, t.last_number) <= b.last_sequence) is not true
union all
select p.account_id, 'entry ' || p.entry,
       format('%s of %s retired messages point at it; it is %s of %s', p.amount, p.orders,
              coalesce(j.amount::text, 'not there'), j.order_count)
  from retired_part p
  left join journal_entry j on j.account_id = p.account_id and j.entry = p.entry and j.kind in ('capture', 'release')
 where (p.amount between 0 and j.amount and p.orders < j.order_count) is not true;

-- check exceptions: the messages that are found as undelivered, failed, canceled or unknown are those that are
select account_id, 'message number ' || sequence as subject,
       format('is %s and is found as %s', coalesce(o.is_state::text, 'something else'),
              coalesce(x.found_as::text, 'none of these')) as detail
  from (select account_id, sequence, state, state as is_state
          from message_order where state in ('undelivered', 'failed', 'canceled', 'unknown')) o
  full join (select account_id, sequence, state, state as found_as from order_exception) x
    using (account_id, sequence, state)
 where o.is_state is null or x.found_as is null;

-- check labels: each reference and tag belongs to a message
select l.account_id, 'message number ' || l.sequence as subject, 'has a reference or a tag and is not there' as detail
  from order_label l left join message_order o using (account_id, sequence) where o.id is null;

-- check schedule: every scheduled message stands in the schedule once, with its time or a later one
select o.account_id, 'message ' || o.id as subject,
       format('is scheduled for %s, and stands in %s rows of the schedule',
              coalesce(o.send_at::text, 'no time'), s.n) as detail
  from message_order o
 cross join lateral (select count(*) as n from order_schedule d
                      where d.account_id = o.account_id and d.first_sequence <= o.sequence
                        and d.last_sequence >= o.sequence
                        and d.send_at >= o.send_at) s
 where o.state = 'scheduled' and s.n <> 1;

-- check batches: each batch has its own messages
select b.account_id, 'batch ' || b.batch_id as subject,
       format('has %s messages from number %s; the account has %s, and another batch has them up to %s', b.order_count,
              b.first_sequence, coalesce(a.last_sequence, 0), b.covered) as detail
  from (select *,
               lag(first_sequence + order_count - 1, 1, 0::bigint)
                 over (partition by account_id order by first_sequence) as covered
          from message_batch) b
  left join account_balance a using (account_id)
 where (b.order_count > 0 and b.first_sequence > b.covered
        and b.first_sequence + b.order_count - 1 <= a.last_sequence) is not true;

-- check open_batches: a batch that is not completed is of its account, and has an open message or was looked at lately
select o.account_id, 'batch ' || o.batch_id as subject,
       case when b.batch_id is null then 'is to be completed, and is no batch of this account'
            when p.sequence is not null then format('counts message number %s as final', p.sequence)
            else format('is not completed, and all its messages are final; its time was %s', o.look_at) end as detail
  from open_batch o
  left join message_batch b on b.batch_id = o.batch_id and b.account_id = o.account_id
                              and b.first_sequence = o.first_sequence
                           and b.first_sequence + b.order_count - 1 = o.last_sequence
  left join lateral (select m.sequence from message_order m
                      where m.account_id = o.account_id and m.sequence between o.first_sequence and o.next_sequence - 1
                        and m.final_at is null
                      limit 1) p on true
 where b.batch_id is null or p.sequence is not null
    -- A worker that has run for an hour has looked at it.
    or o.look_at < now() - interval '1 hour'
       and not exists (select from message_order m
                        where m.account_id = o.account_id and m.sequence between o.next_sequence and o.last_sequence
                          and m.final_at is null)
       and exists (select from process_heartbeat h where h.role = 'worker' and h.started_at < now() - interval '1 hour'
                                                     and h.seen_at > now() - interval '1 minute');
