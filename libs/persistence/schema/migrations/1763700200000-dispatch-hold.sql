-- The database that the service last worked on; a restored one differs in at least one of these.
create table database_identity (
  is_only           boolean primary key default true check (is_only),
  system_identifier bigint,
  database_oid      bigint not null,
  orders_oid        bigint not null,
  timeline          integer,
  noticed_at        timestamptz not null default now()
);

-- Every hold that was set. At most one is active.
create table dispatch_hold (
  hold_id     bigint generated always as identity primary key,
  held_before timestamptz not null,
  reason      text not null check (reason <> ''),
  set_at      timestamptz not null default now(),
  released_at timestamptz
);
create unique index dispatch_hold_active on dispatch_hold ((true)) where released_at is null;

-- The hold from which an operator has freed the order.
alter table message_order add column cleared_hold bigint;

-- Not proven for rows that are there (they obeyed a narrower check): that would read the whole table.
alter table order_transition drop constraint order_transition_actor_check;
alter table order_transition add constraint order_transition_actor_check
  check (actor in ('worker', 'receipt', 'reconciler', 'operator')) not valid;
