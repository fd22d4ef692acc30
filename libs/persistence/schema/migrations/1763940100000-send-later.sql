-- Messages that are sent later: what a client asks of one message, null where it asked for nothing.
alter table message_order
  -- It was scheduled for this time.
  add column send_at timestamptz,
  -- Handsets show it instead of the account's sender.
  add column sender text;

-- Scheduled messages: ranges of numbers of an account that are sent at the same time. Such an order is in no index but
-- those that every order is in: it has no due_at, and no other process looks at it before its time. The same
-- transaction that accepts it writes the range; start_scheduled() queues its orders and removes it.
create table order_schedule (
  account_id bigint not null,
  first_sequence bigint not null,
  last_sequence bigint not null,
  send_at timestamptz not null,
  -- As in dispatch_backlog.
  lane smallint not null,
  primary key (account_id, first_sequence),
  check (first_sequence <= last_sequence)
) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000);
create index order_schedule_due on order_schedule (send_at);
create index order_schedule_account on order_schedule (account_id, send_at);

-- The batches: ranges of numbers that were accepted together, each with the id that its answer had.
create table message_batch (
  batch_id uuid not null,
  account_id bigint not null,
  first_sequence bigint not null,
  order_count integer not null,
  primary key (batch_id)
);
create unique index message_batch_sequence on message_batch (account_id, first_sequence);

-- The senders that the operator allows an account to choose, beside its own.
alter table account add column allowed_senders text[] not null default '{}',
  add constraint account_allowed_senders_check check (cardinality(allowed_senders) <= 100);

alter table order_transition drop constraint legal_transition, drop constraint order_transition_actor_check;
alter table order_transition
  add constraint legal_transition check (((from_state::text || '>') || to_state::text) = any (
    '{scheduled>queued,scheduled>failed,scheduled>canceled,queued>sending,queued>sent,queued>failed,queued>canceled,'
    'sending>sent,sending>queued,sending>failed,sending>unknown,sent>delivered,sent>undelivered,sent>unknown,'
    'unknown>delivered,unknown>undelivered,undelivered>delivered}')) not valid,
  add constraint order_transition_actor_check
    check (actor in ('client', 'worker', 'receipt', 'reconciler', 'operator')) not valid;
