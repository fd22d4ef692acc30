-- Redacts messages: their texts become empty, and their numbers keep the first digits only. Everything else stays:
-- money, segments, states, times, references. Only final messages are redacted: a message that may still be sent needs
-- both. What is not final yet, or is locked, stands in `redaction_due` until it is redacted.

-- A number without its last six digits; of a short one the country calling code is left. So usage and prices stay what
-- they were, and the cost of a segment too, unless it is that of a prefix that is longer than what is left: the cost of
-- a shorter one holds then (segment_cost). A sender that is no number keeps nothing.
create or replace function redacted_number(p_number text) returns text language sql immutable as $$
  select case when p_number ~ '^[0-9]*[*]+$' then p_number
              when p_number ~ '^[0-9]{7,15}$'
              then rpad(left(p_number, greatest(length(calling_code(p_number)), length(p_number) - 6)),
                        length(p_number), '*')
              else '*' end
$$;

-- Redacts orders. The caller has locked them and knows that they are final.
create or replace function redact_orders(p_ids uuid[], p_text boolean, p_number boolean) returns void
language plpgsql set enable_seqscan = off set jit = off as $$
begin
  if p_number then
    update message_order o
       set message = case when p_text then '' else o.message end,
           recipient = '+' || redacted_number(o.destination), destination = redacted_number(o.destination)
     where o.id = any(p_ids);
    delete from doubtful_submit d where d.message_id = any(p_ids);
  elsif p_text then
    update message_order o set message = '' where o.id = any(p_ids) and o.message <> '';
  end if;
end $$;

-- Notes messages of an account that are redacted as soon as they are final. Locks: rows of redaction_due by number.
create or replace function redact_when_final(
  p_account_id bigint, p_sequences bigint[], p_text boolean, p_number boolean
) returns void
language sql as $$
  insert into redaction_due as d (account_id, sequence, text, number)
  select p_account_id, s, p_text, p_number from unnest(p_sequences) s order by s
  on conflict (account_id, sequence) do update
     set text = d.text or excluded.text, number = d.number or excluded.number, look_at = now()
$$;

-- Redacts the oldest messages of an account above a number, up to the first one whose time is not over. `last` is the
-- number of the last one that was passed; null: none. A message that is not final a day after the time of its
-- acceptance was over is passed, and noted as due: one that was scheduled for long keeps no other one.
--
-- Guarantees: it waits for no lock. It never touches a message that is not final.
-- Locks: order rows.
create or replace function redact_oldest(
  p_account_id bigint, p_after_sequence bigint, p_before timestamptz, p_limit integer, p_text boolean, p_number boolean,
  out orders integer, out last bigint
) language plpgsql set enable_seqscan = off set jit = off set enable_bitmapscan = off
set plan_cache_mode = force_generic_plan as $$
declare
  v_due    uuid[];
  v_locked uuid[];
  v_passed bigint[];
begin
  orders := 0;
  if p_before is null then
    return;
  end if;
  with range as materialized (
    select o.id, o.sequence, coalesce(o.final_at < p_before, false) as is_due,
           o.created_at < p_before - interval '1 day' as is_late
      from message_order o
     where o.account_id = p_account_id and o.sequence > p_after_sequence and o.sequence <= p_after_sequence + p_limit
  ), dense as (
    select r.*, bool_and(r.is_due or r.is_late) over (order by r.sequence) as is_next from range r
  )
  select array_agg(d.id order by d.id) filter (where d.is_due), max(d.sequence) into v_due, last
    from dense d where d.is_next;
  if last is null then
    return;
  end if;
  v_locked := array(select o.id from message_order o where o.id = any(v_due) order by o.id for update skip locked);
  v_passed := array(select o.sequence from message_order o
                     where o.account_id = p_account_id and o.sequence > p_after_sequence and o.sequence <= last
                       and o.id <> all(v_locked));
  perform redact_orders(v_locked, p_text, p_number);
  perform redact_when_final(p_account_id, v_passed, p_text, p_number);
  orders := cardinality(v_locked);
end $$;

