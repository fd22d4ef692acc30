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
