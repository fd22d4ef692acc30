-- Accepts the requests of one account that arrived together: one call, one commit (group commit).
--
-- Guarantees: a request is accepted whole or refused whole, in order of arrival, each judged by the balance that the
--   ones before it left; a key that was seen replays; sequences are dense; the reserve entry, the orders, the keys and
--   the balance row are one transaction. A request of several orders stands in the account's backlog with them.
-- Locks: the account's balance row, first; so batches of an account follow each other, and no two accounts wait. Then, for
--   requests of several orders, the account's place in the ring of turns.
-- p_again: an earlier call with the same ids was cut off and may have committed. Because the balance row is locked
--   first, that transaction is over by now, and looking the ids up answers exactly.
create or replace function accept_messages(
  p_account_id bigint, p_again boolean, p_valid_for interval, p_sweep_after interval,
  p_totals bigint[], p_counts integer[], p_keys text[], p_fingerprints bytea[],                    -- per request
  p_request integer[], p_ids uuid[], p_recipients text[], p_destinations text[], p_messages text[],   -- per message
  p_extended boolean[], p_segments smallint[], p_prices bigint[]
) returns table (verdict text, first_sequence bigint, order_count integer, available bigint, retry_after_ms integer)
language plpgsql set enable_seqscan = off set plan_cache_mode = force_generic_plan as $$
declare
  b             account_balance%rowtype;
  a             account%rowtype;
  v_now         timestamptz;
  v_known       record;
  v_credit      bigint;
  v_total       bigint;
  v_sequence    bigint;
  v_offset      integer := 0;
  v_reserved    bigint := 0;
  v_accepted    integer := 0;
  v_is_usual    boolean;
  v_is_bulk     boolean := false;
  v_interval    interval;
  v_needed      interval;
  v_now_until   timestamptz;
  v_verdicts    text[] := '{}';
  v_firsts      bigint[] := '{}';
  v_counts      integer[] := '{}';
  v_availables  bigint[] := '{}';
  v_waits       integer[] := '{}';
  -- Message n of the call, in request r, gets sequence v_shifts[r] + n. (Negative where refused ones came before.)
  v_shifts      bigint[] := '{}';
  v_inserts     boolean[] := '{}';
