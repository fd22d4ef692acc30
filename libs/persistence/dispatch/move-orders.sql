-- Moves orders from one state to another, for every caller: their money, its journal, the orders, the record of the
-- transition, and the events for the accounts that want them.
--
-- Guarantees: money moves in the transaction that moves the order. p_captured of an order's price is captured and
--   p_released is released. Each of the two is one journal entry for each account, and its orders point at it. Null: no
--   money moves.
-- Locks: the caller holds the order rows, and knows that they are in p_from. This function locks balance rows by
--   account; of scheduled orders that end, rows of redaction_due by account and number.
-- p_codes: the reasons. p_retry_after_ms: how long an order that goes back to the queue waits for its next attempt. The
--   planner settings of the callers (ADR 33) apply here too.
create or replace function move_orders(
  p_ids uuid[], p_from order_state, p_to order_state, p_actor text, p_codes text[] default null,
  p_accounts bigint[] default null, p_captured bigint[] default null, p_released bigint[] default null,
  p_retry_after_ms integer[] default null
) returns void
language plpgsql as $$
declare
  v_is_final boolean := p_to in ('delivered', 'undelivered', 'failed', 'canceled', 'unknown');
  -- The journal entries of each account.
  v_accounts bigint[];
  v_captures bigint[];
  v_releases bigint[];
  v_gives_back boolean;
  -- What webhooks tell clients of; nothing while no account has one.
  v_has_events boolean := p_to not in ('scheduled', 'queued', 'sending') and exists (select from event_wish);
  v_moved    uuid[];
  v_owners   bigint[];
  v_codes    text[];
begin
  if p_captured is not null then
    with sums as (
      select m.account_id, sum(m.captured)::bigint as captured, count(*) filter (where m.captured > 0) as captures,
             coalesce(sum(m.released), 0)::bigint as released, count(*) filter (where m.released > 0) as releases
        from unnest(p_accounts, p_captured, p_released) as m(account_id, captured, released)
       where m.captured > 0 or m.released > 0 group by m.account_id order by m.account_id
    ), balances as (
      update account_balance b
         set reserved = b.reserved - s.captured - s.released, captured = b.captured + s.captured,
             last_entry = b.last_entry + (s.captured > 0)::int + (s.released > 0)::int
        from sums s where b.account_id = s.account_id
      returning b.account_id, b.deposited - b.reserved - b.captured as available,
                s.captured, s.released, s.captures, s.releases,
                b.last_entry - (s.released > 0)::int as capture_entry, b.last_entry as release_entry
    ), journal as (
      insert into journal_entry (account_id, entry, kind, debit, credit, amount, available_after, order_count)
      select b.account_id, e.*
        from balances b cross join lateral (values
          (b.capture_entry, 'capture'::entry_kind, 'reserved'::ledger_bucket, 'captured'::ledger_bucket, b.captured,
           b.available - b.released, b.captures),
          (b.release_entry, 'release', 'reserved', 'available', b.released, b.available, b.releases)
        ) as e(entry, kind, debit, credit, amount, available, order_count) where e.amount > 0
    )
    select array_agg(b.account_id), array_agg(b.capture_entry), array_agg(b.release_entry), bool_or(b.released > 0)
      into v_accounts, v_captures, v_releases, v_gives_back from balances b;
    if v_gives_back then
      perform give_back_spend(p_ids, p_accounts, p_released);
    end if;
  end if;

  with moved as (
    update message_order o
       set state = p_to,
           amount = o.amount - coalesce(m.released, 0),
           carrier_code = coalesce(m.code, o.carrier_code),
           capture_entry = case when m.captured > 0 then v_captures[array_position(v_accounts, m.account_id)]
                                else o.capture_entry end,
           release_entry = case when m.released > 0 then v_releases[array_position(v_accounts, m.account_id)]
                                else o.release_entry end,
           sent_at = case when p_to = 'sent' or p_from = 'sending' and p_to = 'unknown' then clock_timestamp()
                          else o.sent_at end,
           final_at = case when v_is_final then clock_timestamp() end,
           lease_until = null,
           next_attempt_at = case when p_to = 'queued'
                                  then now() + make_interval(secs => m.retry_after_ms / 1000.0) end,
           due_at = case when v_is_final then null
                         when p_from = 'scheduled' then o.valid_until
                         when p_to = 'queued' then now() + make_interval(secs => m.retry_after_ms / 1000.0 + 2)
                         else o.due_at end
      from unnest(p_ids, p_accounts, p_captured, p_released, p_codes, p_retry_after_ms)
           as m(id, account_id, captured, released, code, retry_after_ms)
     where o.id = m.id
    returning o.id, m.code, o.account_id, o.sequence, o.created_at, o.carrier_id
  ), late as (
    -- What has been counted as used, or soon will be, is counted again.
    insert into usage_change
    select distinct m.account_id, (m.sequence - 1) / usage_chunk_size() from moved m
     where m.created_at < now() - interval '10 minutes'
  ), recorded as (
    insert into order_transition (message_id, at, from_state, to_state, actor, carrier_code)
    select m.id, clock_timestamp(), p_from, p_to, p_actor, m.code from moved m
  ), counted as (
    -- One row for each statement (overview/traffic.sql).
    insert into traffic_move (event, accounts, carriers, codes, messages)
    select p_to, array_agg(c.account_id), array_agg(c.carrier_id), array_agg(c.code), array_agg(c.messages)
      from (select m.account_id, coalesce(m.carrier_id, 0) as carrier_id,
                   case when p_to in ('undelivered', 'failed', 'unknown') then m.code end as code,
                   count(*)::integer as messages
              from moved m where m.account_id > 0 and p_to not in ('scheduled', 'queued', 'sending') group by 1, 2, 3) c
    having count(*) > 0
  )
  select array_agg(m.id), array_agg(m.account_id), array_agg(m.code) into v_moved, v_owners, v_codes
    from moved m where v_has_events;
  if v_moved is not null then
    perform write_message_events(p_to, v_moved, v_owners, v_codes);
  end if;

  -- Few messages end other than as delivered.
  if p_from in ('undelivered', 'unknown') or v_is_final and p_to <> 'delivered' then
    perform note_exceptions(p_ids, p_from, p_to);
  end if;
end $$;
