-- Renews a worker's leases of a carrier's shared binds, and takes free ones up to its share.
--
-- Guarantees: a slot has one holder at a time, by leases on the database's clock; the holder must be unbound before its
--   lease ends. No more than bind_count slots are ever leased together, also while bind_count is lowered: no worker
--   takes a slot until enough have been given back. No worker takes more than its share: bind_count divided by the live
--   workers. The remainder goes to workers that hold one more already, then by name, so that a share moves only when it
--   must.
-- Locks: the carrier's advisory lock (one worker at a time decides), then its bind rows.
-- Returns: the slots that the worker holds now, the lowest first, and how many it should hold; it then gives the
--   surplus back.
create or replace function lease_binds(
  p_carrier_id integer, p_worker text, p_lease interval, p_alive_within interval
) returns table (held smallint[], share integer, bind_count integer)
language plpgsql as $$
declare
  v_count  integer;
  v_leased integer;
  v_mine   integer;
  v_share  integer;
begin
  perform pg_advisory_xact_lock(hashtext('heliograph.lease_binds'), p_carrier_id);
  select c.bind_count into v_count from carrier c where c.carrier_id = p_carrier_id and c.removed_at is null;
  v_count := coalesce(v_count, 0);
  insert into carrier_bind (carrier_id, slot) select p_carrier_id, n from generate_series(1, v_count) n
  on conflict do nothing;

  update carrier_bind b set lease_until = clock_timestamp() + p_lease
   where b.carrier_id = p_carrier_id and b.owner = p_worker and b.lease_until > clock_timestamp();
  get diagnostics v_mine = row_count;
  select count(*) into v_leased from carrier_bind b
   where b.carrier_id = p_carrier_id and b.owner is not null and b.lease_until > clock_timestamp();

  with workers as (
    select h.process_id from process_heartbeat h where h.role = 'worker' and h.seen_at > now() - p_alive_within
     union select p_worker
  ), holding as (
    select w.process_id, count(b.slot) as slots, count(*) over () as workers
      from workers w
      left join carrier_bind b on b.carrier_id = p_carrier_id and b.owner = w.process_id
                              and b.lease_until > clock_timestamp()
     group by w.process_id
  ), placed as (
    select h.process_id, h.workers,
           row_number() over (order by h.slots > v_count / h.workers desc, h.process_id) as place
      from holding h
  )
  select v_count / p.workers + (p.place <= v_count % p.workers)::integer into v_share
    from placed p where p.process_id = p_worker;

  update carrier_bind b set owner = p_worker, epoch = b.epoch + 1, lease_until = clock_timestamp() + p_lease
   where b.carrier_id = p_carrier_id
     and b.slot in (
       select f.slot from carrier_bind f
        where f.carrier_id = p_carrier_id and f.slot <= v_count
          and (f.owner is null or f.lease_until <= clock_timestamp())
        order by f.slot limit greatest(0, least(v_share - v_mine, v_count - v_leased)));

  return query
  select coalesce(array_agg(b.slot order by b.slot)
                  filter (where b.owner = p_worker and b.lease_until > clock_timestamp()), '{}'),
         v_share, v_count
    from carrier_bind b where b.carrier_id = p_carrier_id;
end $$;
