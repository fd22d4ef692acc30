-- Micros: below it, the account is told that its balance is low. Null: it is not.
alter table account add column balance_alert bigint, add constraint account_balance_alert_check check (balance_alert >= 0);
