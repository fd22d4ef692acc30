-- What the endpoints of an account want to hear of, for those who write events. A disabled endpoint gets its events if
-- it is enabled again within 14 days.
--
-- Locks: the row of the account, as everybody does who changes its endpoints; that of a sandbox is its owner's. The
--   endpoints are read in a statement of its own, because it must see what was committed while it waited for the lock.
create or replace function refresh_event_wish(p_account_id bigint) returns void
language plpgsql as $$
declare
  v_types text[];
begin
  perform from account a where a.account_id = abs(p_account_id) for no key update;
  select array_agg(distinct t) into v_types
    from webhook_endpoint e cross join unnest(e.events) t
   where e.account_id = p_account_id and coalesce(e.disabled_at, now()) > now() - interval '14 days';
  if v_types is null then
    delete from event_wish w where w.account_id = p_account_id;
  else
    insert into event_wish values (p_account_id, v_types)
    on conflict (account_id) do update set types = excluded.types where event_wish.types <> excluded.types;
  end if;
end $$;

-- Another cluster counts its transactions anew, so the old numbers mean nothing there: everything that is stored counts
-- as committed long ago. First the places: an endpoint starts again with its first batch that may not have been
-- delivered. Then the events, a slice at a call, because there may be millions of them. Both may be called again, and
-- do nothing once somebody has noticed the restore, because events of this cluster are there then.
--
-- Ids grow as transactions do, but for what overlaps: so the first ones behind a place have the lowest id.
-- Locks: the advisory lock of notice_restored_database.
create or replace function forget_event_places() returns void
language plpgsql as $$
declare
  v_last bigint := (select max(l.batch_id)
                      from generate_series(0, 15) s
                     cross join lateral (select b.batch_id from event_batch b where b.slot = s::smallint
                                          order by b.slot desc, b.batch_id desc limit 1) l);
begin
  perform pg_advisory_xact_lock(hashtext('heliograph.dispatch_hold'));
  if database_identity_change() is distinct from 'database' then
    return;
  end if;
  update webhook_progress p
     set cursor_xid = '0', cursor_index = 0,
         cursor_batch = coalesce(
           (select min(f.batch_id) - 1
              from (select b.batch_id from event_batch b join webhook_endpoint e using (account_id)
                     where e.endpoint_id = p.endpoint_id and (b.xid, b.batch_id) > (p.cursor_xid, p.cursor_batch)
                     order by b.xid, b.batch_id limit 10000) f),
           v_last, 0)
   where p.cursor_xid <> '0';
  update webhook_progress set since = null, owner = null;
  update webhook_replay r set cursor_xid = '0', cursor_batch = 0, cursor_index = 0;
end $$;

-- p_slot, p_after: which part of event_batch, and behind which id. Returns the last id of the slice; null: it has none.
create or replace function forget_event_transactions(p_slot smallint, p_after bigint, p_limit integer) returns bigint
language plpgsql as $$
declare
  v_last bigint := (select max(l.batch_id)
                      from (select b.batch_id from event_batch b where b.slot = p_slot and b.batch_id > p_after
                             order by b.batch_id limit p_limit) l);
begin
  perform pg_advisory_xact_lock(hashtext('heliograph.dispatch_hold'));
  if database_identity_change() is distinct from 'database' then
    return null;
  end if;
  update event_batch b set xid = '0'
   where b.slot = p_slot and b.batch_id > p_after and b.batch_id <= v_last and b.xid <> '0';
  return v_last;
end $$;

-- Empties the parts of event_batch whose days are over. They are left as they are while somebody reads them.
--
-- Locks: the whole of a part whose newest event is old. It looks at that event again behind the lock: if nobody has
--   emptied the part for a day, an event of its next day may have been written meanwhile.
create or replace function empty_old_events(p_keep interval) returns integer
language plpgsql set lock_timeout = '50ms' as $$
declare
  v_part    regclass;
  v_look    text;
  v_is_old  boolean;
  v_emptied integer := 0;
begin
  if not pg_try_advisory_xact_lock(hashtext('heliograph.empty_old_events')) then
    return 0;
  end if;
  for v_part in select i.inhrelid::regclass from pg_inherits i where i.inhparent = 'event_batch'::regclass loop
    -- The newest one by the primary key: max(batch_id) would read the whole part.
    v_look := format('select b.batch_id < event_batch_id_at(now() - $1) from %s b order by slot desc, batch_id desc '
                     'limit 1', v_part);
    execute v_look into v_is_old using p_keep;
    if v_is_old then
      begin
        execute format('lock table %s', v_part);
        execute v_look into v_is_old using p_keep;
        if v_is_old then
          execute format('truncate %s', v_part);
          v_emptied := v_emptied + 1;
        end if;
      exception when lock_not_available then
        null;
      end;
    end if;
  end loop;
  return v_emptied;
end $$;
