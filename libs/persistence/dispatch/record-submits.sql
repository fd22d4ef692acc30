-- Records what the carrier answered to submitted segments and concludes their orders.
--
-- p_kinds: accepted | refused | pending (not taken: throttled, temporary, never written) | in_doubt.
-- p_answers: the carrier's message id where accepted, else its error code.
-- An answer after its deadline still counts: while its segment is in doubt or waits to be sent again it is taken after all, and one
--   that was given up as unknown gets the id by which a late receipt finds it.
-- Guarantees: an answer counts once, and only for the epoch that submitted; a receipt that came before its response is
--   applied here. Locks: order rows by id; then balances in the order of accounts, and segments, which nobody changes without their order.
--
-- Orders of one segment that their owner's answer sends, which is nearly all, take one statement: a statement costs the server for
--   each of its parts before the first row. Everything else goes on to conclude_orders, which says the same where both
--   could decide.
create or replace function record_submits(
  p_ids uuid[], p_positions smallint[], p_epochs integer[], p_kinds text[], p_answers text[],
  p_done boolean[], p_retry_after_ms integer[], p_in_doubt_wait interval
) returns table (id uuid, state order_state)
language plpgsql set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off
set plan_cache_mode = force_generic_plan as $$
declare
  -- Of the answers that send an order of one segment. Their positions (1) are there to be joined by: that is the primary key.
  v_orders   uuid[];
  v_firsts   smallint[];
  v_fences   integer[];
  v_answers  text[];
  v_accounts bigint[];
  v_prices   bigint[];
  v_sent     uuid[];
  v_ids      uuid[];
  v_epochs   integer[];
  v_done     boolean[];
  v_retries  integer[];
  v_codes    text[];
