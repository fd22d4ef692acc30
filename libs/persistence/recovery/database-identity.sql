-- Distinguishes a restored database from the one that the service last worked on. A value that the server does not
-- show (a managed one may forbid a function) is null, and is not compared.
--
--   system_identifier  another cluster: a dump restored elsewhere, pg_upgrade, logical replication
--   database_oid       another database of the cluster: dropdb, createdb and pg_restore; create database ... template
--   orders_oid         another table in the same database: pg_restore --clean
--   timeline           the end of an archive recovery (point in time), or the promotion of a replica
--
-- A copy of the files (a snapshot of the disk or of the machine) has the identity of its original, so nothing here
-- notices it. It needs no right beyond connecting: everybody may call these functions unless an administrator revoked
-- that.
create or replace function current_database_identity(
  out system_identifier bigint, out database_oid bigint, out orders_oid bigint, out timeline integer
) language plpgsql as $$
begin
  database_oid := (select d.oid from pg_database d where d.datname = current_database());
  orders_oid := to_regclass('message_order')::oid;
  begin
    system_identifier := (select c.system_identifier from pg_control_system() c);
  exception when others then
    system_identifier := null;
  end;
  begin
    -- The first eight hexadecimal digits of a WAL file's name; the control file learns of a new timeline only later.
    timeline := ('x' || left(pg_walfile_name(pg_current_wal_lsn()), 8))::bit(32)::integer;
  exception when others then
    timeline := null;
  end;
end $$;

-- Null: the same database, or nothing is recorded yet. `timeline`: only that differs. `database`: anything else does.
create or replace function database_identity_change() returns text
language plpgsql as $$
declare
  v_known database_identity;
  v_now   record;
begin
  select * into v_known from database_identity;
  if not found then
    return null;
  end if;
  select * into v_now from current_database_identity();
  return case
    when v_known.system_identifier <> v_now.system_identifier or v_known.database_oid <> v_now.database_oid
      or v_known.orders_oid <> v_now.orders_oid then 'database'
    when v_known.timeline <> v_now.timeline then 'timeline'
  end;
end $$;

-- Compares and remembers: the first caller of a restored database sets a hold on every order that is there, and is told
-- so; all others are told nothing. A change of the timeline alone sets none unless p_hold_after_failover. The processes
-- that deliver webhooks lose what they have, so that they read their places in the events from this database. If it is
-- another database, the caller has forgotten the transactions of events before (forget_event_transactions).
--
-- Locks: one caller at a time, by the advisory lock that all changes of the hold take; then rows of webhook_progress.
create or replace function notice_restored_database(p_hold_after_failover boolean)
returns table (change text, held_before timestamptz)
language plpgsql as $$
declare
  v_change text;
begin
  -- Processes of 0.2.0 call this with each heartbeat, and nobody has to wait for anybody.
  if database_identity_change() is null and exists (select from database_identity) then
    return;
  end if;
  perform pg_advisory_xact_lock(hashtext('heliograph.dispatch_hold'));
  v_change := database_identity_change();
  insert into database_identity as k (system_identifier, database_oid, orders_oid, timeline)
  select i.system_identifier, i.database_oid, i.orders_oid, i.timeline from current_database_identity() i
  on conflict (is_only) do update
     set system_identifier = excluded.system_identifier, database_oid = excluded.database_oid,
         orders_oid = excluded.orders_oid, timeline = excluded.timeline, noticed_at = now()
   where v_change is not null;
  if v_change is null then
    return;
  end if;
  -- A process that went on running may know a place that is lost. The numbers of transactions go on from the restored
  -- state or, in another database, have been forgotten by the caller; so every place that is stored here is right.
  update webhook_progress set owner = null;
  if v_change = 'timeline' and not p_hold_after_failover then
    return query select v_change, null::timestamptz;
    return;
  end if;
  -- What an earlier hold had cleared may have been sent since the restored state: a new hold clears nothing.
  update dispatch_hold h set released_at = now() where h.released_at is null;
  return query
  insert into dispatch_hold as h (held_before, reason)
  values (clock_timestamp(),
          case v_change
            when 'timeline' then 'the database has a new timeline: restored to a point in time, or failed over'
            else 'the database is another one than before: restored from a dump or copied' end)
  returning v_change, h.held_before;
end $$;
