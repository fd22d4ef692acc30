-- Ends queued orders that no carrier may take: there are routes, and none is for their destination.
--
-- Guarantees: this statement reads the routes itself, so a worker that has not heard of a new route fails nothing by
--   it. An order of which a carrier has segments goes on with that carrier, unless it was removed, and what a hold
--   covers waits for the operator. What never left of the others is released; what a carrier has or may have is
--   charged, and an order of which carriers may have all ends as unknown, as it does when its validity is over.
-- Locks: order rows in the order of their ids, then segments, then those of derive_order_states. Returns the orders
--   that ended.
create or replace function fail_unroutable(p_ids uuid[], p_code text, p_in_doubt_wait interval)
returns table (id uuid, state order_state)
language plpgsql as $$
#variable_conflict use_column
declare
  v_hold record;
  v_ids  uuid[];
begin
  if not exists (select from route) then
    return;
  end if;
  v_hold := active_hold();
  select array_agg(l.id) into v_ids from (
    select o.id from message_order o
     where o.id = any(p_ids) and may_be_claimed(o, v_hold.hold_id, v_hold.held_before, v_hold.held_accounts)
       and not exists (select from route r where starts_with(o.destination, r.prefix))
       and not exists (select from segment s join carrier c on c.carrier_id = s.carrier_id and c.removed_at is null
                        where s.message_id = o.id
                          and s.state in ('submitting', 'accepted', 'in_doubt', 'delivered', 'undelivered', 'unknown'))
     order by o.id
       for update) l;
  if v_ids is not null then
    perform give_up_doubt(v_ids);
    return query
    select * from derive_order_states(v_ids, 'worker', p_in_doubt_wait, p_code => p_code, p_is_over => true);
  end if;
end $$;
