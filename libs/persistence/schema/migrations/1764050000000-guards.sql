-- The guards of an account; account 0: of all accounts that have none of their own. The settings are those of
-- `libs/billing/guards.ts`.
create table guard (
  account_id bigint primary key check (account_id >= 0),
  settings   jsonb not null check (jsonb_typeof(settings) = 'object')
);

-- What the messages cost that were accepted on the day and in the month of `spent_on` (UTC), less what was given back.
-- Counted for every account, so that a cap holds from the moment it is set. It is the cost of the messages with numbers
-- above spent_day_after, and spent_month_after: those were the last ones before. The day of the upgrade begins at 0.
alter table account_balance
  add column spent_on date not null default '-infinity',
  add column spent_day bigint not null default 0,
  add column spent_month bigint not null default 0,
  add column spent_day_after bigint not null default 0,
  add column spent_month_after bigint not null default 0;

-- Messages of an hour to a number or to a range of numbers, those that no gateway has counted by itself.
create table velocity_count (
  hour       timestamptz not null,
  account_id bigint not null,
  key_hash   bytea not null,
  messages   integer not null,
  primary key (hour, account_id, key_hash)
);

-- Gateways that count by themselves in an hour, up to a share of each limit; `holds`: those that have such a share.
create table velocity_gateway (
  hour       timestamptz not null,
  gateway_id text not null,
  holds      boolean not null,
  primary key (hour, gateway_id)
);
