-- Housekeeping in slices of p_limit of each kind, so that no statement runs long however much has come together.
-- Returns the size of the largest slice: a full one means that there may be more.
create or replace function purge_expired(p_key_age interval, p_limit integer) returns integer
language plpgsql as $$
declare
  v_deleted integer;
  v_most    integer;
begin
  delete from idempotency_key k where (k.account_id, k.key) in (
    select i.account_id, i.key from idempotency_key i where i.created_at < now() - p_key_age
     order by i.created_at limit p_limit);
  get diagnostics v_most = row_count;
  delete from parked_receipt where ctid = any(array(
    select p.ctid from parked_receipt p where p.received_at < now() - interval '30 days' limit p_limit));
  get diagnostics v_deleted = row_count;
  v_most := greatest(v_most, v_deleted);
  -- Passes over those that redaction or retention removes with their messages, in another order.
  delete from doubtful_submit where ctid = any(array(
    select d.ctid from doubtful_submit d
     where d.submitted_at < now() - interval '7 days' limit p_limit for update skip locked));
  get diagnostics v_deleted = row_count;
  v_most := greatest(v_most, v_deleted);
  -- A content that no message has yet is somebody's text: only what could not be stored for a month goes.
  delete from inbound_part where ctid = any(array(
    select p.ctid from inbound_part p
     where p.received_at < now() - interval '7 days'
       and (p.content is null or p.received_at < now() - interval '30 days') limit p_limit));
  get diagnostics v_deleted = row_count;
  v_most := greatest(v_most, v_deleted);
  -- Passes over counters that are being used again: assign_concatenation_references() locks them in another order, so
  -- to wait for one could be a deadlock. Looks at some 1,000 pages, other ones at each call: an index by time would
  -- cost every long message a write, and to read all counters of a busy week takes longer than a statement may.
  delete from concatenation_counter where ctid = any(array(
    select c.ctid from concatenation_counter c
      tablesample system (least(100, 100 * 1000.0 / greatest(1, pg_relation_size('concatenation_counter') / 8192)))
     where c.used_at < now() - interval '7 days' limit p_limit for update skip locked));
  get diagnostics v_deleted = row_count;
  v_most := greatest(v_most, v_deleted);
  delete from velocity_count where ctid = any(array(
    select c.ctid from velocity_count c where c.hour < now() - interval '2 hours' limit p_limit));
  get diagnostics v_deleted = row_count;
  v_most := greatest(v_most, v_deleted);
  -- What smsctl has left behind when it was killed.
  delete from cdr_line where ctid = any(array(
    select l.ctid from reconciliation r join cdr_line l using (reconciliation_id)
     where r.created_at < now() - interval '7 days' limit p_limit));
  get diagnostics v_deleted = row_count;
  v_most := greatest(v_most, v_deleted);
  delete from cdr_difference where ctid = any(array(
    select d.ctid from reconciliation r join cdr_difference d using (reconciliation_id)
     where r.created_at < now() - interval '7 days' limit p_limit));
  get diagnostics v_deleted = row_count;
  v_most := greatest(v_most, v_deleted);
  delete from reconciliation r
   where r.created_at < now() - interval '7 days'
     and not exists (select from cdr_line l where l.reconciliation_id = r.reconciliation_id)
     and not exists (select from cdr_difference d where d.reconciliation_id = r.reconciliation_id);
  delete from process_heartbeat where seen_at < now() - interval '1 day';
  return v_most;
end $$;
