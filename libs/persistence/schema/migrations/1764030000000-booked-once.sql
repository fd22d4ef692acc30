-- The Idempotency-Key with which a deposit or an adjustment was asked for: a request that is sent twice is booked once.
alter table deposit add column request_key text;
create unique index deposit_request_key on deposit (account_id, request_key) where request_key is not null;
