-- Writes events in the transaction of what happened, for the accounts that want them.

-- Milliseconds since 1970 times 2^20, plus a number. A restored database makes no id twice, because time goes on.
create or replace function next_event_batch_id() returns bigint
language sql volatile as $$
  select ((extract(epoch from clock_timestamp()) * 1000)::bigint << 20) | (nextval('event_batch_number') & 1048575)
$$;

-- The first id of a time.
create or replace function event_batch_id_at(p_at timestamptz) returns bigint
language sql immutable as $$
  select (extract(epoch from p_at) * 1000)::bigint << 20
$$;

create or replace function event_time(p_batch_id bigint) returns timestamptz
language sql immutable as $$
  select to_timestamp((p_batch_id >> 20) / 1000.0)
$$;

-- The part of event_batch that has an id: the day of its time, modulo 16.
create or replace function event_slot(p_batch_id bigint) returns smallint
language sql immutable as $$
  select ((p_batch_id >> 20) / 86400000 % 16)::smallint
$$;

-- Between which transactions, both included, the events with ids from p_from on and below p_until were written; null:
-- there is no bound. So a replay of an hour reads that of some days around it, and not all that the account has.
-- Each bound is of an event that was written a day or more before or after: no transaction takes so long.
create or replace function event_transactions(p_from bigint, p_until bigint) returns table (low xid8, high xid8)
language sql stable as $$
  select (select b.xid from event_batch b
           where b.slot = event_slot(p_from - (2 * 86400000::bigint << 20)) and b.batch_id < p_from
           order by b.batch_id desc limit 1),
         (select b.xid from event_batch b
           where b.slot = event_slot(p_until + (2 * 86400000::bigint << 20)) and b.batch_id >= p_until
           order by b.batch_id limit 1)
$$;

-- The events of messages that have moved to a state, one row for each account. The three arrays have one place for each
-- message.
create or replace function write_message_events(p_state order_state, p_ids uuid[], p_accounts bigint[], p_codes text[])
returns void
language sql as $$
  insert into event_batch (slot, batch_id, account_id, type, message_ids, codes)
  select event_slot(e.batch_id), e.batch_id, e.account_id, 'message.' || p_state, e.ids, e.codes
    from (select next_event_batch_id() as batch_id, m.account_id, m.ids, m.codes
            from (select u.account_id, array_agg(u.id) as ids,
                         case when p_state not in ('sent', 'delivered') then array_agg(u.code) end as codes
                    from unnest(p_ids, p_accounts, p_codes) as u(id, account_id, code) group by u.account_id) m
            join event_wish w on w.account_id = m.account_id and 'message.' || p_state = any(w.types)
          offset 0) e
$$;

-- An event of an account that is about no single message. Returns its id; null: the account does not want it.
create or replace function write_account_event(p_account_id bigint, p_type text, p_data jsonb) returns bigint
language sql as $$
  insert into event_batch (slot, batch_id, account_id, type, data)
  select event_slot(e.batch_id), e.batch_id, p_account_id, p_type, p_data
    from (select next_event_batch_id() as batch_id from event_wish w
           where w.account_id = p_account_id and p_type = any(w.types) offset 0) e
  returning batch_id
$$;

-- Tells that a booking has taken the balance of an account below its threshold. The caller holds the balance row, so of
-- all bookings only the one that crosses the threshold tells.
create or replace function write_balance_low(p_account_id bigint, p_before bigint, p_after bigint) returns void
language sql as $$
  select write_account_event(a.account_id, 'balance.low', jsonb_build_object(
           'balance', trim_scale(p_after / 1000000.0), 'threshold', trim_scale(a.balance_alert / 1000000.0),
           'currency', a.currency))
    from account a
   where a.account_id = p_account_id and a.balance_alert > p_after and a.balance_alert <= p_before
$$;
