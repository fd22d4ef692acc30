-- The files of functions as they were installed last.
create table function_file (
  -- In libs/persistence, for example accept/accept-messages.sql.
  path         text primary key,
  -- SHA-256 of the text that was run last.
  checksum     text not null,
  -- The functions that it defines: name and types of the arguments.
  functions    text[] not null,
  -- The version of Heliograph that ran it.
  version      text not null,
  installed_at timestamptz not null default now()
);

-- Functions that no file defines any more. Processes of the version before still call them, so the next version drops them.
create table retired_function (
  signature  text primary key,
  retired_in text not null
);

-- The functions of 0.1.0 and 0.2.0, which migrations installed. Functions that operators have added are not touched.
insert into function_file (path, checksum, functions, version)
select 'migrations', '', array_agg(oid::regprocedure::text), '0.2.0'
  from pg_proc
 where pronamespace = current_schema()::regnamespace and proname = any ('{
     accept_messages,active_hold,assign_concatenation_references,claim_orders,claim_orders_again,conclude_orders,
     conclude_others,current_database_identity,database_identity_change,deposits_booked_page,deposits_page,
     doubt_receipted_orders,due_in_backlog,fail_unroutable,finish_turns,give_back_turns,is_held,is_in_backlog,
     is_retainable,is_secret_name,lease_binds,lock_balances,next_account_to_retain,notice_restored_database,
     oldest_retainable,orders_page,orders_page_columns,place_in_backlog,places_in_backlog,purge_expired,
     put_in_backlog,readable_row,record_intents,record_operator_action,record_operator_change,record_rate_changes,
     record_submits,refund_queued_orders,refuse_change_of_record,release_dead_workers,rematch_receipts,
     resolve_held_orders,retain_next_slice,retain_slice,segment_reference,settle_receipts,start_turns,sweep_orders,
     take_as_submitted,take_turn,tend_backlogs,without_held,without_held_accounts,without_secrets}')
having count(*) > 0;
