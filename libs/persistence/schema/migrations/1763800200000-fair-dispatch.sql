-- Messages that the account may have at carriers and unanswered at a time; null: the setting of the workers decides.
alter table account add column max_in_flight integer check (max_in_flight between 1 and 1000000);

-- What of an account waits for its turn. carrier_id 0: for any carrier; lane 0 goes before 1; owner: the worker whose turn it is.
create table dispatch_backlog (
  account_id     bigint not null,
  backlog_id     bigint generated always as identity,
  carrier_id     integer not null default 0,
  lane           smallint not null,
  first_sequence bigint not null,
  last_sequence  bigint not null,
  -- In order; null: every one from the first to the last.
  sequences      bigint[],
  owner          text,
  primary key (account_id, backlog_id),
  check (first_sequence <= last_sequence)
) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000);
create index dispatch_backlog_next on dispatch_backlog (carrier_id, account_id, lane, first_sequence) where owner is null;
create index dispatch_backlog_owner on dispatch_backlog (owner, backlog_id) where owner is not null;
create index dispatch_backlog_cover on dispatch_backlog (account_id, last_sequence);

-- The ring: the account with the lowest number is next, and gets a new number with each turn.
create sequence dispatch_turn_order;
create table dispatch_turn (
  account_id bigint not null,
  carrier_id integer not null,
  turn       bigint not null default nextval('dispatch_turn_order'),
  primary key (account_id, carrier_id)
) with (fillfactor = 50, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000);
create index dispatch_turn_next on dispatch_turn (carrier_id, turn);

drop function if exists sweep_orders(integer, interval, interval, interval, boolean);
