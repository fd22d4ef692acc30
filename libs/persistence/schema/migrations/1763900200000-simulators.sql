-- The simulator that `npm start` added until now is known by its name, its user and its address: this machine, or the Compose
-- service.
alter table carrier add column if not exists simulator boolean not null default false;
update carrier set simulator = true
 where name = 'simulator' and protocol = 'smpp' and system_id = 'heliograph'
   and (host in ('localhost', '::1', 'simulator') or host like '127.%');

-- The one account of the service itself, which carriers are tested by.
alter table account add column if not exists internal boolean not null default false;
create unique index if not exists account_internal on account (internal) where internal;

-- The only carrier that may take the order, whatever routes say; null: any that they name.
alter table message_order add column if not exists only_carrier_id integer;
create table if not exists carrier_test (
  message_id  uuid primary key,
  carrier_id  integer not null references carrier,
  valid_until timestamptz not null
);
create index if not exists carrier_test_valid on carrier_test (valid_until);
