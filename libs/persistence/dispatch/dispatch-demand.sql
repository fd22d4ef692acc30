-- How many segments a second the workers could hand to carriers: what they hand over now, and what waits, as far as the
-- carriers take it. KEDA asks it, and divides it by what one worker hands over (docs/kubernetes.md, ADR 48). The answer
-- is 100,000 at most.
--
-- p_drain_seconds: what waits counts as if it should be gone within this time.
-- It does not count what more workers would not send sooner: what waits for a carrier that is paused, that throttles or
--   that no live worker is bound to; what is above the carrier's submits_per_second; messages of an account that are
--   held; more of an account than it may have in flight; anything that waits during a hold; test messages.
-- Bounds: it reads 5,000 rows of an account's backlog and 20,000 rows in all, however much waits. It locks nothing.
--   With 100,000 single messages in the backlogs of 100 accounts it took 18 to 45 ms on a busy machine of 2 cores.
-- It runs with the rights of its owner, so the role that KEDA uses needs no right to read a table.
create or replace function dispatch_demand(p_drain_seconds integer) returns integer
language sql stable security definer
set enable_seqscan = off set jit = off set enable_hashjoin = off set enable_mergejoin = off as $$
  with carrier_now as (
    select c.carrier_id, coalesce(sum(r.pace), 0) as pace,
           case when bool_or(r.readiness = 'up')
                then greatest(0, coalesce(c.submits_per_second, 100000) - coalesce(sum(r.pace), 0))
                else 0 end as room
      from carrier c
      -- ALIVE_WITHIN_SECONDS of database/heartbeat.ts.
      left join process_heartbeat h on h.role = 'worker' and h.seen_at > now() - interval '10 seconds'
      left join lateral jsonb_to_recordset(h.details->'carriers') as r(name text, readiness text, pace float8)
        on r.name = c.name
     where c.carrier_id > 0 and c.removed_at is null and not c.paused
     group by c.carrier_id
  ), waiting as (
    select carrier_id, sum(messages) / p_drain_seconds as per_second
      from (select w.carrier_id, least(sum(w.messages), min(w.max_in_flight)) as messages
              from (select t.carrier_id, a.account_id, a.max_in_flight, b.messages
                      -- 0: not routed yet.
                      from (select carrier_id from carrier_now where room > 0 union all select 0) s
                      join dispatch_turn t on t.carrier_id = s.carrier_id
                      join account a on a.account_id = t.account_id
                     cross join lateral (
                           select coalesce(cardinality(b.sequences), b.last_sequence - b.first_sequence + 1) as messages
                             from dispatch_backlog b
                            where b.carrier_id = t.carrier_id and b.account_id = t.account_id limit 5000) b
                     where t.account_id > 0
                       and not exists (select from held_account h where h.account_id = t.account_id)
                       and not exists (select from dispatch_hold h where h.released_at is null)
                     limit 20000) w
             group by w.carrier_id, w.account_id) by_account
     group by carrier_id
  ), routed as (
    select coalesce(sum(c.pace), 0) as pace, coalesce(sum(least(c.room, coalesce(w.per_second, 0))), 0) as wanted,
           coalesce(sum(c.room), 0) as room
      from carrier_now c left join waiting w using (carrier_id)
  )
  select least(100000, ceil(r.pace + r.wanted
                            + least(r.room - r.wanted,
                                    coalesce((select per_second from waiting where carrier_id = 0), 0))))::integer
    from routed r
$$;

-- A function with the rights of its owner must not find tables that its caller has made: pg_temp comes last.
do $$
begin
  execute format('alter function dispatch_demand(integer) set search_path = %I, pg_temp', current_schema());
end $$;
