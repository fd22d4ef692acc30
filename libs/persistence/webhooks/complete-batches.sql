-- Stores an accepted batch, in the transaction of the accept. It waits in open_batch if an event is to tell its end.
create or replace function begin_batch(p_batch_id uuid, p_account_id bigint, p_first_sequence bigint, p_count integer)
returns void
language plpgsql as $$
begin
  insert into message_batch values (p_batch_id, p_account_id, p_first_sequence, p_count);
  insert into open_batch (batch_id, account_id, first_sequence, last_sequence, next_sequence)
  select p_batch_id, p_account_id, p_first_sequence, p_first_sequence + p_count - 1, p_first_sequence
    from event_wish w where w.account_id = p_account_id and 'batch.completed' = any(w.types);
end $$;

-- Looks at batches whose time has come, and writes one `batch.completed` for each whose messages are all final.
--
-- Guarantees: the event and the end of the row are one transaction, so each batch has exactly one event. A batch that
--   waits is looked at again after an eighth of the time in which it has not moved: one second to one minute.
-- Bounded: p_limit batches, and 1,000 messages of each in one call, beside the sums of those that end.
-- Locks: rows of open_batch only; it passes over those that another worker has.
create or replace function complete_batches(p_limit integer) returns integer
language plpgsql
set enable_seqscan = off set jit = off set enable_hashjoin = off set enable_mergejoin = off
set plan_cache_mode = force_generic_plan as $$
declare
  b        open_batch%rowtype;
  v_end    bigint;
  v_next   bigint;
  v_looked integer := 0;
begin
  for b in
    select * from open_batch o where o.look_at <= now() order by o.look_at limit p_limit for update skip locked
  loop
    v_looked := v_looked + 1;
    v_end := least(b.last_sequence, b.next_sequence + 999);
    select o.sequence into v_next from message_order o
     where o.account_id = b.account_id and o.sequence between b.next_sequence and v_end
       and o.state in ('scheduled', 'queued', 'sending', 'sent')
     order by o.sequence limit 1;
    if v_next is null and v_end = b.last_sequence then
      delete from open_batch o where o.batch_id = b.batch_id;
      perform write_account_event(b.account_id, 'batch.completed', batch_result(b));
    else
      v_next := coalesce(v_next, v_end + 1);
      update open_batch o
         set next_sequence = v_next, moved_at = case when v_next > b.next_sequence then now() else o.moved_at end,
             look_at = case when v_next > v_end then now()
                            when v_next > b.next_sequence then now() + interval '1 second'
                            else now() + greatest(interval '1 second',
                                                  least(interval '1 minute', (now() - o.moved_at) / 8))
                       end
       where o.batch_id = b.batch_id;
    end if;
  end loop;
  return v_looked;
end $$;

-- What became of the messages of a batch.
create or replace function batch_result(b open_batch) returns jsonb
language sql stable as $$
  select jsonb_build_object(
           'batchId', b.batch_id, 'messages', b.last_sequence - b.first_sequence + 1,
           'byStatus', jsonb_build_object(
             'delivered', count(*) filter (where o.state = 'delivered'),
             'undelivered', count(*) filter (where o.state = 'undelivered'),
             'failed', count(*) filter (where o.state = 'failed'),
             'unknown', count(*) filter (where o.state = 'unknown'),
             'canceled', count(*) filter (where o.state = 'canceled')),
           'amount', trim_scale(coalesce(sum(o.amount), 0) / 1000000),
           'currency', (select a.currency from account a where a.account_id = b.account_id))
    from message_order o
   where o.account_id = b.account_id and o.sequence between b.first_sequence and b.last_sequence
$$;
