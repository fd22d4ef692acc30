-- Gives long messages their 8-bit reference, counting up per recipient, so that two long messages to one handset are
-- not joined to each other. Kept on the order: a later attempt continues the same message.
-- Locks: counter rows in the order of the destinations, then the order rows (whose owner is the caller).
create or replace function assign_concatenation_references(p_ids uuid[])
returns table (id uuid, concatenation_reference smallint)
language plpgsql set enable_seqscan = off set jit = off set plan_cache_mode = force_generic_plan as $$
begin
  return query
  with wanted as (
    select o.id, o.destination, row_number() over (partition by o.destination order by o.id) as turn
      from message_order o
     where o.id = any(p_ids) and o.concatenation_reference is null
  ), counted as (
    select w.destination, count(*) as n from wanted w group by w.destination order by w.destination
  ), counter as (
    insert into concatenation_counter as c (destination, last)
    select k.destination, (k.n - 1) % 256 from counted k
    on conflict (destination) do update set last = (c.last + excluded.last + 1) % 256, used_at = now()
    returning c.destination, c.last
  ), given as (
    update message_order o
       set concatenation_reference = (c.last - k.n + w.turn + 65536) % 256
      from wanted w join counter c on c.destination = w.destination join counted k on k.destination = w.destination
     where o.id = w.id
    returning o.id, o.concatenation_reference
  )
  select g.id, g.concatenation_reference from given g;
end $$;
