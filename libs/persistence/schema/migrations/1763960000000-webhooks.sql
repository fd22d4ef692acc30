-- Where clients want to be told of events.
create table webhook_endpoint (
  endpoint_id text primary key check (endpoint_id ~ '^we_[0-9a-z]{16}$'),
  account_id bigint not null references account,
  url text not null check (length(url) <= 2000),
  events text[] not null check (cardinality(events) > 0),
  description text not null default '' check (length(description) <= 200),
  -- Encrypted, as carriers' passwords are. The old one signs as well until its time is over.
  secret text not null,
  old_secret text,
  overlap_until timestamptz,
  created_at timestamptz not null default now(),
  -- Null: enabled. Events are kept for it all the same, as long as events are kept at all.
  disabled_at timestamptz,
  disabled_reason text check (disabled_reason in ('client', 'operator', 'gone', 'failing')),
  check ((disabled_at is null) = (disabled_reason is null))
);
create index webhook_endpoint_account on webhook_endpoint (account_id);

-- How far each endpoint is. Apart from its settings, because it changes several times a second.
create table webhook_progress (
  endpoint_id text primary key references webhook_endpoint on delete cascade,
  -- Every event up to here is delivered, or has its row in webhook_retry; of the next batch, so many of its first ones.
  cursor_xid xid8 not null,
  cursor_batch bigint not null,
  cursor_index integer not null default 0,
  -- The process that delivers to it; it holds the endpoint as long as its heartbeat is heard.
  owner text,
  failures integer not null default 0,
  -- The first failure since the last success.
  failing_since timestamptz,
  next_probe_at timestamptz,
  last_success_at timestamptz,
  last_error text
) with (fillfactor = 50);

-- The accounts for which events are written, and of which types. Accounts without webhooks have no row.
create table event_wish (
  account_id bigint primary key,
  types text[] not null
);

-- What happened: one row for each statement, account and type, written in the transaction of the change. An event is
-- one message of a row, or the row itself where it has `data`.
-- Each of the 16 parts has the days of its number modulo 16, and is emptied as a whole two days before its next day.
create table event_batch (
  slot smallint not null,
  -- Milliseconds since 1970 times 2^20, plus a number: ids grow with time, also after a restore.
  batch_id bigint not null,
  -- Readers go by transactions, because a transaction with lower ids may commit later.
  xid xid8 not null default pg_current_xact_id(),
  account_id bigint not null,
  type text not null,
  message_ids uuid[],
  -- The reasons of messages that ended other than as delivered.
  codes text[],
  data jsonb,
  primary key (slot, batch_id),
  check ((message_ids is null) <> (data is null))
) partition by list (slot);
create index event_batch_unread on event_batch (account_id, xid, batch_id);
do $$
begin
  for n in 0 .. 15 loop
    execute format('create table event_batch_%s partition of event_batch for values in (%s)', to_char(n, 'FM00'), n);
  end loop;
end $$;
create sequence event_batch_number;

-- Events that are to be sent again: after a failure, for a test, or because the client asked for one.
create table webhook_retry (
  endpoint_id text not null references webhook_endpoint on delete cascade,
  batch_id bigint not null,
  index integer not null,
  kind text not null check (kind in ('event', 'test', 'replay')),
  attempts integer not null default 0,
  due_at timestamptz not null default now(),
  primary key (endpoint_id, batch_id, index)
);
create index webhook_retry_due on webhook_retry (endpoint_id, due_at);

-- Events of a time that a client wants once more.
create table webhook_replay (
  replay_id bigint generated always as identity primary key,
  endpoint_id text not null references webhook_endpoint on delete cascade,
  from_batch bigint not null,
  until_batch bigint not null,
  cursor_xid xid8 not null default '0',
  cursor_batch bigint not null default 0,
  cursor_index integer not null default 0,
  created_at timestamptz not null default now()
);
create index webhook_replay_endpoint on webhook_replay (endpoint_id, replay_id);

-- Attempts that failed, and all attempts of tests and replays. A success of an event leaves no row.
create table webhook_attempt (
  attempt_id bigint generated always as identity primary key,
  endpoint_id text not null,
  at timestamptz not null default now(),
  batch_id bigint not null,
  index integer not null,
  type text not null,
  kind text not null check (kind in ('event', 'test', 'replay')),
  attempt integer not null,
  outcome text not null check (outcome in ('delivered', 'failed', 'given_up')),
  http_status smallint,
  error text,
  duration_ms integer not null,
  next_attempt_at timestamptz
);
create index webhook_attempt_endpoint on webhook_attempt (endpoint_id, attempt_id);
create index webhook_attempt_outcome on webhook_attempt (endpoint_id, outcome, attempt_id);
