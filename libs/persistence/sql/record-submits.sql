-- Records what the carrier answered to submitted segments and concludes their orders.
--
-- p_kinds: accepted | refused | pending (not taken: throttled, temporary, never written) | in_doubt.
-- p_answers: the carrier's message id where accepted, else its error code.
-- An answer after its deadline still counts: while its segment is in doubt or waits to be sent again it is taken after all, and one
--   that was given up as unknown gets the id by which a late receipt finds it.
-- Guarantees: an answer counts once, and only for the epoch that submitted; a receipt that came before its response is
--   applied here. Locks: order rows by id, segments, then balances (in conclude_orders).
create or replace function record_submits(
  p_ids uuid[], p_positions smallint[], p_epochs integer[], p_kinds text[], p_answers text[],
  p_done boolean[], p_retry_after_ms integer[], p_in_doubt_wait interval
) returns table (id uuid, state order_state)
language plpgsql set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off
set plan_cache_mode = force_generic_plan as $$
declare
  v_ids     uuid[];
  v_epochs  integer[];
  v_done    boolean[];
  v_retries integer[];
  v_codes   text[];
begin
  perform 1 from message_order o where o.id = any(p_ids) order by o.id for update;

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

  -- Receipts that were faster than the response. The table is nearly always empty, so it is looked at first.
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
