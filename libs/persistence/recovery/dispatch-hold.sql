-- The hold: after a restore nobody knows whether the orders that look open have gone out. While a hold is active, an
-- order that may have been sent before it is neither claimed, enqueued nor ended; receipts still settle it. An operator
-- clears it, alone or with others, or releases the hold.

-- From when on an order may be sent: since it was created or, if it was scheduled, since that time.
create or replace function sendable_since(o message_order) returns timestamptz
language sql immutable as $$ select coalesce(o.send_at, o.created_at) $$;

-- Whether a queued order need not wait for its next attempt any more.
create or replace function is_attempt_due(o message_order) returns boolean
language sql stable as $$ select o.next_attempt_at is null or o.next_attempt_at <= now() $$;

-- What claim_orders and reconcile_orders compare with, always one row: an order is held when sendable_since is before
-- held_before and cleared_hold is distinct from hold_id. Without a hold: -infinity. In a database whose identity nobody
-- has noticed yet (notice_restored_database): infinity, so that nothing is claimed before that. Queued orders of
-- held_accounts are held as well, whatever their age, until the account is resumed; the array is empty, not null, when
-- there are none.
--
-- Asked at every claim. While a session lasts, its cluster, its database and its timeline stay the same; only the
-- recorded identity and the table of the orders can change. So a session compares again only if one of these two has
-- changed.
create or replace function active_hold(out hold_id bigint, out held_before timestamptz, out held_accounts bigint[])
language plpgsql as $$
declare
  v_state record;
begin
  select (select k.xmin::text || ' ' || k.noticed_at from database_identity k) || ' ' || 'message_order'::regclass::oid
           as identity,
         h.hold_id, h.held_before, array(select a.account_id from held_account a) as accounts
    into v_state
    from (values (true)) as always(there) left join dispatch_hold h on h.released_at is null;
  held_accounts := v_state.accounts;
  if v_state.identity is null
     or v_state.identity is distinct from current_setting('heliograph.database_identity', true) then
    if database_identity_change() is not null then
      hold_id := null;
      held_before := 'infinity';
      return;
    end if;
    perform set_config('heliograph.database_identity', coalesce(v_state.identity, ''), false);
  end if;
  hold_id := v_state.hold_id;
  held_before := coalesce(v_state.held_before, '-infinity');
end $$;

-- Whether a worker may claim the order now: it is queued and valid, its next attempt is due, and nothing holds it back.
-- The arguments are what active_hold() returns. The planner puts the text into the statement that calls it, because the
-- function is one expression without a `set` clause.
create or replace function may_be_claimed(
  o message_order, p_hold_id bigint, p_held_before timestamptz, p_held_accounts bigint[]
) returns boolean
language sql stable as $$
  select o.state = 'queued' and o.valid_until > now() and is_attempt_due(o)
     and (sendable_since(o) >= p_held_before or o.cleared_hold = p_hold_id)
     and o.account_id <> all(p_held_accounts)
$$;

-- The held among orders: open, not in a live worker's hands, and not cleared. Counts, resolving and setting aside share
-- it.
create or replace function is_held(o message_order, p_hold_id bigint, p_held_before timestamptz) returns boolean
language sql stable as $$
  select o.due_at is not null and o.state in ('queued', 'sending') and sendable_since(o) < p_held_before
     and o.cleared_hold is distinct from p_hold_id and (o.lease_until is null or o.lease_until <= now())
$$;

-- Returns the orders that are neither held nor queued for a held account, and reschedules the others: the reconciler
-- must not meet them again and again before all others, and their hold may last for days. (Whoever ends it makes them
-- due at once.) A held order is due in an hour; one of a held account when its validity ends, if that is sooner. The
-- caller has locked the orders.
create or replace function without_held(
  p_ids uuid[], p_hold_id bigint, p_held_before timestamptz, p_held_accounts bigint[]
) returns uuid[]
language plpgsql as $$
declare
  v_held uuid[];
