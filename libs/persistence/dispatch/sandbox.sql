-- What SQL knows of test mode (ADR 37): a sandbox has a negative number, and its only carrier is -1.

-- The carrier that messages of an account may go to: the sandbox's for a sandbox, else p_carrier_id.
create or replace function carrier_of_account(p_account_id bigint, p_carrier_id integer) returns integer
language sql immutable as $$
  select case when p_account_id < 0 then -1 else p_carrier_id end
$$;

-- How long a sent message waits for its receipt. In a sandbox receipts come within seconds or never, and nobody wants
-- to wait for days to see a message end as unknown.
create or replace function receipt_deadline(p_account_id bigint, p_receipt_deadline interval) returns interval
language sql immutable as $$
  select case when p_account_id < 0 then least(p_receipt_deadline, interval '20 seconds') else p_receipt_deadline end
$$;
