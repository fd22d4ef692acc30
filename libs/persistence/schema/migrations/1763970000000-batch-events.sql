-- Batches whose end somebody wants to be told of, until all their messages are final.
create table open_batch (
  batch_id uuid primary key,
  account_id bigint not null,
  first_sequence bigint not null,
  last_sequence bigint not null,
  -- Every message before this one is final.
  next_sequence bigint not null,
  moved_at timestamptz not null default now(),
  look_at timestamptz not null default now()
) with (fillfactor = 50);
create index open_batch_look_at on open_batch (look_at);
