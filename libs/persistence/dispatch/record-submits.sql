-- Records what the carrier answered to submitted segments, and moves their orders.
--
-- p_kinds: accepted | refused | pending (not taken: throttled, temporary, never written) | in_doubt.
-- p_answers: the carrier's message id where accepted, else its error code.
-- Guarantees: an answer counts once, and only for the epoch that submitted; of several answers for a segment the last
--   one counts. An answer after its deadline still counts: if its segment is in doubt or waits to be sent again, the
--   carrier took it after all; if its segment is unknown, it gets the id by which a late receipt finds it. A receipt
--   that came before its response is applied here. One that came before the submit is of another message, whose id the
--   carrier uses again. If it names the number of this message, a minute is for a clock that is set back.
-- Locks: order rows in the order of their ids; then segments, which nobody changes without their order; then balance
--   rows in the order of accounts. A row that another transaction holds: the call fails after 50 ms (lock_timeout) and
--   has changed nothing, because meanwhile it keeps the balances of others from the accept. The worker then records the
--   answers whose balances are free (lock_free_balances), and waits for one of the others at a time (await_balance).
--
-- Nearly all answers are usual ones: the carrier accepted an order of one segment. Such an order is sent, and nothing
-- needs to be derived from its segments. derive_order_states decides about all others. ADR 32 has the cost of both
-- ways.
create or replace function record_submits(
  p_ids uuid[], p_positions smallint[], p_epochs integer[], p_kinds text[], p_answers text[],
  p_done boolean[], p_retry_after_ms integer[], p_in_doubt_wait interval
) returns table (id uuid, state order_state)
language plpgsql set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off
set plan_cache_mode = force_generic_plan set lock_timeout = '50ms' as $$
declare
  v_is_early boolean;
  v_codes    text[];
  -- Of the usual answers. All positions are 1; they are here because the primary key of the segments has them.
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
      if p_ids is null then
        return;
      end if;
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
         accepted_at = case when a.kind = 'accepted' then clock_timestamp() end,
         in_doubt_since = case when a.kind = 'in_doubt' or a.kind = 'accepted' and a.answer = '' then now() end
    from answered a
   where s.message_id = a.id and s.position = a.position and s.epoch = a.epoch
     and (s.state in ('submitting', 'in_doubt')
          or a.kind = 'accepted' and (s.state = 'pending' and s.in_doubt_since is not null
                                      or s.state = 'unknown' and s.carrier_message_id is null));

  -- Each segment gets one receipt. What is left may be of segments whose responses come next, or is a repeat: when the
  -- order is no longer sending, rematch_receipts applies it.
  if v_is_early then
    with early as (
      select r.* from parked_receipt r
       where r.receipt_id = any(array(
               select p.receipt_id
                 from unnest(p_ids, p_positions, p_kinds) as a(id, position, kind)
                 join segment s on s.message_id = a.id and s.position = a.position
                 join parked_receipt p on p.carrier_message_id = s.carrier_message_id and p.carrier_id = s.carrier_id
                 join message_order o on o.id = a.id
                  and (not p.unmarked and p.received_at > s.submitted_at
                       or p.received_at > s.submitted_at - interval '1 minute'
                          and is_same_number(o.destination, p.destination))
                where a.kind = 'accepted' and s.state in ('accepted', 'unknown')))
       -- A transaction that has locked a receipt is about to match it, and may wait for these orders.
         for update skip locked
    ), known as (
      select e.carrier_id, array_agg(e.receipt_id order by e.state) as receipts,
             array_agg(e.carrier_message_id order by e.state) as ids,
             array_agg(e.destination order by e.state) as destinations, array_agg(e.state order by e.state) as states,
             array_agg(e.carrier_code order by e.state) as codes, array_agg(e.unmarked order by e.state) as unmarked
        from early e group by e.carrier_id
    ), matched as (
      select distinct on (m.message_id, m.position) m.message_id, m.position, k.receipts[m.n] as receipt_id,
             k.states[m.n] as state, k.codes[m.n] as code
        from known k
       cross join lateral match_by_reference(k.carrier_id, k.ids, null, k.destinations, k.states, k.unmarked) m
        join segment s on s.message_id = m.message_id and s.position = m.position
       where m.message_id = any(p_ids) and s.state in ('accepted', 'unknown')
       order by m.message_id, m.position, m.n
    ), taken as (
      delete from parked_receipt r using matched m where r.receipt_id = m.receipt_id
    )
    update segment s
       set state = m.state::segment_state, carrier_code = m.code, settled_at = clock_timestamp()
      from matched m where s.message_id = m.message_id and s.position = m.position;
  end if;

  v_codes := array(select case when a.kind <> 'accepted' then nullif(a.answer, '') end
                     from unnest(p_kinds, p_answers) with ordinality as a(kind, answer, n) order by a.n);
  return query
  select * from derive_order_states(p_ids, 'worker', p_in_doubt_wait, v_codes,
                                    p_epochs => p_epochs, p_done => p_done, p_retry_after_ms => p_retry_after_ms);
end $$;