-- The same for messages from handsets, by the time at which they were received.
create or replace function redact_oldest_inbound(
  p_account_id bigint, p_after_number bigint, p_before timestamptz, p_limit integer, p_text boolean, p_number boolean,
  out messages integer, out last bigint
) language plpgsql set enable_seqscan = off set jit = off set enable_bitmapscan = off as $$
declare
  v_ids uuid[];
begin
  messages := 0;
  if p_before is null then
    return;
  end if;
  select array_agg(d.inbound_id), max(d.number) into v_ids, last
    from (select m.inbound_id, m.number, bool_and(m.received_at < p_before) over (order by m.number) as is_next
            from inbound_message m
           where m.account_id = p_account_id and m.number > p_after_number and m.number <= p_after_number + p_limit) d
   where d.is_next;
  messages := coalesce(cardinality(v_ids), 0);
  perform redact_inbound(v_ids, p_text, p_number);
end $$;

create or replace function redact_inbound(p_ids uuid[], p_text boolean, p_number boolean) returns void
language sql as $$
  update inbound_message m
     set message = case when p_text then '' else m.message end,
         source = case when p_number then redacted_number(m.source) else m.source end
   where m.inbound_id = any(p_ids)
$$;

-- Redacts one message that was sent or received, as somebody has asked; p_account_id null: whoever's it is.
-- Returns 'redacted'; 'later': it is redacted as soon as it is final; null: there is none. owner: whose it is.
create or replace function redact_message(p_account_id bigint, p_id uuid, out outcome text, out owner bigint)
language plpgsql set enable_seqscan = off set jit = off as $$
declare
  v_sequence bigint;
  v_locked   uuid[];
begin
  select o.account_id, o.sequence into owner, v_sequence
    from message_order o where o.id = p_id and (p_account_id is null or o.account_id = p_account_id);
  if found then
    v_locked := array(select o.id from message_order o where o.id = p_id and o.final_at is not null
                      for update skip locked);
    if cardinality(v_locked) = 0 then
      perform redact_when_final(owner, array[v_sequence], true, true);
      outcome := 'later';
    else
      perform redact_orders(v_locked, true, true);
      outcome := 'redacted';
    end if;
    return;
  end if;
  select m.account_id into owner
    from inbound_message m where m.inbound_id = p_id and (p_account_id is null or m.account_id = p_account_id);
  if found then
    perform redact_inbound(array[p_id], true, true);
    outcome := 'redacted';
  end if;
end $$;

-- Does the next part of a request to redact a number, at most p_limit messages. is_over: it is done, and its row, which
-- has the number, is gone. Each call begins where the last one has committed, so a crash repeats nothing.
--
-- Locks: the row of the request, then unmatched receipts, then order rows. It waits for no order.
create or replace function redact_number(
  p_account_id bigint, p_request_id bigint, p_limit integer,
  out sent integer, out later integer, out received integer, out is_over boolean
) language plpgsql set enable_seqscan = off set jit = off set enable_bitmapscan = off
set plan_cache_mode = force_generic_plan as $$
declare
  r           redaction_request%rowtype;
  v_sequences bigint[];
  v_locked    uuid[];
  v_passed    bigint[];
  v_ids       uuid[];
  v_last      bigint;
  v_national  text;
