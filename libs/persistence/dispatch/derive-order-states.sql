-- Derives the states of orders from the states of their segments, and moves the orders there.
--
-- Guarantees: the state follows from the segments alone. A reservation is captured or released at most once, in the
--   transaction that moves the order. A worker that no longer owns an order (an older epoch) changes nothing.
-- Locks: the caller holds the order rows, locked in the order of their ids; this function locks balance rows, in the
--   order of accounts.
--
-- p_epochs: the caller owns the orders under these epochs; null: it owns none, and any epoch will do.
-- p_done: the owner submits nothing more of the order for now. What no carrier took goes back to the queue, to be tried
--   again after p_retry_after_ms, or fails if the carrier refused a segment. An owner whose lease is over submits
--   nothing more either: an answer after its deadline that leaves nothing in doubt has the same effect.
-- p_codes: the reason, of the carrier or of the service; p_code is one reason for all orders. The reason of a delivered
--   or undelivered order is that of its first segment in this state, because its receipt may have come in another call.
-- p_is_over: nobody will try these orders again. A scheduled or queued order fails, and a sending one ends as if its
--   owner had finished. An order may stand in the arrays several times.
-- Returns the states that orders have come to, also one that they have left again: sent, if the receipts were there.
create or replace function derive_order_states(
  p_ids uuid[], p_actor text, p_in_doubt_wait interval, p_codes text[] default null, p_code text default null,
  p_is_over boolean default false, p_epochs integer[] default null, p_done boolean[] default null,
  p_retry_after_ms integer[] default null
) returns table (id uuid, state order_state)
language plpgsql set enable_seqscan = off set jit = off set enable_hashjoin = off set enable_mergejoin = off
set plan_cache_mode = force_generic_plan as $$
#variable_conflict use_column
declare
  v_move record;