begin
  select * into strict b from account_balance where account_id = p_account_id for update;
  select * into strict a from account where account_id = p_account_id;
  v_now := clock_timestamp();
  v_credit := b.deposited - b.reserved - b.captured + b.credit_limit;
  v_sequence := b.last_sequence;

  -- The usual call is not judged one by one: new single messages without keys, all of which the balance covers. Each expression
  -- costs a call of one message as much as one of many.
  v_is_usual := not p_again and a.status = 'active' and a.rate_limit_per_second is null
                and cardinality(p_totals) = cardinality(p_ids) and cardinality(array_remove(p_keys, null)) = 0;
  if v_is_usual then
    select sum(t) into v_total from unnest(p_totals) t;
    v_is_usual := v_total <= v_credit;
  end if;

  if v_is_usual then
    v_accepted := cardinality(p_ids);
    v_reserved := v_total;
    v_credit := v_credit - v_total;
    v_sequence := v_sequence + v_accepted;
    insert into message_order (id, account_id, sequence, recipient, destination, message, extended, segments,
                               price, amount, valid_until, due_at, created_at)
    select m.id, p_account_id, b.last_sequence + m.n, m.recipient, m.destination, m.message, m.extended, m.segments,
           m.price, m.price, v_now + p_valid_for, v_now + p_sweep_after, v_now
      from unnest(p_ids, p_recipients, p_destinations, p_messages, p_extended, p_segments, p_prices)
           with ordinality as m(id, recipient, destination, message, extended, segments, price, n);
  else
    v_interval := make_interval(secs => 1.0 / a.rate_limit_per_second);

    for r in 1 .. cardinality(p_totals) loop
      v_verdicts[r] := null; v_firsts[r] := 0; v_counts[r] := p_counts[r]; v_waits[r] := 0; v_shifts[r] := 0;
      v_inserts[r] := false;
      if p_again then
        select o.sequence into v_known from message_order o where o.id = p_ids[v_offset + 1];
        if found then
          v_verdicts[r] := 'accepted'; v_firsts[r] := v_known.sequence;
        end if;
      end if;
      if v_verdicts[r] is null and a.status <> 'active' then
        -- 'suspended' or 'closed'.
        v_verdicts[r] := a.status;
      end if;
      if v_verdicts[r] is null and p_keys[r] is not null then
        select k.* into v_known from idempotency_key k where k.account_id = p_account_id and k.key = p_keys[r];
        if found then
          v_verdicts[r] := case when v_known.fingerprint = p_fingerprints[r] then 'replayed' else 'key_reused' end;
          v_firsts[r] := v_known.first_sequence; v_counts[r] := v_known.order_count;
        end if;
      end if;
      if v_verdicts[r] is null and v_interval is not null then
        -- GCRA (ITU-T I.371) with a burst of one second, counted by message: exact over all gateways, because the row is locked.
        -- More than a second's worth at once is taken when nothing was sent for as long as the limit asks; the next
        -- send then waits until the rate is kept on average. Only what is accepted counts.
        v_now_until := greatest(b.rate_limit_until, v_now);
        v_needed := v_interval * p_counts[r];
        if v_now_until + v_needed > v_now + interval '1 second' + v_interval / 2
           and (v_now_until > v_now or v_needed <= interval '1 second' + v_interval / 2) then
          v_verdicts[r] := 'rate_limited';
          v_waits[r] := ceil(extract(epoch from
            v_now_until + least(v_needed, interval '1 second') - v_now - interval '1 second') * 1000);
        end if;
      end if;
      if v_verdicts[r] is null and p_totals[r] > v_credit then
        v_verdicts[r] := 'insufficient_balance';
      end if;
      if v_verdicts[r] is null then
        v_verdicts[r] := 'accepted';
        v_firsts[r] := v_sequence + 1;
        v_shifts[r] := v_sequence - v_offset;
        v_inserts[r] := true;
        v_sequence := v_sequence + p_counts[r];
        v_credit := v_credit - p_totals[r];
        v_reserved := v_reserved + p_totals[r];
        v_accepted := v_accepted + p_counts[r];
        if v_interval is not null then
          b.rate_limit_until := v_now_until + v_needed;
        end if;
        if p_keys[r] is not null then
          insert into idempotency_key values (p_account_id, p_keys[r], p_fingerprints[r], v_firsts[r], p_counts[r], v_now);
        end if;
        if p_counts[r] > 1 then
          v_is_bulk := true;
          insert into dispatch_backlog (account_id, lane, first_sequence, last_sequence)
          values (p_account_id, 1, v_firsts[r], v_sequence);
        end if;
      end if;
      v_availables[r] := v_credit - b.credit_limit;
      v_offset := v_offset + p_counts[r];
    end loop;

    if v_accepted > 0 then
      insert into message_order (id, account_id, sequence, recipient, destination, message, extended, segments,
                                 price, amount, valid_until, due_at, created_at)
      select m.id, p_account_id, v_shifts[m.request] + m.n, m.recipient, m.destination, m.message, m.extended, m.segments,
             m.price, m.price, v_now + p_valid_for,
             case when p_counts[m.request] > 1 then due_in_backlog(v_now + p_valid_for) else v_now + p_sweep_after end, v_now
        from unnest(p_request, p_ids, p_recipients, p_destinations, p_messages, p_extended, p_segments, p_prices)
             with ordinality as m(request, id, recipient, destination, message, extended, segments, price, n)
       where v_inserts[m.request];
    end if;
  end if;

  if v_reserved > 0 then
    insert into journal_entry (account_id, entry, kind, debit, credit, amount, available_after,
                               first_sequence, last_sequence, order_count, created_at)
    values (p_account_id, b.last_entry + 1, 'reserve', 'available', 'reserved', v_reserved, v_credit - b.credit_limit,
            b.last_sequence + 1, v_sequence, v_accepted, v_now);
  end if;
  if v_accepted > 0 then
    update account_balance
       set reserved = reserved + v_reserved, last_sequence = v_sequence,
           last_entry = last_entry + case when v_reserved > 0 then 1 else 0 end,
           rate_limit_until = b.rate_limit_until
     where account_id = p_account_id;
  end if;
  if v_is_bulk then
    perform start_turns(array[p_account_id], 0);
  end if;
  if v_is_usual then
    return query
    select 'accepted', b.last_sequence + n, 1, v_credit - b.credit_limit, 0 from generate_series(1, v_accepted) n;
  else
    return query select * from unnest(v_verdicts, v_firsts, v_counts, v_availables, v_waits);
  end if;
end $$;
