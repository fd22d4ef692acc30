-- Accepts requests of many accounts that arrived together: one call, one commit (group commit).
--
-- The requests of an account stand together, in the order of their arrival, and the accounts in the order of their ids.
-- A row comes back only for a request that is not simply accepted: no row means accepted. If the account has a rate
--   limit, every request that is judged has a row, with ahead_ms: how far its messages are ahead of their pace, after
--   this request. One that an earlier call has accepted (p_again) is not judged.
--
-- Guarantees: a request is accepted whole or refused whole, and is judged by the balance that the account's requests
--   before it left. A key that was seen replays. An account's sequences are dense. Orders, keys, backlog rows, one
--   journal entry for each account and the balance rows are one transaction.
-- p_totals, p_prices: the largest bigint stands for what is larger than any; nobody can pay it.
-- p_fingerprints: 32 bytes, as they are stored; another 32 behind them are of a row that an earlier setting wrote.
-- p_waits: the orders wait in the backlog of their account, and are due when their validity ends. All others go on a
--   queue, and are due within p_sweep_after, or are scheduled.
-- p_unique: null for a request whose messages have neither reference nor tag; true: it is refused when an earlier
--   message of the account has one of its references.
-- p_batches: the id of each request that is a batch.
-- p_send_ats, p_validities, p_senders: null for a message without such a wish. A message with a time is scheduled: it
--   is neither on a queue nor in a backlog, but in the schedule (order_schedule). Its validity begins at that time.
-- An array of what clients may ask for (from p_keys to p_batches, from p_references to p_senders) is empty if it would
--   be full of nulls.
-- p_guard_versions: of the account's guards by which the gateway has judged each request; another one is answered by
--   `guards_changed`. p_day_maxima, p_month_maxima: what a day and a month (UTC) may cost; null: no cap.
-- p_hashes: of the numbers, where the account has a suppression list. p_counted_*: what is counted in this hour, by
--   request; `max` is what the database may count of it. All these arrays are empty when no request has any: then
--   nothing is done. `positions`: of the suppressed messages in their request, or of the keys that are over their max.
-- Locks: the balance rows of all accounts first, in the order of their ids, so calls cannot wait for each other in a
--   circle. For orders that wait also the account's place in the run queue, in the same order.
-- A row that another transaction holds: the call fails after 150 ms (lock_timeout) and has changed nothing. With
--   p_skip_held it passes over such accounts and answers `held` for their requests.
-- p_again: an earlier call with some of these ids was cut off and may have committed. That transaction held the balance
--   rows, so it is over once they are locked here, and looking the ids up answers exactly.
--
-- One loop judges every request (ADR 27). With hash joins the plan would read every balance row, so they are off.
create or replace function accept_messages(
  p_accounts bigint[], p_again boolean, p_skip_held boolean, p_valid_for interval, p_sweep_after interval,
  -- Of each request, as p_accounts.
  p_totals bigint[], p_counts integer[], p_waits boolean[], p_keys text[], p_fingerprints bytea[],
  p_unique boolean[], p_batches uuid[],
  -- Of each message.
  p_request integer[], p_ids uuid[], p_recipients text[], p_destinations text[], p_messages text[],
  p_extended boolean[], p_segments smallint[], p_prices bigint[], p_references text[], p_tags text[],
  p_send_ats timestamptz[], p_validities integer[], p_senders text[],
  p_guard_versions integer[] default '{}', p_day_maxima bigint[] default '{}', p_month_maxima bigint[] default '{}',
  p_hashes bytea[] default '{}',
  p_counted_requests integer[] default '{}', p_counted_keys bytea[] default '{}', p_counted integer[] default '{}',
  p_counted_maxima integer[] default '{}'
) returns table (
  request integer, verdict text, first_sequence bigint, order_count integer, available bigint, retry_after_ms integer,
  ahead_ms double precision, positions integer[]
)
language plpgsql
set enable_seqscan = off set jit = off set enable_hashjoin = off set enable_mergejoin = off
set plan_cache_mode = force_generic_plan
set lock_timeout = '150ms' as $$
declare
  c_too_much    constant bigint := 9223372036854775807;
  b             record;
  v_locked      bigint[];
  v_now         timestamptz;
  v_second      constant interval := interval '1 second';
  v_needed      interval;
  v_from        timestamptz;
  v_until       timestamptz;
  -- What is left of the account's credit, and what this call has accepted of it.
  v_credit      bigint;
  v_spent       bigint;
  v_sequence    bigint;
  r             integer := 1;
  v_offset      integer := 0;
  v_today       date;
  v_tomorrow    date;
  v_month       date;
  v_month_end   date;
  v_suppressed  integer[];
  -- The keys that request r counts are those from v_key to v_key_end - 1.
  v_key         integer := 1;
  v_key_end     integer := 1;
  -- Message n of the call, in request r, gets the sequence v_shifts[r] + n; null where r is not accepted here.
  v_shifts      bigint[] := '{}';
  -- Rows of backlogs: ranges of sequences.
  w             integer := 0;
  v_waiting     bigint[] := '{}';
  v_lanes       smallint[] := '{}';
  v_firsts      bigint[] := '{}';
  v_ends        bigint[] := '{}';
  -- Per account that has accepted something: its entry, which is not written if its amount is 0.
  e             journal_entry;
  v_entries     journal_entry[] := '{}';
  v_untils      timestamptz[] := '{}';