begin
  perform lock_balances(p_ids);
  for v_move in
    with asked as (
      select a.id, a.epoch, coalesce(bool_or(a.done), p_is_over) as is_done,
             coalesce(max(a.retry_after_ms), 0) as retry_after_ms, coalesce(max(a.code), p_code) as code
        from unnest(p_ids, p_epochs, p_done, p_retry_after_ms, p_codes) as a(id, epoch, done, retry_after_ms, code)
       group by a.id, a.epoch
    ), derived as materialized (
      select o.id, o.account_id, o.state as was, a.is_done, a.retry_after_ms, coalesce(a.code, s.refused_code) as code,
             o.price, o.price / o.segments * s.taken as taken_price,
             case
               when o.state in ('delivered', 'failed', 'canceled') then o.state
               when s.taken < o.segments then
                 case when o.state in ('scheduled', 'queued') and p_is_over then 'failed'
                      when o.state <> 'sending' or s.open > 0
                           or not (a.is_done or a.epoch is not null and o.lease_until <= now()) then o.state
                      when s.refused > 0 then 'failed'
                      else 'queued' end
               when s.delivered = o.segments then 'delivered'
               when s.undelivered > 0 or o.state = 'undelivered' then 'undelivered'
               when s.unknown > 0 or o.state = 'unknown' then 'unknown'
               else 'sent'
             end as becomes
        from asked a
        join message_order o on o.id = a.id and (a.epoch is null or o.epoch = a.epoch)
       cross join lateral (
         -- A segment that carried the whole message stands for all segments of its order.
         select coalesce(sum(g.n) filter (where g.state in ('accepted', 'delivered', 'undelivered', 'unknown')),
                         0)::bigint as taken,
                sum(g.n) filter (where g.state = 'delivered') as delivered,
                count(*) filter (where g.state = 'undelivered') as undelivered,
                count(*) filter (where g.state = 'unknown') as unknown,
                count(*) filter (where g.state = 'refused') as refused,
                max(g.carrier_code) filter (where g.state = 'refused') as refused_code,
                count(*) filter (where g.state in ('in_doubt', 'submitting')) as open
           from (select t.state, t.carrier_code, case when t.whole then o.segments else 1 end as n
                   from segment t where t.message_id = o.id) g) s
    )
    select d.was, d.becomes, array_agg(d.id) as ids, array_agg(d.account_id) as accounts, array_agg(d.code) as codes,
           array_agg(coalesce(
             case when d.becomes in ('delivered', 'undelivered')
                  then (select g.carrier_code from segment g
                         where g.message_id = d.id and g.state::text = d.becomes::text order by g.position limit 1) end,
             d.code)) as reasons,
           array_agg(d.retry_after_ms) as retries, array_agg(d.taken_price) as captured,
           array_agg(d.price - d.taken_price) as released
      from derived d where d.was <> d.becomes or d.was = 'sending' and d.is_done
     group by d.was, d.becomes
  loop
    if v_move.was = 'queued' and v_move.becomes <> 'failed' and p_is_over then
      -- Carriers have all of its segments, or may have them. It counts as claimed, and the reason why it was not sent
      -- again is not its reason.
      update message_order o set attempts = o.attempts + 1 where o.id = any(v_move.ids);
      perform move_orders(v_move.ids, 'queued', 'sending', p_actor);
      v_move.was := 'sending';
      v_move.codes := null;
    end if;
    if v_move.becomes = 'sending' then
      -- Segments are in doubt; the reconciler decides about them when their wait is over, and says how long it is.
      update message_order o
         set lease_until = now(), next_attempt_at = null, due_at = now() + p_in_doubt_wait,
             carrier_code = coalesce(m.code, o.carrier_code)
        from unnest(v_move.ids, v_move.codes) as m(id, code) where o.id = m.id;
    elsif v_move.was not in ('scheduled', 'queued', 'sending') or v_move.becomes = 'queued' then
      perform move_orders(v_move.ids, v_move.was, v_move.becomes, p_actor, v_move.reasons,
                          p_retry_after_ms => v_move.retries);
    elsif v_move.becomes in ('sent', 'failed') or v_move.was = 'sending' and v_move.becomes = 'unknown' then
      perform move_orders(v_move.ids, v_move.was, v_move.becomes, p_actor, v_move.codes,
                          v_move.accounts, v_move.captured, v_move.released);
    else
      -- Its receipts came before its last response.
      perform move_orders(v_move.ids, v_move.was, 'sent', p_actor, v_move.codes, v_move.accounts, v_move.captured);
      perform move_orders(v_move.ids, 'sent', v_move.becomes, p_actor, v_move.reasons);
      return query select i, 'sent'::order_state from unnest(v_move.ids) i;
    end if;
    return query select i, v_move.becomes from unnest(v_move.ids) i;
  end loop;
end $$;

-- Locks the balances of orders that may still move money, in the order of accounts: for callers that move them in
-- several steps.
create or replace function lock_balances(p_ids uuid[]) returns void
language plpgsql as $$
begin
  perform 1 from account_balance b
   where b.account_id in (select o.account_id from message_order o
                           where o.id = any(p_ids) and o.state in ('sending', 'queued', 'scheduled'))
   order by b.account_id for update;
end $$;

-- Locks, without waiting, the balances of orders that no other transaction holds, and then those orders; returns the
-- orders that it has locked with their balance.
-- p_awaited: an order for whose balance it waits before that, in the line of those who want it, for p_wait_ms at most;
--   then it goes on without it. It holds no other lock yet, so it delays nobody but this account. Null: it waits for
--   none.
create or replace function lock_free_balances(p_ids uuid[], p_awaited uuid, p_wait_ms integer) returns setof uuid
language plpgsql set enable_seqscan = off set jit = off as $$
declare
  v_accounts bigint[];
begin
  perform set_config('lock_timeout', p_wait_ms::text, true);
  begin
    perform 1 from account_balance b
     where b.account_id = (select o.account_id from message_order o where o.id = p_awaited) for update;
  exception
    when lock_not_available then null;
  end;
  select array_agg(l.account_id) into v_accounts from (
    select b.account_id from account_balance b
     where b.account_id in (select o.account_id from message_order o where o.id = any(p_ids))
     order by b.account_id for update skip locked) l;
  return query
  select o.id from message_order o where o.id = any(p_ids) and o.account_id = any(v_accounts) for update skip locked;
end $$;
