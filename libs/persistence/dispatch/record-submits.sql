-- Records what the carrier answered to submitted segments, and moves their orders.
--
-- p_kinds: accepted | refused | pending (not taken: throttled, temporary, never written) | in_doubt.
-- p_answers: the carrier's message id where accepted, else its error code.
-- Guarantees: an answer counts once, and only for the epoch that submitted; of several answers for a segment the last
--   one counts. An answer after its deadline still counts: if its segment is in doubt or waits to be sent again, the
--   carrier took it after all; if its segment is unknown, it gets the id by which a late receipt finds it. A receipt
--   that came before its response is applied with it (record_other_submits).
-- Locks: order rows in the order of their ids; then segments, which nobody changes without their order; then balance
--   rows in the order of accounts. A row that another transaction holds: the call fails after 50 ms (lock_timeout) and
--   has changed nothing, because meanwhile it keeps the balances of others from the accept. The worker then passes over
--   such rows (lock_free_balances).
--
-- Nearly all answers are usual ones: the carrier accepted an order of one segment. Such an order is sent, and nothing
-- needs to be derived from its segments. All others are for record_other_submits. ADR 32 has the cost of both ways.
create or replace function record_submits(
  p_ids uuid[], p_positions smallint[], p_epochs integer[], p_kinds text[], p_answers text[],
  p_done boolean[], p_retry_after_ms integer[], p_in_doubt_wait interval
) returns table (id uuid, state order_state)
language plpgsql set enable_seqscan = off set jit = off set enable_hashjoin = off set enable_mergejoin = off
set plan_cache_mode = force_generic_plan set lock_timeout = '50ms' as $$
declare
  v_is_early boolean;
  -- Of the usual answers. All positions are 1, and stand here all the same: with a constant in their place, the join
  -- of the segments costs a busy database far more.
  v_orders    uuid[];
  v_positions smallint[];
  v_epochs    integer[];
  v_answers   text[];
  v_accounts  bigint[];
  v_prices    bigint[];
  v_sent      uuid[];
begin
  with locked as materialized (
    select a.*, o.account_id, o.price,
           o.state = 'sending' and o.segments = 1 and o.epoch = a.epoch
             and a.kind = 'accepted' and a.answer <> '' as is_usual
      from (select * from unnest(p_ids, p_positions, p_epochs, p_kinds, p_answers)
                          as u(id, position, epoch, kind, answer)
             order by u.id) a
      join message_order o on o.id = a.id
       for update of o
  )
  select array_agg(l.id), array_agg(l.position), array_agg(l.epoch), array_agg(l.answer), array_agg(l.account_id),
         array_agg(l.price), exists (select from parked_receipt r where r.carrier_message_id = any(p_answers))
    into v_orders, v_positions, v_epochs, v_answers, v_accounts, v_prices, v_is_early
    from locked l where l.is_usual;

  if v_orders is not null and not v_is_early then
    if cardinality(v_orders) < cardinality(p_ids) then
      perform lock_balances(p_ids);
    end if;
    with taken as (
      update segment s
         set state = 'accepted', carrier_message_id = z.answer, accepted_at = now()
        from unnest(v_orders, v_positions, v_epochs, v_answers, v_accounts, v_prices)
             as z(id, position, epoch, answer, account_id, price)
       where s.message_id = z.id and s.position = z.position and s.epoch = z.epoch and s.state = 'submitting'
      returning z.id, z.account_id, z.price
    )
    select array_agg(t.id), array_agg(t.account_id), array_agg(t.price) into v_sent, v_accounts, v_prices from taken t;
    if v_sent is not null then
      perform move_orders(v_sent, 'sending', 'sent', 'worker', null, v_accounts, v_prices);
      return query select i, 'sent'::order_state from unnest(v_sent) i;
      if cardinality(v_sent) = cardinality(p_ids) then
        return;
      end if;
      select array_agg(a.id), array_agg(a.position), array_agg(a.epoch), array_agg(a.kind), array_agg(a.answer),
             array_agg(a.done), array_agg(a.retry_after_ms)
        into p_ids, p_positions, p_epochs, p_kinds, p_answers, p_done, p_retry_after_ms
        from unnest(p_ids, p_positions, p_epochs, p_kinds, p_answers, p_done, p_retry_after_ms)
             as a(id, position, epoch, kind, answer, done, retry_after_ms)
       where a.id <> all(v_sent);
    end if;
  end if;

  return query
  select * from record_other_submits(p_ids, p_positions, p_epochs, p_kinds, p_answers, p_done, p_retry_after_ms,
                                     p_in_doubt_wait, v_is_early);
end $$;
