-- Messages of accounts with a cap that have left their backlog and are not over.
create table capped_order (
  account_id bigint not null,
  message_id uuid not null,
  primary key (account_id, message_id)
);

-- No worker owns a row of a backlog any more. The column itself goes with the next version: workers of the version before write it.
drop index dispatch_backlog_next;
drop index dispatch_backlog_owner;
drop index dispatch_backlog_cover;
create index dispatch_backlog_next on dispatch_backlog (carrier_id, account_id, lane, first_sequence);
