-- Which account a message from a handset answers.

-- A number or a sender, in the form in which two of them are compared.
create or replace function sender_key(p_sender text) returns text
language sql immutable as $$
  select ltrim(lower(p_sender), '+')
$$;

-- The account that an operator gave the number to; else the one that sent the last message from this number to this
-- handset within p_days; else the only account that may send from it. Otherwise `unassigned` says why nobody is known:
-- no account sends from the number (`unknown`), or several do, and none has sent to the handset (`ambiguous`).
--
-- p_sender: the carrier's sender for messages that have none. p_is_fixed: it replaces the sender of every message.
-- Cost: one index range for each account that may send from the number; of the handset's messages the last 1,000,
-- because many may be scheduled.
create or replace function answered_account(
  p_source text, p_destination text, p_sender text, p_is_fixed boolean, p_days integer
) returns table (account_id bigint, in_reply_to uuid, unassigned text)
language plpgsql stable set jit = off set enable_hashjoin = off set enable_mergejoin = off as $$
#variable_conflict use_column
declare
  v_number    text := sender_key(p_destination);
  v_is_shared boolean := v_number = sender_key(p_sender);
  v_assigned  bigint;
  v_owners    bigint[];
begin
  select n.account_id into v_assigned
    from number_assignment n join account a using (account_id) where n.number = v_number and a.status <> 'closed';

  return query
  select a.account_id, m.id, null::text
    from account a
   cross join lateral (
     select o.id, coalesce(o.sent_at, o.send_at, o.created_at) as at
       from (select * from message_order o where o.account_id = a.account_id and o.destination = p_source
              order by o.sequence desc limit 1000) o
      where o.state not in ('scheduled', 'queued', 'canceled', 'failed')
        and coalesce(o.sent_at, o.send_at, o.created_at) > now() - make_interval(days => p_days)
        and (v_assigned is not null
             or sender_key(case when p_is_fixed then p_sender else coalesce(o.sender, a.sender, p_sender) end)
                  = v_number)
      -- A scheduled one was accepted before others and sent after them.
      order by at desc, o.sequence desc limit 1) m
   where a.account_id > 0 and a.status <> 'closed'
     and (a.account_id = v_assigned
          or v_assigned is null
             and (v_is_shared or sender_key(a.sender) = v_number
                  or exists (select from unnest(a.allowed_senders) s where sender_key(s) = v_number)))
   order by m.at desc limit 1;
  if found then
    return;
  end if;

  if v_assigned is not null then
    return query select v_assigned, null::uuid, null::text;
    return;
  end if;
  select array_agg(o.account_id) into v_owners
    from (select a.account_id from account a
           where a.account_id > 0 and a.status <> 'closed' and not a.internal
             and (v_is_shared and (p_is_fixed or a.sender is null) or sender_key(a.sender) = v_number
                  or exists (select from unnest(a.allowed_senders) s where sender_key(s) = v_number))
           limit 2) o;
  return query
  select case when cardinality(v_owners) = 1 then v_owners[1] end, null::uuid,
         case when v_owners is null then 'unknown' when cardinality(v_owners) > 1 then 'ambiguous' end;
end $$;
