-- What the operator wants to keep; null: everything. No row: nothing was ever set.
create table retention (
  is_only   boolean primary key default true check (is_only),
  text_days integer check (text_days between 1 and 36500),
  row_days  integer check (row_days between 7 and 36500),
  set_at    timestamptz not null default now()
);

-- What retention has dropped of an account: texts up to a sequence, messages up to a sequence, and what those were in
-- money. Entries of the journal of which every message is gone count in the last four columns. A row of its own, so that
-- dropping never touches the balance row, which is what accepting waits for.
create table account_retired (
  account_id    bigint primary key references account,
  last_text     bigint not null default 0,
  last_sequence bigint not null default 0,
  price         bigint not null default 0,
  amount        bigint not null default 0,
  captured      bigint not null default 0,
  captures      bigint not null default 0,
  released      bigint not null default 0,
  releases      bigint not null default 0,
  retired_at    timestamptz not null default now()
) with (fillfactor = 50);

-- Captures and releases of which some messages are gone and some are there: what the gone ones were of them.
create table retired_part (
  account_id bigint not null,
  entry      bigint not null,
  amount     bigint not null,
  orders     integer not null,
  primary key (account_id, entry)
);
