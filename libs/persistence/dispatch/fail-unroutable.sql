-- Ends queued orders that no carrier may take: there are routes, and none is for their destination.
--
-- Guarantees: routes are read in this very statement, so a worker that has not heard of a new route fails nothing by it;
--   an order of which a carrier has segments goes on with that carrier and is left alone, and so is what an active hold
--   covers: nobody knows what became of that. Nothing of the others has left,
--   so their reservation is released in full (conclude_orders).
-- Locks: order rows in the order of their ids, then those of conclude_orders. Returns the orders that failed.
create or replace function fail_unroutable(p_ids uuid[], p_code text, p_in_doubt_wait interval)
returns table (id uuid, state order_state)
language plpgsql set enable_seqscan = off as $$
#variable_conflict use_column
declare
  v_hold record;
  v_ids  uuid[];
begin
  if not exists (select from route) then
    return;
  end if;
  select * into v_hold from active_hold();
  select array_agg(l.id) into v_ids from (
    select o.id from message_order o
     where o.id = any(p_ids) and o.state = 'queued'
       and (o.created_at >= v_hold.held_before or o.cleared_hold = v_hold.hold_id)
       and not exists (select from route r where starts_with(o.destination, r.prefix))
       and not exists (select from segment s where s.message_id = o.id
                          and s.state in ('submitting', 'accepted', 'in_doubt', 'delivered', 'undelivered', 'unknown'))
     order by o.id
       for update) l;
  if v_ids is null then
    return;
  end if;
  return query
  select * from conclude_orders(
    v_ids, array_fill(null::integer, array[cardinality(v_ids)]), array_fill(true, array[cardinality(v_ids)]),
    array_fill(0, array[cardinality(v_ids)]), array_fill(p_code, array[cardinality(v_ids)]), 'worker', p_in_doubt_wait);
end $$;