begin
  if p_ids is null or p_held_before = '-infinity' and cardinality(p_held_accounts) = 0 then
    return p_ids;
  end if;
  with held as (
    update message_order o
       set due_at = case when is_held(o, p_hold_id, p_held_before) then now() + interval '1 hour'
                         else least(o.valid_until, now() + interval '1 hour') end
     where o.id = any(p_ids)
       and (is_held(o, p_hold_id, p_held_before)
            or o.state = 'queued' and o.valid_until > now() and o.account_id = any(p_held_accounts))
    returning o.id
  )
  select array_agg(h.id) into v_held from held h;
  return array(select i from unnest(p_ids) i where i <> all(coalesce(v_held, '{}')));
end $$;

-- Decides about up to p_limit held orders, and returns how many it took: the caller repeats it until that is 0. The
-- orders of an account are those of its sandbox as well.
--   resend   they are dispatched as usual (within their validity); what was in doubt counts as not sent
--   unknown  they count as sent and unanswered: they end as unknown and are charged, and a receipt still settles them.
--            Where no carrier had the order, p_carrier_id says whose receipts are looked at
--   refund   they end as failed and are released, but for segments that a carrier is known to have taken
-- Locks: the hold, order rows by id, segments, balances (in derive_order_states).
create or replace function resolve_held_orders(
  p_as text, p_account_id bigint, p_from timestamptz, p_to timestamptz, p_state order_state, p_carrier_id integer,
  p_limit integer
) returns integer
language plpgsql as $$
declare
  v_hold    record;
  v_ids     uuid[];
  v_decided integer;
begin
  perform pg_advisory_xact_lock(hashtext('heliograph.dispatch_hold'));
  select * into v_hold from active_hold();
  select array_agg(t.id) into v_ids from (
    select o.id from message_order o
     where is_held(o, v_hold.hold_id, v_hold.held_before)
       and (p_account_id is null or abs(o.account_id) = p_account_id) and (p_state is null or o.state = p_state)
       and (p_from is null or o.created_at >= p_from) and (p_to is null or o.created_at < p_to)
     order by o.id limit p_limit for update) t;
  if v_ids is null then
    return 0;
  end if;
  v_decided := cardinality(v_ids);
  update message_order o set cleared_hold = v_hold.hold_id, due_at = now() where o.id = any(v_ids);

  if p_as = 'resend' then
    update segment s set state = 'pending', in_doubt_since = coalesce(s.in_doubt_since, now())
     where s.message_id = any(v_ids) and s.state in ('submitting', 'in_doubt');
    v_ids := array(select o.id from message_order o where o.id = any(v_ids) and o.state = 'sending');
  elsif p_as = 'unknown' then
    perform take_as_submitted(v_ids, p_carrier_id, 'operator', 'unknown');
  else
    insert into segment as s (message_id, position, state, epoch, carrier_id, carrier_code, submitted_at)
    select o.id, p, 'refused', o.epoch, o.carrier_id, 'REFUNDED', o.created_at
      from message_order o cross join lateral generate_series(1, o.segments) p
     where o.id = any(v_ids) and o.state = 'sending'
    on conflict (message_id, position) do update
       set state = 'refused', carrier_code = 'REFUNDED', in_doubt_since = null
     where s.state in ('pending', 'submitting', 'in_doubt');
  end if;
  perform derive_order_states(v_ids, 'operator', interval '0', p_is_over => true,
                              p_code => case p_as when 'unknown' then 'FATE_UNKNOWN' when 'refund' then 'REFUNDED' end);
  return v_decided;
end $$;

