-- How many days after a message is final its number is redacted; null: never. Receipts have come by then.
alter table retention
  add column number_days integer check (number_days between 7 and 36500);

-- What holds for one account instead. Null: as for all; 0: kept. The owner's own days (client_*) can only be fewer.
create table account_retention (
  account_id         bigint primary key references account check (account_id > 0),
  text_days          integer check (text_days between 0 and 36500),
  number_days        integer check (number_days = 0 or number_days between 7 and 36500),
  client_text_days   integer check (client_text_days between 1 and 36500),
  client_number_days integer check (client_number_days between 7 and 36500)
);

-- Up to which numbers of the account's messages, and of its inbox, retention has redacted.
alter table account_retired
  add column last_number bigint not null default 0,
  add column last_inbound_text bigint not null default 0,
  add column last_inbound_number bigint not null default 0;

-- Messages that are redacted as soon as they are final: somebody has asked for it, or retention has passed them.
create table redaction_due (
  account_id bigint not null,
  sequence   bigint not null,
  text       boolean not null,
  number     boolean not null,
  look_at    timestamptz not null default now(),
  primary key (account_id, sequence)
);
create index redaction_due_look_at on redaction_due (look_at);

-- Numbers that are being redacted, in the messages that an account had when somebody asked for it. The row goes when
-- all of them are done, so that the number stands nowhere. `is_operators`: also in messages from handsets that are
-- nobody's.
create table redaction_request (
  account_id     bigint not null references account,
  request_id     bigint generated always as identity,
  number         text not null,
  is_operators   boolean not null,
  after_sequence bigint not null default 0,
  last_sequence  bigint not null,
  after_inbound  bigint not null default 0,
  last_inbound   bigint not null,
  requested_at   timestamptz not null default now(),
  primary key (account_id, request_id)
);
