-- What a carrier charges for a segment, by prefix, from a time on: all its costs from then on are rows with that time.
-- Where a carrier has none here, the cost of its route is taken.
create table carrier_cost (
  carrier_id integer not null references carrier,
  valid_from timestamptz not null,
  prefix     text not null check (prefix ~ '^[1-9][0-9]{0,14}$'),
  cost       bigint not null check (cost >= 0),
  currency   text not null check (currency ~ '^[A-Z]{3}$'),
  primary key (carrier_id, valid_from, prefix)
);
