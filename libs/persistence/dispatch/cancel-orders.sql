-- Cancels orders for the client whose they are, or because their recipient wants none (p_code): those that are
-- scheduled, and those that are queued and of which no carrier has a segment, or maybe has. Their reservation is
-- released in full.
--
-- Guarantees: an order is canceled or claimed, never both: the claim and this function lock its row and look at its
--   state. It is released once, however often it is canceled. An order that a hold covers may have been sent before a
--   restore, so only an operator decides about it.
-- Locks: order rows in the order of their ids, then the balance of the account. If another transaction holds one of
--   them, the call fails after 50 ms (lock_timeout) and has changed nothing, because claims of other accounts' orders
--   might wait for it meanwhile.
-- account_id + 0 keeps the planner from an index by account, with which it would read all orders of the account while
-- it does not know yet how many there are.
-- Returns each order of the account that is there, as it is now. If its state is canceled, it is, by this call or by an
-- earlier one.
create or replace function cancel_orders(p_account_id bigint, p_ids uuid[], p_code text default null)
returns table (id uuid, sequence bigint, state order_state, recipient text, released bigint)
language plpgsql set enable_seqscan = off set jit = off set enable_bitmapscan = off
set enable_hashjoin = off set enable_mergejoin = off
set plan_cache_mode = force_generic_plan set lock_timeout = '50ms' as $$
#variable_conflict use_column
declare
  v_hold record;
  v_from record;
begin
  v_hold := active_hold();
  perform from message_order o
    where o.id = any(p_ids) and o.account_id + 0 = p_account_id and o.state in ('scheduled', 'queued')
    order by o.id for update;
  for v_from in
    select o.state, array_agg(o.id) as ids, array_agg(o.account_id) as accounts, array_agg(0::bigint) as captured,
           array_agg(o.price) as released, array_agg(p_code) as codes
      from message_order o
     where o.id = any(p_ids) and o.account_id + 0 = p_account_id and o.state in ('scheduled', 'queued')
       and (sendable_since(o) >= v_hold.held_before or o.cleared_hold = v_hold.hold_id)
       and not exists (select from segment s where s.message_id = o.id
                          and (s.state <> 'pending' or s.in_doubt_since is not null))
       and not exists (select from doubtful_submit d where d.message_id = o.id)
     group by o.state
  loop
    perform move_orders(v_from.ids, v_from.state, 'canceled', 'client', v_from.codes, v_from.accounts, v_from.captured,
                        v_from.released);
  end loop;
  return query
  select o.id, o.sequence, o.state, o.recipient, o.price - o.amount from message_order o
   where o.id = any(p_ids) and o.account_id + 0 = p_account_id order by o.sequence;
end $$;
