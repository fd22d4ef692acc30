-- Keeps order_exception, by which clients find the few messages that ended other than as delivered (find_orders).
-- move_orders calls it for orders that get or leave such an end, and says what is locked; the planner settings of its
-- callers (ADR 33) apply here too.
create or replace function note_exceptions(p_ids uuid[], p_from order_state, p_to order_state) returns void
language plpgsql as $$
begin
  if p_from in ('undelivered', 'unknown') then
    delete from order_exception x using message_order o
     where o.id = any(p_ids) and x.account_id = o.account_id and x.state = p_from and x.sequence = o.sequence;
  end if;
  if p_to in ('undelivered', 'failed', 'canceled', 'unknown') then
    insert into order_exception
    select o.account_id, p_to, o.sequence from message_order o where o.id = any(p_ids) on conflict do nothing;
  end if;
  -- What is to be redacted as soon as it is final is not looked at before its time (redact_wanted), and has ended now.
  if p_from = 'scheduled' then
    update redaction_due d set look_at = now()
      from (select w.account_id, w.sequence from redaction_due w join message_order o using (account_id, sequence)
             where o.id = any(p_ids) order by w.account_id, w.sequence for update of w) w
     where d.account_id = w.account_id and d.sequence = w.sequence;
  end if;
end $$;
