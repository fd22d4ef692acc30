-- Records, before they are written to the wire, the further segments of claimed orders as submitting.
--
-- Guarantees: only the owner of the current epoch can record an intent; a fenced worker gets nothing back and must not
--   submit.
-- Locks: order rows in the order of their ids, then segments. A row that another transaction holds: the call fails
--   after 50 ms, as record_submits() does.
create or replace function record_intents(
  p_ids uuid[], p_positions smallint[], p_epochs integer[], p_carrier_ids integer[]
) returns table (id uuid, "position" smallint)
language plpgsql set enable_seqscan = off set jit = off set plan_cache_mode = force_generic_plan
set lock_timeout = '50ms' as $$
#variable_conflict use_column
begin
  return query
  with asked as (
    select * from unnest(p_ids, p_positions, p_epochs, p_carrier_ids) as a(id, position, epoch, carrier_id)
  ), owned as materialized (
    select o.id, o.epoch, o.destination from message_order o
     where o.id in (select a.id from asked a) and o.state = 'sending' and o.lease_until > now()
     order by o.id
       for no key update
  ), doubted as (
    insert into doubtful_submit (message_id, position, carrier_id, destination, reference, submitted_at)
    select s.message_id, s.position, s.carrier_id, o.destination, segment_reference(s.message_id, s.position),
           s.submitted_at
      from asked a
      join owned o on o.id = a.id and o.epoch = a.epoch
      join segment s on s.message_id = a.id and s.position = a.position
     where s.state in ('pending', 'in_doubt') and s.in_doubt_since is not null
    on conflict do nothing
  )
  insert into segment as s (message_id, position, state, epoch, carrier_id, submitted_at)
  select a.id, a.position, 'submitting', a.epoch, a.carrier_id, now()
    from asked a join owned o on o.id = a.id and o.epoch = a.epoch
  on conflict (message_id, position) do update
     set state = 'submitting', epoch = excluded.epoch, carrier_id = excluded.carrier_id, whole = false,
         attempt = s.attempt + 1, submitted_at = excluded.submitted_at, in_doubt_since = null,
         carrier_message_id = null, carrier_code = null
   where s.state in ('pending', 'in_doubt')
  returning s.message_id, s.position;
end $$;

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
