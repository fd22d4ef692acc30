-- Stores what carriers deliver from handsets. The caller acknowledges it to the carrier only after this has committed.

-- Stores deliveries of one carrier, each one once, and returns their ids in the same order; null: it is a repetition.
--
-- A repetition is the same fingerprint: of a carrier that numbers its messages, however late; else within 10 minutes,
--   by another connection (the answer to the first may have been lost with its connection), or by the same one if the
--   caller knows that its answer was late or asked for it (p_may_repeat), or if it is a part whose message is not whole
--   yet. So a person may write the same word twice.
-- Locks: one advisory lock for each pair of handset and number, in the order of their hashes. So two workers cannot
--   store the same message at once, and the last two parts of a long message see each other.
create or replace function take_inbound_parts(
  p_carrier_id integer, p_fingerprints bytea[], p_numbered boolean[], p_connections text[], p_may_repeat boolean[],
  p_sources text[], p_destinations text[], p_references integer[], p_totals smallint[], p_numbers smallint[],
  p_contents bytea[]
) returns bigint[]
language plpgsql as $$
declare
  v_lock bigint;
  v_id   bigint;
  v_ids  bigint[] := '{}';
begin
  for v_lock in
    select distinct hashtextextended('heliograph.inbound ' || u.source || ' ' || u.destination, 0) as l
      from unnest(p_sources, p_destinations) as u(source, destination) order by l
  loop
    perform pg_advisory_xact_lock(v_lock);
  end loop;
  for i in 1 .. cardinality(p_fingerprints) loop
    insert into inbound_part (carrier_id, source, destination, fingerprint, connection, reference,
                              total, number, content)
    select p_carrier_id, p_sources[i], p_destinations[i], p_fingerprints[i], p_connections[i], p_references[i],
           p_totals[i], p_numbers[i], p_contents[i]
     where not exists (
       select from inbound_part p
        where p.fingerprint = p_fingerprints[i] and p.carrier_id = p_carrier_id
          and (p_numbered[i] or p.received_at > now() - interval '10 minutes'
                                and (p.connection <> p_connections[i] or p_may_repeat[i] or p.content is not null)))
    returning part_id into v_id;
    v_ids := v_ids || v_id;
  end loop;
  return v_ids;
end $$;

-- Puts stored messages into the inboxes of accounts: their numbers, and the event of each account that wants it.
-- Locks: the rows of the inboxes, in the order of their accounts.
create or replace function enter_inboxes(p_ids uuid[], p_accounts bigint[], p_replies uuid[]) returns void
language plpgsql as $$
declare
  v_account bigint;
  v_ids     uuid[];
  v_last    bigint;
begin
  for v_account, v_ids in
    select u.account_id, array_agg(u.id order by u.n)
      from unnest(p_ids, p_accounts) with ordinality as u(id, account_id, n)
     where u.account_id is not null group by u.account_id order by u.account_id
  loop
    insert into inbox as i values (v_account, cardinality(v_ids))
    on conflict (account_id) do update set last_number = i.last_number + excluded.last_number
    returning i.last_number into v_last;
    update inbound_message m
       set account_id = v_account, number = v_last - cardinality(v_ids) + u.n, unassigned = null,
           in_reply_to = p_replies[array_position(p_ids, m.inbound_id)]
      from unnest(v_ids) with ordinality as u(id, n) where m.inbound_id = u.id;
    insert into event_batch (slot, batch_id, account_id, type, message_ids)
    select event_slot(e.batch_id), e.batch_id, v_account, 'message.received', v_ids
      from (select next_event_batch_id() as batch_id from event_wish w
             where w.account_id = v_account and 'message.received' = any(w.types) offset 0) e;
  end loop;
end $$;

-- Stores whole messages of one carrier and gives each to the account that it answers. Returns a row for each one that
-- has an account. The other arguments are those of answered_account.
create or replace function store_inbound(
  p_carrier_id integer, p_ids uuid[], p_sources text[], p_destinations text[], p_messages text[],
  p_parts smallint[], p_missing smallint[], p_keywords text[], p_sender text, p_is_fixed boolean, p_days integer
) returns table (n bigint, account_id bigint)
language plpgsql as $$
#variable_conflict use_column
declare
  v_accounts bigint[];
  v_replies  uuid[];
begin
  insert into inbound_message (inbound_id, carrier_id, source, destination, message, parts, missing_parts,
                               keyword, unassigned)
  select u.*, 'unknown'
    from (select unnest(p_ids), p_carrier_id, unnest(p_sources), unnest(p_destinations), unnest(p_messages),
                 unnest(p_parts), unnest(p_missing), unnest(p_keywords)) u;
  with found as (
    select u.id, u.n, a.*
      from unnest(p_ids, p_sources, p_destinations) with ordinality as u(id, source, destination, n)
     cross join lateral answered_account(u.source, u.destination, p_sender, p_is_fixed, p_days) a
  ), ambiguous as (
    update inbound_message m set unassigned = f.unassigned from found f
     where m.inbound_id = f.id and f.unassigned = 'ambiguous'
  )
  select array_agg(f.account_id order by f.n), array_agg(f.in_reply_to order by f.n)
    into v_accounts, v_replies from found f;
  perform enter_inboxes(p_ids, v_accounts, v_replies);
  return query
  select u.n, u.account_id from unnest(v_accounts) with ordinality as u(account_id, n) where u.account_id is not null;
end $$;
