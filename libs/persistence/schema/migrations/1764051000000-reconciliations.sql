-- The comparison of a carrier's records of calls (CDR) with the messages that it took (books/reconcile.sql).
create table reconciliation (
  reconciliation_id text primary key check (reconciliation_id ~ '^[0-9a-z]{16}$'),
  carrier_id        integer not null references carrier,
  -- Of the carrier's charges.
  currency          text check (currency ~ '^[A-Z]{3}$'),
  -- What a segment ought to cost everywhere; null: the cost of the route of its number.
  unit_cost         bigint check (unit_cost >= 0),
  -- A charge that differs by no more than this for a segment is right.
  tolerance         bigint not null default 0 check (tolerance >= 0),
  -- Which messages the file ought to have: those that the carrier took in this time. Null: as the file's times say.
  from_at           timestamptz,
  to_at             timestamptz,
  -- A message so near to the beginning or the end may stand in the file of another period.
  edge_seconds      integer not null check (edge_seconds >= 0),
  created_at        timestamptz not null default now(),
  compared_at       timestamptz,
  summary           jsonb
);
create index reconciliation_created on reconciliation (created_at);
-- The lines of a file, until they are compared. They can be loaded again, so they need no write-ahead log.
create unlogged table cdr_line (
  reconciliation_id  text not null,
  line               bigint not null,
  carrier_message_id text not null,
  parts              integer not null,
  cost               bigint,
  at                 timestamptz,
  primary key (reconciliation_id, line)
);
create unlogged table cdr_difference (
  reconciliation_id  text not null,
  number             bigint not null,
  kind               text not null,
  carrier_message_id text not null,
  -- Null: the carrier's alone.
  message_id         uuid,
  account_id         bigint,
  sent_at            timestamptz,
  sent_segments      integer,
  billed             bigint,
  billed_currency    text,
  expected_cost      bigint,
  -- Null: ours alone.
  first_line         bigint,
  lines              integer,
  charged_segments   integer,
  charged_cost       bigint,
  primary key (reconciliation_id, number)
);