begin
  sent := 0;
  later := 0;
  received := 0;
  select * into r from redaction_request q where q.account_id = p_account_id and q.request_id = p_request_id for update;
  is_over := not found;
  if is_over then
    return;
  end if;
  -- Before any order is locked, because rematch_receipts locks receipts first. One that has matched nothing within an
  -- hour will not. Carriers also write a number without its country code, or with zeros before it (is_same_number).
  v_national := substr(r.number, length(calling_code(r.number)) + 1);
  delete from parked_receipt p
   where p.destination = any(array[r.number, '00' || r.number]
                             || case when length(v_national) >= 7 then array[v_national, '0' || v_national] end)
     and p.received_at < now() - interval '1 hour';
  v_sequences := array(select o.sequence from message_order o
                        where o.account_id = p_account_id and o.destination = r.number
                          and o.sequence > r.after_sequence and o.sequence <= r.last_sequence
                        order by o.sequence limit p_limit);
  v_locked := array(select o.id from message_order o
                     where o.account_id = p_account_id and o.sequence = any(v_sequences) and o.final_at is not null
                     order by o.id for update skip locked);
  v_passed := array(select o.sequence from message_order o
                     where o.account_id = p_account_id and o.sequence = any(v_sequences) and o.id <> all(v_locked));
  perform redact_orders(v_locked, true, true);
  perform redact_when_final(p_account_id, v_passed, true, true);
  sent := cardinality(v_locked);
  later := cardinality(v_passed);
  if cardinality(v_sequences) = p_limit then
    update redaction_request q set after_sequence = v_sequences[p_limit]
     where q.account_id = p_account_id and q.request_id = p_request_id;
    return;
  end if;

  select array_agg(m.inbound_id), max(m.number) into v_ids, v_last
    from (select i.inbound_id, i.number from inbound_message i
           where i.account_id = p_account_id and i.source = r.number
             and i.number > r.after_inbound and i.number <= r.last_inbound
           order by i.number limit p_limit) m;
  received := coalesce(cardinality(v_ids), 0);
  perform redact_inbound(v_ids, true, true);
  if received = p_limit then
    update redaction_request q set after_sequence = r.last_sequence, after_inbound = v_last
     where q.account_id = p_account_id and q.request_id = p_request_id;
    return;
  end if;
  if r.is_operators then
    update inbound_message m set message = '', source = redacted_number(m.source)
     where m.account_id is null and m.source = r.number;
  end if;
  perform forget_number(r.number);
  delete from redaction_request q where q.account_id = p_account_id and q.request_id = p_request_id;
  is_over := true;
end $$;

-- Removes a number from the tables that know it for a while only. A part whose message has come has no text any more;
-- its fingerprint stays, so that a repetition is known.
create or replace function forget_number(p_number text) returns void
language sql as $$
  delete from concatenation_counter c where c.destination = p_number;
  update inbound_part p set source = '*' where p.source = p_number and p.content is null;
  delete from open_opt_out p
   where p.destination = p_number
     and not exists (select from message_order o where o.account_id = p.account_id and o.destination = p_number
                        and o.state in ('scheduled', 'queued', 'sending'));
$$;

-- One step of the scheduled job: what somebody has asked for, and what was not final before. Returns how much it has
-- looked at; p_limit: there may be more. One at a time over all workers (advisory lock of the transaction).
create or replace function redact_wanted(p_limit integer) returns integer
language plpgsql set enable_seqscan = off set jit = off as $$
declare
  d       record;
  v_count integer := 0;
begin
  if not pg_try_advisory_xact_lock(hashtext('heliograph.redact_wanted')) then
    return 0;
  end if;
  select q.account_id, q.request_id into d from redaction_request q
   order by q.requested_at limit 1 for update skip locked;
  if found then
    perform redact_number(d.account_id, d.request_id, p_limit);
    return p_limit;
  end if;
  for d in
    select w.account_id, w.sequence, w.text, w.number, o.id, o.final_at is not null as is_final
      from redaction_due w left join message_order o on o.account_id = w.account_id and o.sequence = w.sequence
     where w.look_at <= now() order by w.look_at limit p_limit for update of w skip locked
  loop
    v_count := v_count + 1;
    if d.is_final then
      perform from message_order o where o.id = d.id for update skip locked;
      if found then
        perform redact_orders(array[d.id], d.text, d.number);
        d.id := null;
      end if;
    end if;
    -- Redacted, or dropped by retention.
    if d.id is null then
      delete from redaction_due w where w.account_id = d.account_id and w.sequence = d.sequence;
    else
      -- As it is now: it may have been canceled since the loop began.
      update redaction_due w
         set look_at = greatest(now() + interval '1 minute', (select o.send_at from message_order o
                                                               where o.id = d.id and o.state = 'scheduled'))
       where w.account_id = d.account_id and w.sequence = d.sequence;
    end if;
  end loop;
  return v_count;
end $$;
