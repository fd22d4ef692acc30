-- Messages by their number. An index on the state would end the cheap (HOT) updates of every message; this one costs a
-- message 27 % more WAL over its life, measured. It is built while sends wait: about 20 s for 10 million messages.
create index message_order_destination on message_order (account_id, destination, sequence);

-- The few messages that ended other than as delivered. move_orders() keeps it exact; `ledger verify` checks it.
create table order_exception (
  account_id bigint not null,
  state order_state not null,
  sequence bigint not null,
  primary key (account_id, state, sequence)
);
insert into order_exception
select o.account_id, o.state, o.sequence from message_order o where o.state in ('undelivered', 'failed', 'unknown');

-- What clients call their messages. A row only for messages that have a reference or a tag.
create table order_label (
  account_id bigint not null,
  sequence bigint not null,
  reference text,
  tag text,
  primary key (account_id, sequence),
  check (reference is not null or tag is not null)
);
create index order_label_reference on order_label (account_id, reference, sequence) where reference is not null;
create index order_label_tag on order_label (account_id, tag, sequence) where tag is not null;

-- What an account has used, counted by chunks of its numbers (usage/account-usage.sql), so that a chunk whose messages
-- change is counted again as a whole.
create table usage_chunk (
  account_id bigint not null,
  chunk bigint not null,
  day date not null,
  destination text not null,
  state order_state not null,
  unit_price bigint not null,
  messages integer not null,
  segments integer not null,
  amount bigint not null,
  primary key (account_id, chunk, day, destination, state, unit_price)
);
-- How many chunks of an account are counted.
create table usage_progress (
  account_id bigint primary key references account,
  chunks bigint not null
);
-- Chunks of which an old message has changed. Rows are only added and removed, so nobody waits for anybody.
create table usage_change (
  account_id bigint not null,
  chunk bigint not null
);
create index usage_change_chunk on usage_change (account_id, chunk);
-- The messages that retention has dropped.
create table usage_retired (
  account_id bigint not null,
  day date not null,
  destination text not null,
  state order_state not null,
  unit_price bigint not null,
  messages bigint not null,
  segments bigint not null,
  amount bigint not null,
  primary key (account_id, day, destination, state, unit_price)
);
