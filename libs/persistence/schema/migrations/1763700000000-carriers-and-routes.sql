-- Carriers as they really are: of several protocols, with what each wants said in its own options; and the routes that say
-- which carriers take a destination, in which order.

alter table carrier
  add column protocol   text not null default 'smpp' check (protocol in ('smpp', 'http')),
  -- Binds of all workers together, as the carrier's contract allows; null: each worker has one.
  add column bind_count integer check (bind_count between 1 and 100),
  -- What only the adapter of the protocol reads; checked by it before it is stored.
  add column options    jsonb not null default '{}' check (jsonb_typeof(options) = 'object');

-- The sender of an account's messages; null: the carrier's, or the service's.
alter table account add column sender text check (length(sender) between 1 and 16);

-- Carriers of a prefix by rank; those of one rank share by weight. The empty prefix is every destination.
-- The longest prefix that has a route decides; its carriers are all that a message may go to.
create table route (
  prefix     text not null check (prefix ~ '^([1-9][0-9]{0,14})?$'),
  carrier_id integer not null references carrier,
  rank       smallint not null default 1 check (rank between 1 and 100),
  weight     smallint not null default 1 check (weight between 1 and 1000),
  -- What the carrier takes for a segment, in micro-units of its currency; for reports, it decides nothing.
  cost       bigint check (cost >= 0),
  currency   text check (currency ~ '^[A-Z]{3}$'),
  created_at timestamptz not null default now(),
  primary key (prefix, carrier_id),
  check ((cost is null) = (currency is null))
);

-- A bind that the carrier's contract allows, held by one worker at a time. Leases run by the database's clock; the epoch
-- grows with every holder.
create table carrier_bind (
  carrier_id  integer not null references carrier,
  slot        smallint not null,
  owner       text,
  epoch       integer not null default 0,
  lease_until timestamptz not null default '-infinity',
  primary key (carrier_id, slot)
);

-- One row carried the whole message, which the carrier cuts itself: it stands for all segments of its order.
alter table segment add column whole boolean not null default false;

-- Submits that stayed in doubt and were made again: a receipt that tells of the first one is still the truth.
create table doubtful_submit (
  message_id   uuid not null,
  position     smallint not null,
  carrier_id   integer not null,
  destination  text not null,
  reference    integer not null,
  submitted_at timestamptz not null,
  primary key (message_id, position, submitted_at)
);
create index doubtful_submit_reference on doubtful_submit (carrier_id, destination, reference);
create index doubtful_submit_age on doubtful_submit (submitted_at);

-- A receipt, or a response after its deadline, may tell that a message waiting to be sent again was taken after all.
-- Not proven for the rows that are there (they obeyed a narrower one): that would read the whole table.
alter table order_transition drop constraint legal_transition;
alter table order_transition add constraint legal_transition check ((from_state, to_state) in (
  ('queued', 'sending'), ('queued', 'sent'), ('queued', 'failed'),
  ('sending', 'sent'), ('sending', 'queued'), ('sending', 'failed'), ('sending', 'unknown'),
  ('sent', 'delivered'), ('sent', 'undelivered'), ('sent', 'unknown'),
  ('unknown', 'delivered'), ('unknown', 'undelivered'), ('undelivered', 'delivered'))) not valid;

drop function if exists claim_orders(uuid[], text, integer, interval);