begin
  if p_skip_held then
    v_locked := array(select ab.account_id from account_balance ab where ab.account_id = any(p_accounts)
                       order by ab.account_id for update skip locked);
  else
    perform from account_balance ab where ab.account_id = any(p_accounts) order by ab.account_id for update;
  end if;
  v_now := clock_timestamp();
  v_today := (v_now at time zone 'UTC')::date;
  v_tomorrow := v_today + 1;
  v_month := date_trunc('month', v_today);
  v_month_end := greatest(v_tomorrow, (v_month + interval '1 month')::date - 1);
  if cardinality(p_hashes) > 0 then
    v_suppressed := suppressed_messages(p_hashes, p_accounts, p_request);
  end if;

  -- A statement of its own: it sees what was committed while the locks were waited for.
  for b in
    select ab.account_id, ab.deposited - ab.reserved - ab.captured + ab.credit_limit as credit, ab.credit_limit,
           ab.last_sequence, ab.last_entry, ab.rate_limit_until, a.balance_alert, a.guard_version,
           make_interval(secs => 1.0 / a.rate_limit_per_second) as pace,
           -- A later day than tomorrow was stored while the clock of the database was ahead; that count is over.
           case when ab.spent_on between v_today and v_tomorrow then ab.spent_day else 0 end as spent_day,
           case when ab.spent_on between v_month and v_month_end then ab.spent_month else 0 end as spent_month,
           -- Why none of its requests is accepted: 'held', 'suspended' or 'closed'.
           case when p_skip_held and ab.account_id <> all(v_locked) then 'held'
                when a.status <> 'active' then a.status end as refusal
      from account_balance ab join account a using (account_id)
     where ab.account_id = any(p_accounts) order by ab.account_id
  loop
    v_credit := b.credit;
    v_sequence := b.last_sequence;
    v_until := b.rate_limit_until;
    -- A time further ahead was stored then too: no batch has more than 10,000 messages (BATCH_MESSAGES_MAX).
    if v_until > v_now + v_second + b.pace * 10000 then
      v_until := v_now;
    end if;

    while p_accounts[r] = b.account_id loop
      -- A look-up that finds nothing leaves it null.
      verdict := b.refusal;
      if p_again and verdict is distinct from 'held' then
        perform from message_order o where o.id = p_ids[v_offset + 1];
        verdict := case when found then 'accepted' else verdict end;
      end if;
      if verdict is null and p_keys[r] is not null then
        select case when k.fingerprint in (substr(p_fingerprints[r], 1, 32), substr(p_fingerprints[r], 33))
                    then 'replayed' else 'key_reused' end, k.first_sequence, k.order_count
          into verdict, first_sequence, order_count
          from idempotency_key k where k.account_id = b.account_id and k.key = p_keys[r];
      end if;
      if verdict is null and p_unique[r] then
        select 'reference_used' into verdict from order_label l
         where l.account_id = b.account_id
           and l.reference = any(p_references[v_offset + 1 : v_offset + p_counts[r]]);
      end if;
      if verdict is null and p_guard_versions[r] <> b.guard_version then
        verdict := 'guards_changed';
      end if;
      if verdict is null and v_suppressed is not null then
        select 'opted_out', array_agg(s.m - v_offset - 1 order by s.m) into verdict, positions
          from unnest(v_suppressed) as s(m) where s.m > v_offset and s.m <= v_offset + p_counts[r] having count(*) > 0;
      end if;
      while p_counted_requests[v_key_end] = r loop
        v_key_end := v_key_end + 1;
      end loop;
      if verdict is null and v_key < v_key_end then
        positions := keys_over_max(b.account_id, date_trunc('hour', v_now, 'UTC'),
                                   p_counted_keys[v_key : v_key_end - 1],
                                   p_counted[v_key : v_key_end - 1], p_counted_maxima[v_key : v_key_end - 1]);
        verdict := case when positions is not null then 'velocity' end;
      end if;
      if verdict is null and b.pace is not null then
        -- GCRA (ITU-T I.371) with a burst of one second, counted by message: exact over all gateways, because the row
        -- is locked. More than a second's worth at once is taken when nothing was sent for as long as the limit asks;
        -- the next send then waits until the rate is kept on average. Only what is accepted counts.
        v_from := greatest(v_until, v_now);
        v_needed := b.pace * p_counts[r];
        if v_from + v_needed > v_now + v_second + b.pace / 2
           and (v_from > v_now or v_needed <= v_second + b.pace / 2) then
          verdict := 'rate_limited';
          retry_after_ms := ceil(extract(epoch from v_from + least(v_needed, v_second) - v_now - v_second) * 1000);
        end if;
      end if;
      if verdict is null then
        v_spent := b.credit - v_credit;
        verdict := case when p_totals[r] > p_day_maxima[r] - (b.spent_day + v_spent) then 'spend_day'
                        when p_totals[r] > p_month_maxima[r] - (b.spent_month + v_spent) then 'spend_month'
                        when p_totals[r] > v_credit or p_totals[r] = c_too_much then 'insufficient_balance' end;
      end if;

      if verdict is null then
        v_shifts[r] := v_sequence - v_offset;
        v_credit := v_credit - p_totals[r];
        if b.pace is not null then
          v_until := v_from + v_needed;
        end if;
        if v_key < v_key_end then
          perform count_keys(b.account_id, date_trunc('hour', v_now, 'UTC'), p_counted_keys[v_key : v_key_end - 1],
                             p_counted[v_key : v_key_end - 1]);
        end if;
        if p_keys[r] is not null then
          insert into idempotency_key
          values (b.account_id, p_keys[r], substr(p_fingerprints[r], 1, 32), v_sequence + 1, p_counts[r], v_now);
        end if;
        if p_unique[r] is not null then
          insert into order_label (account_id, sequence, reference, tag)
          select b.account_id, v_sequence + m, p_references[v_offset + m], p_tags[v_offset + m]
            from generate_series(1, p_counts[r]) m
           where p_references[v_offset + m] is not null or p_tags[v_offset + m] is not null;
        end if;
        if p_batches[r] is not null then
          perform begin_batch(p_batches[r], b.account_id, v_sequence + 1, p_counts[r]);
        end if;
        if p_waits[r] then
          -- Single messages in a row are one range.
          if p_counts[r] > 1 or w = 0 or v_waiting[w] <> b.account_id or v_lanes[w] = 1 or v_ends[w] <> v_sequence then
            w := w + 1;
            v_waiting[w] := b.account_id;
            v_lanes[w] := (p_counts[r] > 1)::integer;
            v_firsts[w] := v_sequence + 1;
          end if;
          v_ends[w] := v_sequence + p_counts[r];
        end if;
        v_sequence := v_sequence + p_counts[r];
      end if;
      -- What is 'accepted' here was so by an earlier call, and has no row.
      if coalesce(verdict <> 'accepted', b.pace is not null) then
        request := r;
        verdict := coalesce(verdict, 'accepted');
        available := case verdict when 'spend_day' then b.spent_day + v_spent
                                  when 'spend_month' then b.spent_month + v_spent
                                  else v_credit - b.credit_limit end;
        ahead_ms := case when b.pace is not null then extract(epoch from greatest(v_until, v_now) - v_now) * 1000 end;
        return next;
        first_sequence := null;
        order_count := null;
        retry_after_ms := null;
        positions := null;
      end if;
      v_key := v_key_end;
      v_offset := v_offset + p_counts[r];
      r := r + 1;
    end loop;

    if v_sequence > b.last_sequence then
      e.account_id := b.account_id;
      e.entry := b.last_entry + (v_credit < b.credit)::integer;
      e.amount := b.credit - v_credit;
      e.available_after := v_credit - b.credit_limit;
      e.first_sequence := b.last_sequence + 1;
      e.last_sequence := v_sequence;
      if b.balance_alert > e.available_after and b.balance_alert <= e.available_after + e.amount then
        perform write_balance_low(b.account_id, e.available_after + e.amount, e.available_after);
      end if;
      v_entries := v_entries || e;
      v_untils := v_untils || v_until;
    end if;
  end loop;
  if r <= cardinality(p_accounts) then
    raise exception 'request % is of an account that does not exist, or does not stand in the order of accounts', r;
  end if;
  if cardinality(v_entries) = 0 then
    return;
  end if;

  insert into message_order (id, account_id, sequence, recipient, destination, message, extended, segments,
                             price, amount, state, send_at, sender, validity_seconds, valid_until, due_at, created_at)
  select p_ids[m], p_accounts[p_request[m]], v_shifts[p_request[m]] + m,
         p_recipients[m], p_destinations[m], p_messages[m], p_extended[m], p_segments[m], p_prices[m], p_prices[m],
         case when p_send_ats[m] is null then 'queued' else 'scheduled' end::order_state, p_send_ats[m], p_senders[m],
         p_validities[m], w.valid_until,
         case when p_send_ats[m] is not null then null
              when p_waits[p_request[m]] then w.valid_until
              else least(w.valid_until, v_now + p_sweep_after) end, v_now
    from generate_series(1, cardinality(p_ids)) m
   cross join lateral (select coalesce(p_send_ats[m], v_now)
                              + coalesce(make_interval(secs => p_validities[m]), p_valid_for) as valid_until) w
   where v_shifts[p_request[m]] is not null;
  if cardinality(p_send_ats) > 0 then
    perform schedule_orders(array_agg(p_accounts[p_request[m]]), array_agg(v_shifts[p_request[m]] + m),
                            array_agg(p_send_ats[m]), array_agg((p_counts[p_request[m]] > 1)::integer::smallint))
       from generate_series(1, cardinality(p_ids)) m
      where v_shifts[p_request[m]] is not null and p_send_ats[m] is not null;
  end if;
  insert into journal_entry (account_id, entry, kind, debit, credit, amount, available_after,
                             first_sequence, last_sequence, order_count, created_at)
  select a.account_id, a.entry, 'reserve', 'available', 'reserved', a.amount, a.available_after,
         a.first_sequence, a.last_sequence, a.last_sequence - a.first_sequence + 1, v_now
    from unnest(v_entries) a where a.amount > 0;
  update account_balance ab
     set reserved = ab.reserved + a.amount, last_sequence = a.last_sequence, last_entry = a.entry,
         rate_limit_until = v_untils[a.ordinality],
         spent_on = case when ab.spent_on between v_today and v_tomorrow then ab.spent_on else v_today end,
         spent_day = case when ab.spent_on between v_today and v_tomorrow then ab.spent_day else 0 end + a.amount,
         spent_month = case when ab.spent_on between v_month and v_month_end then ab.spent_month else 0 end
                       + a.amount,
         spent_day_after = case when ab.spent_on between v_today and v_tomorrow then ab.spent_day_after
                                else a.first_sequence - 1 end,
         spent_month_after = case when ab.spent_on between v_month and v_month_end then ab.spent_month_after
                                  else a.first_sequence - 1 end
    from unnest(v_entries) with ordinality a where ab.account_id = a.account_id;
  if w > 0 then
    insert into dispatch_backlog (account_id, carrier_id, lane, first_sequence, last_sequence)
    select u.account_id, carrier_of_account(u.account_id, 0), u.lane, u.first_sequence, u.last_sequence
      from unnest(v_waiting, v_lanes, v_firsts, v_ends) as u(account_id, lane, first_sequence, last_sequence);
    perform enter_run_queue(v_waiting, 0);
  end if;
end $$;