-- Treats orders as if a worker had claimed and submitted them: what is queued goes to sending, and every segment that
-- no carrier answered for gets p_segments as its state, waiting for a receipt by its reference. A new epoch, so that an
-- answer to an older claim changes nothing. The segments count as submitted when the order was accepted: a receipt may
-- be older than this call. The caller has locked the orders.
create or replace function take_as_submitted(p_ids uuid[], p_carrier_id integer, p_actor text, p_segments segment_state)
returns void
language plpgsql as $$
begin
  with taken as (
    update message_order o
       set state = 'sending', epoch = o.epoch + 1, attempts = o.attempts + 1, owner = null, lease_until = now(),
           carrier_id = coalesce(o.carrier_id, carrier_of_account(o.account_id, p_carrier_id))
     where o.id = any(p_ids) and o.state = 'queued'
    returning o.id
  )
  insert into order_transition (message_id, at, from_state, to_state, actor)
  select t.id, now(), 'queued', 'sending', p_actor from taken t;

  insert into segment as s (message_id, position, state, epoch, carrier_id, submitted_at, in_doubt_since)
  select o.id, p, p_segments, o.epoch, o.carrier_id, o.created_at, now()
    from message_order o cross join lateral generate_series(1, o.segments) p
   where o.id = any(p_ids)
     -- One that carried the whole message stands for all.
     and not exists (select from segment w where w.message_id = o.id and w.whole and p > 1)
  on conflict (message_id, position) do update
     set state = p_segments, in_doubt_since = coalesce(s.in_doubt_since, now())
   where s.state in ('pending', 'submitting', 'in_doubt');
end $$;

-- Finds held orders that look queued although they were sent: an unmatched receipt has their destination and reference.
-- It puts them in doubt at the receipt's carrier, so that rematch_receipts settles them. Returns how many orders. By
-- chance a reference of 16 bits fits once in 65,536 times; only orders of the same destination are compared.
-- Locks: order rows by id, then segments. One carrier at a call; the caller repeats it until it returns 0.
create or replace function doubt_receipted_orders(p_limit integer) returns integer
language plpgsql as $$
declare
  v_hold    record;
  v_carrier integer;
  v_ids     uuid[];
begin
  select * into v_hold from active_hold();
  if v_hold.held_before = '-infinity' then
    return 0;
  end if;
  with receipted as (
    select o.id, min(r.carrier_id) as carrier_id
      from parked_receipt r
      join message_order o on o.destination = r.destination and r.received_at > o.created_at
                          and (o.account_id < 0) = (r.carrier_id < 0)
                          and (r.user_message_reference - segment_reference(o.id, 0::smallint)) & 65535
                              between 1 and o.segments
     where o.state = 'queued' and is_held(o, v_hold.hold_id, v_hold.held_before)
     group by o.id
  ), one as (
    select r.id, r.carrier_id from receipted r where r.carrier_id = (select min(m.carrier_id) from receipted m)
  ), locked as (
    select o.id, one.carrier_id from message_order o join one on one.id = o.id
     where o.state = 'queued' order by o.id limit p_limit for update of o
  )
  select array_agg(l.id), min(l.carrier_id) into v_ids, v_carrier from locked l;
  if v_ids is null then
    return 0;
  end if;
  perform take_as_submitted(v_ids, v_carrier, 'receipt', 'in_doubt');
  return cardinality(v_ids);
end $$;

-- Ends those of the orders that are still scheduled or queued as failed, and releases them, but for segments that a
-- carrier is known to have taken.
-- Returns how many. What a worker claims at the same time is either claimed or refunded: both lock the row and look at
-- its state.
-- Locks: order rows by id, then balances (in derive_order_states).
create or replace function refund_queued_orders(p_ids uuid[]) returns integer
language plpgsql as $$
declare
  v_ids uuid[];
begin
  select array_agg(l.id) into v_ids from (
    select o.id from message_order o where o.id = any(p_ids) and o.state in ('scheduled', 'queued')
     order by o.id for update) l;
  if v_ids is null then
    return 0;
  end if;
  return (select count(*) filter (where c.state = 'failed')
            from derive_order_states(v_ids, 'operator', interval '0', p_code => 'REFUNDED', p_is_over => true) c);
end $$;
