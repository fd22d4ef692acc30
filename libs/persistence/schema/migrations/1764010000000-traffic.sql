-- What happens to messages, counted for the operators' overview (overview/traffic.sql). Test messages are not counted.

-- One row for each statement that moves messages, without an index; folded into traffic_step within seconds.
create table traffic_move (
  at timestamptz not null default now(),
  event order_state not null,
  -- One entry for each account, carrier and reason; the carrier is 0 if the message had none, and the reason is null for
  -- what went well.
  accounts bigint[] not null,
  carriers integer[] not null,
  codes text[] not null,
  messages integer[] not null
) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 2000);

-- The sums of five minutes, kept for eight days. `queued` counts the messages that were accepted.
create table traffic_step (
  started_at timestamptz not null,
  account_id bigint not null,
  carrier_id integer not null,
  event order_state not null,
  messages bigint not null,
  primary key (started_at, account_id, carrier_id, event)
);

-- Why messages failed, in the same steps.
create table traffic_reason (
  started_at timestamptz not null,
  carrier_id integer not null,
  event order_state not null,
  code text not null,
  messages bigint not null,
  primary key (started_at, carrier_id, event, code)
);

-- The number up to which the accepted messages of an account are counted.
create table traffic_progress (
  account_id bigint primary key,
  last_sequence bigint not null
);
insert into traffic_progress select account_id, last_sequence from account_balance where account_id > 0;
