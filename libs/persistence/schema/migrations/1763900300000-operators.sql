-- Append-only. What is written, and by whom, says operator-changes.sql.
create table operator_change (
  change_id  bigint generated always as identity primary key,
  at         timestamptz not null default now(),
  operator   text not null,
  actor      jsonb not null,
  -- A table and the row of it, by the columns that name it for people.
  subject    text not null,
  subject_id text not null,
  account_id bigint,
  action     text not null,
  before     jsonb,
  after      jsonb
);
create index operator_change_account on operator_change (account_id, change_id) where account_id is not null;
create index operator_change_at on operator_change (at);

alter table account drop constraint account_status_check;
alter table account add constraint account_status_check check (status in ('active', 'suspended', 'closed'));

-- Suspended accounts of which the queued messages wait for the account to be resumed. Every claim reads it, so it is no column of
-- account: nearly always it is empty, and that costs nothing to see.
create table held_account (
  account_id bigint primary key references account,
  held_at    timestamptz not null default now()
);

-- What the prefix stands for, for people.
alter table tariff_rate add column country text check (length(country) between 1 and 100);

drop function if exists active_hold();

-- Of accounts with one name the oldest keeps it; the others get their number behind it, which the record of changes tells as well.
with doubled as (
  select account_id, name, row_number() over (partition by name order by account_id) as n from account
), renamed as (
  update account a set name = d.name || ' (' || a.account_id || ')'
    from doubled d where d.account_id = a.account_id and d.n > 1
  returning a.account_id, d.name as before, a.name as after
)
insert into operator_change (operator, actor, subject, subject_id, account_id, action, before, after)
select 'upgrade to 0.2.0', '{"operator": "upgrade to 0.2.0"}', 'account', account_id::text, account_id, 'update',
       jsonb_build_object('name', before), jsonb_build_object('name', after)
  from renamed order by renamed.account_id;
create unique index account_name on account (name) where status <> 'closed';
