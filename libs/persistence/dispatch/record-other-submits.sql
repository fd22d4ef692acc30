-- Records the answers of carriers that are not usual ones, and moves their orders as the states of their segments say.
-- record_submits has locked the orders, and says what it guarantees; its planner settings (ADR 33) and its lock_timeout
-- apply here too.
--
-- p_is_early: a receipt may have come before one of these answers. Such a receipt is applied here. One that came before
--   the submit is of another message, whose id the carrier uses again. If it names the number of this message, a minute
--   is for a clock that is set back.
create or replace function record_other_submits(
  p_ids uuid[], p_positions smallint[], p_epochs integer[], p_kinds text[], p_answers text[],
  p_done boolean[], p_retry_after_ms integer[], p_in_doubt_wait interval, p_is_early boolean
) returns table (id uuid, state order_state)
language plpgsql as $$
declare
  v_codes   text[];
  v_settled uuid[];
begin
  with answered as (
    -- (by epoch: the late answer to an earlier submit may stand behind the one to this submit)
    select distinct on (a.id, a.position, a.epoch) a.*
      from unnest(p_ids, p_positions, p_epochs, p_kinds, p_answers) with ordinality
           as a(id, position, epoch, kind, answer, n)
     order by a.id, a.position, a.epoch, a.n desc
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
  if p_is_early then
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
    ), settled as (
      update segment s
         set state = m.state::segment_state, carrier_code = m.code, settled_at = clock_timestamp()
        from matched m where s.message_id = m.message_id and s.position = m.position
      returning s.message_id
    )
    select array_agg(distinct t.message_id) into v_settled
      from settled t join message_order o on o.id = t.message_id where o.state in ('sent', 'undelivered', 'unknown');
    -- Nobody owns these any more, so the receipt counts under whatever epoch they ended.
    if v_settled is not null then
      return query select * from derive_order_states(v_settled, 'worker', p_in_doubt_wait);
    end if;
  end if;

  v_codes := array(select case when a.kind <> 'accepted' then nullif(a.answer, '') end
                     from unnest(p_kinds, p_answers) with ordinality as a(kind, answer, n) order by a.n);
  return query
  select * from derive_order_states(p_ids, 'worker', p_in_doubt_wait, v_codes,
                                    p_epochs => p_epochs, p_done => p_done, p_retry_after_ms => p_retry_after_ms);
end $$;