begin
  with locked as materialized (
    select a.*, o.account_id, o.price,
           o.state = 'sending' and o.segments = 1 and o.epoch = a.epoch and a.kind = 'accepted' and a.answer <> '' as is_sent
      from (select * from unnest(p_ids, p_positions, p_epochs, p_kinds, p_answers) as u(id, position, epoch, kind, answer)
             order by u.id) a
      join message_order o on o.id = a.id
       for update of o
  )
  select array_agg(l.id), array_agg(l.position), array_agg(l.epoch), array_agg(l.answer), array_agg(l.account_id), array_agg(l.price)
    into v_orders, v_firsts, v_fences, v_answers, v_accounts, v_prices
    from locked l where l.is_sent;

  -- What a receipt was faster for does not go the usual way. The table is nearly always empty, so it is looked at first.
  perform from parked_receipt r where r.carrier_message_id = any(p_answers) limit 1;
  if v_orders is not null and not found then
    -- All that this call will lock, in the order of accounts; one needs no order.
    if cardinality(v_orders) < cardinality(p_ids) or v_accounts[1] <> any(v_accounts) then
      perform lock_balances(p_ids);
    end if;
    with taken as (
      update segment s
         set state = 'accepted', carrier_message_id = z.answer, accepted_at = now()
        from unnest(v_orders, v_firsts, v_fences, v_answers, v_accounts, v_prices) as z(id, position, epoch, answer, account_id, price)
       where s.message_id = z.id and s.position = z.position and s.epoch = z.epoch and s.state = 'submitting'
      returning z.id, z.account_id, z.price
    ), sums as (
      select t.account_id, sum(t.price)::bigint as captured, count(*) filter (where t.price > 0) as captures
        from taken t group by t.account_id having sum(t.price) > 0
    ), balances as (
      update account_balance b
         set reserved = b.reserved - s.captured, captured = b.captured + s.captured, last_entry = b.last_entry + 1
        from sums s where b.account_id = s.account_id
      returning b.account_id, b.last_entry, b.deposited - b.reserved - b.captured as available, s.captured, s.captures
    ), journal as (
      insert into journal_entry (account_id, entry, kind, debit, credit, amount, available_after, order_count)
      select b.account_id, b.last_entry, 'capture', 'reserved', 'captured', b.captured, b.available, b.captures from balances b
    ), moved as (
      update message_order o
         set state = 'sent', sent_at = clock_timestamp(), capture_entry = case when o.price > 0 then b.last_entry end,
             lease_until = null, next_attempt_at = null
        from taken t left join balances b on b.account_id = t.account_id
       where o.id = t.id
    ), logged as (
      insert into order_transition (message_id, at, from_state, to_state, actor)
      select t.id, clock_timestamp(), 'sending', 'sent', 'worker' from taken t
    )
    select array_agg(t.id) into v_sent from taken t;
  end if;
  if v_sent is not null then
    return query select i, 'sent'::order_state from unnest(v_sent) i;
    select array_agg(a.id), array_agg(a.position), array_agg(a.epoch), array_agg(a.kind), array_agg(a.answer), array_agg(a.done),
           array_agg(a.retry_after_ms)
      into p_ids, p_positions, p_epochs, p_kinds, p_answers, p_done, p_retry_after_ms
      from unnest(p_ids, p_positions, p_epochs, p_kinds, p_answers, p_done, p_retry_after_ms)
           as a(id, position, epoch, kind, answer, done, retry_after_ms)
     where cardinality(v_sent) < cardinality(p_ids) and a.id <> all(v_sent);
    if p_ids is null then
      return;
    end if;
  end if;

  with answered as (
    select distinct on (a.id, a.position) a.*
      from unnest(p_ids, p_positions, p_epochs, p_kinds, p_answers) with ordinality
           as a(id, position, epoch, kind, answer, n)
     order by a.id, a.position, a.n desc
  )
  update segment s
     set state = case when s.state = 'unknown' then 'unknown' else a.kind::segment_state end,
         carrier_message_id = case when a.kind = 'accepted' and a.answer <> '' then a.answer end,
         carrier_code = case when a.kind <> 'accepted' then a.answer end,
         accepted_at = case when a.kind = 'accepted' then now() end,
         in_doubt_since = case when a.kind = 'in_doubt' or a.kind = 'accepted' and a.answer = '' then now() end
    from answered a
   where s.message_id = a.id and s.position = a.position and s.epoch = a.epoch
     and (s.state in ('submitting', 'in_doubt')
          or a.kind = 'accepted' and (s.state = 'pending' and s.in_doubt_since is not null
                                      or s.state = 'unknown' and s.carrier_message_id is null));

  -- Receipts that were faster than the response.
  perform from parked_receipt r where r.carrier_message_id = any(p_answers) limit 1;
  if found then
    with early as (
      select r.receipt_id, s.message_id, s.position, r.state, r.carrier_code
        from unnest(p_ids, p_positions, p_kinds) as a(id, position, kind)
        join segment s on s.message_id = a.id and s.position = a.position
        join parked_receipt r on r.carrier_message_id = s.carrier_message_id and r.carrier_id = s.carrier_id
       where a.kind = 'accepted' and s.state in ('accepted', 'unknown')
    ), taken as (
      delete from parked_receipt r using early e where r.receipt_id = e.receipt_id
    )
    update segment s
       set state = e.state::segment_state, carrier_code = e.carrier_code, settled_at = now()
      from (select distinct on (x.message_id, x.position) x.* from early x
             order by x.message_id, x.position, x.state = 'delivered' desc) e
     where s.message_id = e.message_id and s.position = e.position;
  end if;

  select array_agg(g.id), array_agg(g.epoch), array_agg(g.done), array_agg(g.retry_after_ms), array_agg(g.code)
    into v_ids, v_epochs, v_done, v_retries, v_codes
    from (select a.id, a.epoch, bool_or(a.done) as done, max(a.retry_after_ms) as retry_after_ms,
                 max(nullif(a.answer, '')) filter (where a.kind <> 'accepted') as code
            from unnest(p_ids, p_epochs, p_done, p_retry_after_ms, p_kinds, p_answers)
                 as a(id, epoch, done, retry_after_ms, kind, answer)
           group by a.id, a.epoch) g;
  return query select * from conclude_orders(v_ids, v_epochs, v_done, v_retries, v_codes, 'worker', p_in_doubt_wait);
end $$;
