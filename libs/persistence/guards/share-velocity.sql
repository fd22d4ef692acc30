-- Says which gateways may count messages of this hour by themselves. So many `holders` have equal shares of the half of
-- each limit; all others count in the database.
--
-- Guarantees: the holders of an hour are the same ones from its first to its last moment, except that a gateway that is
--   alone becomes its only holder. So no gateway counts with a share that another one does not know of. A gateway that
--   was started again is another one: what the earlier one has counted is not forgotten, because its share is not given
--   to anybody.
-- A gateway that says in the last ten minutes of an hour that it is there is a holder of the next one.
create or replace function share_velocity(
  p_gateway_id text, out hour_ms float8, out now_ms float8, out holders integer, out holds boolean
)
language plpgsql as $$
declare
  v_now  constant timestamptz := clock_timestamp();
  v_hour constant timestamptz := date_trunc('hour', v_now, 'UTC');
begin
  perform pg_advisory_xact_lock(hashtext('heliograph.share_velocity'));
  delete from velocity_gateway g where g.hour < v_hour - interval '2 hours';
  if v_now >= v_hour + interval '50 minutes' then
    insert into velocity_gateway values (v_hour + interval '1 hour', p_gateway_id, true) on conflict do nothing;
  end if;
  insert into velocity_gateway
  select v_hour, p_gateway_id, not exists (select from velocity_gateway g where g.hour = v_hour) on conflict do nothing;
  select count(*) filter (where g.holds), bool_or(g.holds) filter (where g.gateway_id = p_gateway_id)
    into holders, holds from velocity_gateway g where g.hour = v_hour;
  hour_ms := extract(epoch from v_hour) * 1000;
  now_ms := extract(epoch from v_now) * 1000;
end $$;
