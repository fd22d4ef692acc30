-- The tables. Money is bigint micro-units (10^-6 of a currency unit). Times are the database's own.
-- Hot tables carry no foreign keys: each would cost an index probe per row on the path that must be fast;
-- `smsctl ledger verify` recomputes what they would have guarded.

create type order_state as enum ('queued', 'sending', 'sent', 'delivered', 'undelivered', 'failed', 'unknown');
create type segment_state as enum
  ('pending', 'submitting', 'accepted', 'in_doubt', 'refused', 'delivered', 'undelivered', 'unknown');
create type ledger_bucket as enum ('funding', 'available', 'reserved', 'captured');
create type entry_kind as enum ('deposit', 'reserve', 'capture', 'release', 'refund', 'adjust');

create table tariff (
  tariff_id  bigint generated always as identity primary key,
  name       text not null unique,
  currency   text not null check (currency ~ '^[A-Z]{3}$'),
  is_default boolean not null default false,
  created_at timestamptz not null default now()
);
create unique index tariff_default_per_currency on tariff (currency) where is_default;

create table tariff_rate (
  tariff_id bigint not null references tariff on delete cascade,
  prefix    text not null check (prefix ~ '^[1-9][0-9]{0,14}$'),
  price     bigint not null check (price >= 0),
  primary key (tariff_id, prefix)
);

create table account (
  account_id             bigint generated always as identity (start with 1001) primary key,
  name                   text not null,
  currency               text not null check (currency ~ '^[A-Z]{3}$'),
  tariff_id              bigint not null references tariff,
  status                 text not null default 'active' check (status in ('active', 'suspended')),
  rate_limit_per_second  integer check (rate_limit_per_second between 1 and 1000000),
  created_at             timestamptz not null default now()
);

-- One row answers every question of the account's summary. It is the hot row of an account: every group commit
-- updates it once, so pages are left nearly empty and the updates stay HOT.
create table account_balance (
  account_id        bigint primary key references account,
  deposited         bigint not null default 0,
  reserved          bigint not null default 0 check (reserved >= 0),
  captured          bigint not null default 0 check (captured >= 0),
  credit_limit      bigint not null default 0 check (credit_limit >= 0),
  last_sequence     bigint not null default 0,
  last_deposit      bigint not null default 0,
  last_entry        bigint not null default 0,
  rate_limit_until  timestamptz not null default '-infinity'
) with (fillfactor = 10, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 2000);

-- The credit limit in force after a journal entry, so that the limit of any moment in the past can be checked.
create table credit_limit_change (
  account_id   bigint not null references account,
  after_entry  bigint not null,
  credit_limit bigint not null check (credit_limit >= 0),
  set_at       timestamptz not null default now(),
  primary key (account_id, after_entry)
);

create table api_key (
  key_id      text primary key check (key_id ~ '^[0-9a-z]{8}$'),
  account_id  bigint not null references account,
  secret_hash bytea not null check (length(secret_hash) = 32),
  created_at  timestamptz not null default now(),
  revoked_at  timestamptz
);
create index api_key_account on api_key (account_id);

create table fx_rate (
  from_currency text not null check (from_currency ~ '^[A-Z]{3}$'),
  to_currency   text not null check (to_currency ~ '^[A-Z]{3}$'),
  rate          numeric(24, 12) not null check (rate > 0),
  set_at        timestamptz not null default now(),
  primary key (from_currency, to_currency),
  check (from_currency <> to_currency)
);

-- Deposits and the operator's adjustments: what the account has been given, numbered densely per account.
create table deposit (
  account_id      bigint not null,
  deposit_number  bigint not null,
  kind            text not null check (kind in ('deposit', 'adjustment')),
  reference       text,
  reason          text,
  amount          bigint not null check (amount <> 0),
  currency        text not null,
  fx_rate         numeric(24, 12) not null default 1,
  account_amount  bigint not null check (account_amount <> 0),
  created_at      timestamptz not null default now(),
  primary key (account_id, deposit_number),
  check (kind = 'adjustment' or amount > 0)
);
create unique index deposit_reference on deposit (account_id, reference) where reference is not null;

-- Append-only. A row has one debit and one credit, so an unbalanced entry cannot be written. One reserve covers the
-- dense range of sequences of one group commit; captures and releases are pointed at by the orders that they settle.
create table journal_entry (
  account_id      bigint not null,
  entry           bigint not null,
  kind            entry_kind not null,
  debit           ledger_bucket not null,
  credit          ledger_bucket not null,
  amount          bigint not null check (amount > 0),
  available_after bigint not null,
  first_sequence  bigint,
  last_sequence   bigint,
  order_count     integer,
  deposit_number  bigint,
  reason          text,
  created_at      timestamptz not null default now(),
  primary key (account_id, entry),
  check (case kind
    when 'deposit' then debit = 'funding' and credit = 'available'
    when 'reserve' then debit = 'available' and credit = 'reserved'
    when 'capture' then debit = 'reserved' and credit = 'captured'
    when 'release' then debit = 'reserved' and credit = 'available'
    when 'refund' then debit = 'captured' and credit = 'available'
    when 'adjust' then (debit, credit) in (('funding', 'available'), ('available', 'funding'))
  end)
);

