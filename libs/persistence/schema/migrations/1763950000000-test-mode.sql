-- Test mode (ADR 37). The sandbox of account 1001 is the account -1001, and the carrier -1 answers its messages: the
-- sign of a number says whether a row is test data, in every table, without a look at the account.

-- A sandbox has the name of its account.
drop index account_name;
create unique index account_name on account (name) where status <> 'closed' and account_id > 0;
-- The service's own account has no sandbox.
alter table account add constraint account_sandbox_check check (not internal or account_id > 0);

-- No claim, of whatever version, gives a test message to a real carrier, or a real message to the sandbox.
alter table message_order
  add constraint message_order_sandbox_check check ((carrier_id < 0) = (account_id < 0)) not valid;

alter table carrier
  drop constraint carrier_name_check,
  add constraint carrier_name_check check (name ~ '^[a-z0-9][a-z0-9-]{0,39}$' or carrier_id < 0),
  drop constraint carrier_protocol_check,
  add constraint carrier_protocol_check check (protocol in ('smpp', 'http') or carrier_id < 0 and protocol = 'sandbox');
-- It counts as removed, so that no list shows it, no command changes it, no route names it, and workers of 0.2 do not
-- connect to it. A capital letter: no carrier of an operator can have this name. It is slow enough to take nothing from
-- real messages.
alter table carrier disable trigger user;
insert into carrier (carrier_id, name, protocol, host, port, system_id, password, window_size, submits_per_second,
                     removed_at)
overriding system value
values (-1, 'Sandbox', 'sandbox', 'localhost', 1, 'sandbox', '', 100, 100, now());
alter table carrier enable trigger user;
