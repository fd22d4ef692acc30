-- A worker takes queued orders for a carrier, decides how each is written, and records the intent to submit its first
-- open segment.
--
-- Guarantees: one worker only claims an order, by compare-and-set on its state. The epoch grows with every claim and
--   fences what an earlier owner still writes. The caller holds one window slot for each order, so no more is recorded
--   as submitting than is about to be written. An order that a hold covers is not claimed (may_be_claimed). The claim
--   decides how an order is written, and stores it (ADR 16). p_format is how the worker's carrier writes now;
--   wire_format holds each such text once.
-- Locks: order rows in the order of their ids, then their segments. A row that another transaction holds: the call
--   fails after 50 ms, as record_submits() does. Leases run by the database's clock. due_at stays as it is, so these
--   are HOT updates, unless it is far off, as it is for an order from a backlog. Then the reconciler looks at the order
--   a minute after the lease. No index has the format.
-- p_whole: the carrier takes a message whole and cuts it itself, so its first segment stands for all.
-- Returns the claimed orders. whole and format say how an order has to be written; a format of null means p_format, or,
--   for an order that an older version began, that only whole is known. validity_seconds is for the carrier
--   (validity_left). What it does not return belongs to somebody else, is over, or has to go on with another carrier.
-- waited_seconds: for how long an order that is claimed for the first time could have been sent already; else null.
--
-- Nearly all orders are claimed for the first time and may go to any carrier. The first statement claims them. All
-- others need their history: claim_orders_again. ADR 32 has the cost of both ways.
-- (Unpublished versions had another result: install-functions.ts.)
drop function if exists claim_orders(uuid[], text, integer, integer, boolean, text);
create or replace function claim_orders(
  p_ids uuid[], p_worker text, p_carrier_id integer, p_lease_seconds integer, p_whole boolean, p_format text
) returns table (id uuid, epoch integer, destination text, message text, segments smallint,
                 concatenation_reference smallint, open_positions smallint[], sender text, whole boolean, format text,
                 validity_seconds integer, waited_seconds real)
language plpgsql set enable_seqscan = off set jit = off set enable_hashjoin = off set enable_mergejoin = off
set plan_cache_mode = force_generic_plan set lock_timeout = '50ms' as $$
#variable_conflict use_column
declare
  v_hold   record;
  v_fresh  uuid[];
  v_again  uuid[];
  v_format integer;
  v_lease  interval := make_interval(secs => p_lease_seconds);
begin
  select w.wire_format_id into v_format from wire_format w where w.format = p_format;
  if v_format is null and p_format is not null then
    insert into wire_format (format, whole) values (p_format, p_whole) on conflict do nothing;
    select w.wire_format_id into strict v_format from wire_format w where w.format = p_format;
  end if;

  v_hold := active_hold();
  select array_agg(l.id) filter (where l.is_usual), array_agg(l.id) filter (where not l.is_usual)
    into v_fresh, v_again
    from (select o.id, o.attempts = 0 and o.only_carrier_id is null
                       and (o.account_id < 0) = (p_carrier_id < 0) as is_usual
            from message_order o
           where o.id = any(p_ids)
             and may_be_claimed(o, v_hold.hold_id, v_hold.held_before, v_hold.held_accounts)
           order by o.id
             for update) l;

  if v_fresh is not null then
    insert into segment (message_id, position, state, epoch, carrier_id, whole, submitted_at)
    select i, 1, 'submitting', 1, p_carrier_id, p_whole, now() from unnest(v_fresh) i;
    insert into order_transition (message_id, at, from_state, to_state, actor)
    select i, now(), 'queued', 'sending', 'worker' from unnest(v_fresh) i;
    return query
    update message_order o
       set state = 'sending', owner = p_worker, epoch = 1, attempts = 1, carrier_id = p_carrier_id,
           lease_until = now() + v_lease, due_at = least(o.due_at, now() + v_lease + interval '1 minute'),
           wire_format_id = v_format,
           begun_sender = case when o.segments > 1 and not p_whole then coalesce(o.sender, a.sender) end
      from account a
     where o.id = any(v_fresh) and a.account_id = o.account_id
    returning o.id, o.epoch, o.destination, o.message, o.segments, o.concatenation_reference,
              case when o.segments = 1 or p_whole then array[1::smallint]
                   else array(select p::smallint from generate_series(1, o.segments) p) end,
              coalesce(o.sender, a.sender), p_whole, null::text, validity_left(o),
              extract(epoch from now() - sendable_since(o))::real;
  end if;
  if v_again is not null then
    return query select * from claim_orders_again(v_again, p_worker, p_carrier_id, p_lease_seconds, p_whole, v_format);
  end if;
end $$;

-- All that a worker writes at once about the orders that it dispatches: claims (for each carrier and format), intents
-- and answers. In this order, so that no balance is held while a claim waits for an order. And at once, so that a slot
-- of the window is free when its answer has come: what takes it is not durable before this answer (ADR 67).
create or replace function write_dispatch(
  p_worker text, p_lease_seconds integer, p_in_doubt_wait interval,
  p_claims uuid[], p_claim_carriers integer[], p_claim_wholes boolean[], p_claim_formats text[],
  p_intents uuid[], p_intent_positions smallint[], p_intent_epochs integer[], p_intent_carriers integer[],
  p_answers uuid[], p_answer_positions smallint[], p_answer_epochs integer[], p_answer_kinds text[],
  p_answer_texts text[], p_answers_done boolean[], p_retry_after_ms integer[]
) returns table (id uuid, epoch integer, destination text, message text, segments smallint,
                 concatenation_reference smallint, open_positions smallint[], sender text, whole boolean, format text,
                 validity_seconds integer, waited_seconds real, "position" smallint, state order_state)
language plpgsql set plan_cache_mode = force_generic_plan as $$
#variable_conflict use_column
begin
  return query
  select c.*, null::smallint, null::order_state
    from (select carrier_id, whole, format, array_agg(id) as ids
            from unnest(p_claims, p_claim_carriers, p_claim_wholes, p_claim_formats) u(id, carrier_id, whole, format)
           group by carrier_id, whole, format) a,
         claim_orders(a.ids, p_worker, a.carrier_id, p_lease_seconds, a.whole, a.format) c;
  for id, "position" in
    select * from record_intents(p_intents, p_intent_positions, p_intent_epochs, p_intent_carriers)
     where p_intents <> '{}' loop
    return next;
  end loop;
  "position" := null;
  for id, state in
    select * from record_submits(p_answers, p_answer_positions, p_answer_epochs, p_answer_kinds, p_answer_texts,
                                 p_answers_done, p_retry_after_ms, p_in_doubt_wait)
     where p_answers <> '{}' loop
    return next;
  end loop;
end $$;
