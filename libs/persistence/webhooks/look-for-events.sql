-- Finds the accounts that have new events, for all webhooks of a process at once: to ask for each webhook would cost a
-- walk down sixteen indexes for each.
--
-- Events of transactions below `oldest` can be read (ADR 39). So the accounts that a look tells of have events of
-- transactions from p_xid, the `oldest` of the look before, to those below its own `oldest`.
-- p_batch_id: none of these events has a lower id, see NewEvents. Null: the look tells of no account.
-- `next`: no transaction from this one on has begun. batch_id: events of such transactions have no lower id.
create or replace function look_for_events(p_xid xid8, p_batch_id bigint)
returns table (oldest xid8, next xid8, batch_id bigint, accounts bigint[])
language plpgsql stable set enable_seqscan = off set jit = off set plan_cache_mode = force_generic_plan as $$
#variable_conflict use_column
begin
  return query
  select pg_snapshot_xmin(s), pg_snapshot_xmax(s), event_batch_id_at(now()),
         array(select distinct b.account_id from event_batch b
                -- At midnight events of both days are new.
                where b.slot in (event_slot(p_batch_id), event_slot(event_batch_id_at(now() + interval '1 second')))
                  and b.batch_id >= p_batch_id
                  -- No condition for an index: the one with the transactions begins with the account.
                  and (b.xid >= p_xid and b.xid < pg_snapshot_xmin(s)) is true)
    from pg_current_snapshot() s;
end $$;