create table carrier (
  carrier_id         integer generated always as identity primary key,
  name               text not null check (name ~ '^[a-z0-9][a-z0-9-]{0,39}$'),
  host               text not null,
  port               integer not null check (port between 1 and 65535),
  system_id          text not null,
  password           text not null,
  tls                boolean not null default false,
  window_size        integer not null default 10 check (window_size between 1 and 1000),
  submits_per_second integer check (submits_per_second between 1 and 100000),
  message_id_format  text not null default 'as-is' check (message_id_format in ('as-is', 'hex-dec', 'dec-hex')),
  default_alphabet   text not null default 'gsm0338' check (default_alphabet in ('gsm0338', 'latin1')),
  in_doubt_policy    text not null default 'resend' check (in_doubt_policy in ('resend', 'hold')),
  paused             boolean not null default false,
  removed_at         timestamptz,
  created_at         timestamptz not null default now()
);
-- A removed carrier stays for the messages that it carried; its name may be used again.
create unique index carrier_name on carrier (name) where removed_at is null;

-- The order is its own outbox: while `due_at` is set, somebody has to look at it by then.
-- `due_at` is left alone on the fast way (claim and sent are HOT updates); the sweeper moves it for the slow ones.
create table message_order (
  id              uuid primary key,
  account_id      bigint not null,
  sequence        bigint not null,
  recipient       text not null,
  destination     text not null,
  message         text not null,
  extended        boolean not null,
  segments        smallint not null check (segments between 1 and 255),
  price           bigint not null check (price >= 0),
  amount          bigint not null check (amount between 0 and price),
  state           order_state not null default 'queued',
  epoch           integer not null default 0,
  attempts        integer not null default 0,
  owner           text,
  carrier_id      integer,
  carrier_code    text,
  concatenation_reference smallint,
  lease_until     timestamptz,
  next_attempt_at timestamptz,
  valid_until     timestamptz not null,
  due_at          timestamptz,
  sent_at         timestamptz,
  final_at        timestamptz,
  capture_entry   bigint,
  release_entry   bigint,
  created_at      timestamptz not null
) with (fillfactor = 70);
create unique index message_order_sequence on message_order (account_id, sequence);
create index message_order_due on message_order (due_at) where due_at is not null;

-- Every change of state, with who did it and what the carrier said. The check is the state machine:
-- a transition that is not listed cannot be committed. (The list equals TRANSITIONS in libs/billing; a test compares.)
create table order_transition (
  message_id   uuid not null,
  at           timestamptz not null,
  from_state   order_state not null,
  to_state     order_state not null,
  actor        text not null check (actor in ('worker', 'receipt', 'reconciler')),
  carrier_code text,
  constraint legal_transition check ((from_state, to_state) in (
    ('queued', 'sending'), ('queued', 'failed'),
    ('sending', 'sent'), ('sending', 'queued'), ('sending', 'failed'), ('sending', 'unknown'),
    ('sent', 'delivered'), ('sent', 'undelivered'), ('sent', 'unknown'),
    ('unknown', 'delivered'), ('unknown', 'undelivered'), ('undelivered', 'delivered')))
);
create index order_transition_message on order_transition (message_id);

create table segment (
  message_id         uuid not null,
  position           smallint not null,
  state              segment_state not null,
  epoch              integer not null,
  attempt            integer not null default 1,
  carrier_id         integer not null,
  carrier_message_id text,
  carrier_code       text,
  submitted_at       timestamptz not null,
  accepted_at        timestamptz,
  settled_at         timestamptz,
  -- Since when only its reference can tell which receipt is for it: no answer came, or one without an id.
  in_doubt_since     timestamptz,
  primary key (message_id, position)
) with (fillfactor = 70);
create index segment_carrier_message on segment (carrier_message_id, carrier_id) where carrier_message_id is not null;
create index segment_in_doubt on segment (carrier_id) where in_doubt_since is not null;

-- The last 8-bit reference used towards a recipient (3GPP TS 23.040 section 9.2.3.24.1), so that two long messages
-- to one handset are never joined to each other.
create table concatenation_counter (
  destination text primary key,
  last        smallint not null check (last between 0 and 255),
  used_at     timestamptz not null default now()
) with (fillfactor = 70);

-- Receipts that came before the response that names their message, or for nothing that we know.
create table parked_receipt (
  receipt_id             bigint generated always as identity primary key,
  carrier_id             integer not null,
  carrier_message_id     text not null,
  user_message_reference integer,
  destination            text not null,
  state                  text not null check (state in ('delivered', 'undelivered')),
  carrier_code           text not null,
  received_at            timestamptz not null default now()
);
create unique index parked_receipt_once
  on parked_receipt (carrier_message_id, carrier_id, destination, state, coalesce(user_message_reference, -1));

create table idempotency_key (
  account_id     bigint not null,
  key            text not null,
  fingerprint    bytea not null,
  first_sequence bigint not null,
  order_count    integer not null,
  created_at     timestamptz not null,
  primary key (account_id, key)
);
create index idempotency_key_age on idempotency_key (created_at);

-- What each process last said of itself: liveness, binds, and its metrics for whoever scrapes a gateway.
create table process_heartbeat (
  process_id text primary key,
  role       text not null,
  started_at timestamptz not null default now(),
  seen_at    timestamptz not null default now(),
  details    jsonb not null default '{}',
  metrics    jsonb not null default '[]'
) with (fillfactor = 50);
