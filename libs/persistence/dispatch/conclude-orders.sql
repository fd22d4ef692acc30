-- Draws the conclusion for orders whose segments have changed: moves their state, settles their reservation, records it.
-- Everything that changes an order after its claim ends here, but for the usual way of short messages (below), so the rules
-- stand in one place.
--
-- Guarantees: the state follows from the segments alone; a reservation is captured at most once and released at most
--   once, in the transaction that moves the state; a fenced worker (older epoch) changes nothing.
-- Locks: the caller holds the order rows (taken in the order of their ids); then balance rows in the order of accounts.
-- Steps: an order whose last segment was taken goes to `sent`, and further to its receipts' verdict in the same call.
-- p_done: the owner has finished with the order for now: what is still open goes back to the queue after
--   p_retry_after_ms, or fails when a segment was refused. An epoch of null: the caller is not the owner.
-- A queued order of which all segments turn out to have been taken (a receipt, or a response after its deadline, for a submit
--   in doubt) is sent. A segment that carried the whole message counts for all of its order's.
-- The reconciler concludes any other queued order only when its validity is over, the operator only to refund it, and a
--   worker that is not its owner only when no carrier may take it: it fails.
--
-- Messages of one segment that go the usual way (taken, then delivered or not) do not come here: record_submits and settle_receipts
-- conclude them in the statement that changes their segment. What is said here is the rule for those as well.
-- Plans are made once, maybe while the tables are empty: only loops over the few rows of a call stay right as they grow.
create or replace function conclude_orders(
  p_ids uuid[], p_epochs integer[], p_done boolean[], p_retry_after_ms integer[], p_codes text[],
  p_actor text, p_in_doubt_wait interval
) returns table (id uuid, state order_state)
language plpgsql set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off
set plan_cache_mode = force_generic_plan as $$
begin
  perform lock_balances(p_ids);

  return query
  with asked as (
    select * from unnest(p_ids, p_epochs, p_done, p_retry_after_ms, p_codes) as a(id, epoch, done, retry_after_ms, code)
  ), judged as (
    select o.id, o.account_id, o.state as was, o.price, o.segments, a.done, a.retry_after_ms,
           -- Why it fails may have been said with an earlier answer than the one that ends it.
           coalesce(a.code, s.refused_code) as code, s.taken, s.in_doubt,
           case
             when o.state in ('sending', 'queued') and s.taken = o.segments then true
             else false
           end as now_sent,
           case
             when o.state = 'queued' and s.taken < o.segments then
               case when p_actor in ('reconciler', 'operator') or p_actor = 'worker' and a.epoch is null then 'failed'
                    else 'queued' end
             when o.state = 'sending' and s.taken < o.segments then
               case when not a.done then 'sending'
                    when s.open > 0 then 'sending'
                    when s.refused > 0 then 'failed'
                    else 'queued' end
             when o.state in ('queued', 'sending', 'sent', 'unknown', 'undelivered') and s.delivered = o.segments then 'delivered'
             when o.state in ('queued', 'sending', 'sent', 'unknown') and s.undelivered > 0 and s.taken = o.segments then 'undelivered'
             when o.state in ('queued', 'sending', 'sent') and s.unknown > 0 then 'unknown'
             when o.state in ('queued', 'sending') then 'sent'
             else o.state::text
           end::order_state as becomes
      from asked a
      join message_order o on o.id = a.id and (a.epoch is null or o.epoch = a.epoch)
      cross join lateral (
        select sum(case when g.whole then o.segments else 1 end)
                 filter (where g.state in ('accepted', 'delivered', 'undelivered', 'unknown')) as taken,
               sum(case when g.whole then o.segments else 1 end) filter (where g.state = 'delivered') as delivered,
               count(*) filter (where g.state = 'undelivered') as undelivered,
               count(*) filter (where g.state = 'unknown') as unknown,
               count(*) filter (where g.state = 'refused') as refused,
               max(g.carrier_code) filter (where g.state = 'refused') as refused_code,
               count(*) filter (where g.state = 'in_doubt') as in_doubt,
               count(*) filter (where g.state in ('in_doubt', 'submitting')) as open
          from segment g where g.message_id = o.id) g
      cross join lateral (
        select coalesce(g.taken, 0) as taken, coalesce(g.delivered, 0) as delivered, g.undelivered, g.unknown, g.refused,
               g.refused_code, g.in_doubt, g.open) s
  ), moves as (
    select j.*, j.price / j.segments * case when j.becomes = 'failed' then j.taken else j.segments end as kept
      from judged j
     where j.was <> j.becomes or (j.was = 'sending' and j.done)
  ), settled as (
    select m.*,
           m.now_sent and (m.becomes in ('delivered', 'undelivered') or m.was = 'queued' and m.becomes = 'unknown')
             as by_way_of_sent,
           case when m.was in ('queued', 'sending') and m.becomes in ('sent', 'delivered', 'undelivered', 'unknown') then m.price
                when m.was in ('queued', 'sending') and m.becomes = 'failed' then m.kept else 0 end as captures,
           case when m.was in ('queued', 'sending') and m.becomes = 'failed' then m.price - m.kept else 0 end as releases
      from moves m
  ), sums as (
    select z.account_id, sum(z.captures)::bigint as captured, count(*) filter (where z.captures > 0) as captures,
           sum(z.releases)::bigint as released, count(*) filter (where z.releases > 0) as releases
      from settled z group by z.account_id having sum(z.captures + z.releases) > 0
  ), balances as (
    update account_balance b
       set reserved = b.reserved - s.captured - s.released, captured = b.captured + s.captured,
           last_entry = b.last_entry + (s.captured > 0)::int + (s.released > 0)::int
      from sums s where b.account_id = s.account_id
    returning b.account_id, b.deposited - b.reserved - b.captured as available, s.captured, s.released, s.captures, s.releases,
              b.last_entry - (s.released > 0)::int as capture_entry, b.last_entry as release_entry
  ), journal as (
    insert into journal_entry (account_id, entry, kind, debit, credit, amount, available_after, order_count)
    select b.account_id, b.capture_entry, 'capture'::entry_kind, 'reserved'::ledger_bucket, 'captured'::ledger_bucket,
           b.captured, b.available - b.released, b.captures
      from balances b where b.captured > 0
    union all
    select b.account_id, b.release_entry, 'release', 'reserved', 'available', b.released, b.available, b.releases
      from balances b where b.released > 0
  ), moved as (
    update message_order o
       set state = z.becomes,
           amount = o.amount - z.releases,
           carrier_code = coalesce(z.code, o.carrier_code),
           capture_entry = case when z.captures > 0 then b.capture_entry else o.capture_entry end,
           release_entry = case when z.releases > 0 then b.release_entry else o.release_entry end,
           sent_at = case when z.now_sent then clock_timestamp() else o.sent_at end,
           final_at = case when z.becomes in ('delivered', 'undelivered', 'failed', 'unknown') then clock_timestamp() end,
           lease_until = case when z.becomes = 'sending' then now() else null end,
           next_attempt_at = case when z.becomes = 'queued' then now() + make_interval(secs => z.retry_after_ms / 1000.0) end,
           due_at = case
             when z.becomes in ('delivered', 'undelivered', 'failed', 'unknown') then null
             when z.becomes = 'queued' then now() + make_interval(secs => z.retry_after_ms / 1000.0 + 2)
             when z.becomes = 'sending' then now() + p_in_doubt_wait
             else o.due_at end
      from settled z left join balances b on b.account_id = z.account_id
     where o.id = z.id
    returning o.id, o.state
  ), logged as (
    insert into order_transition (message_id, at, from_state, to_state, actor, carrier_code)
    select z.id, clock_timestamp(), z.was, 'sent'::order_state, p_actor, z.code from settled z where z.by_way_of_sent
    union all
    select z.id, clock_timestamp(), case when z.by_way_of_sent then 'sent' else z.was end,
           z.becomes, p_actor, z.code
      from settled z where z.was <> z.becomes
  )
  select d.id, d.state from moved d;
end $$;

create or replace function lock_balances(p_ids uuid[]) returns void
language plpgsql set enable_seqscan = off as $$
begin
  perform 1 from account_balance b
   where b.account_id in (select o.account_id from message_order o where o.id = any(p_ids) and o.state in ('sending', 'queued'))
   order by b.account_id for update;
end $$;
