-- Fills a database with messages that ended long ago, as the service would have left them: dense sequences, reserve
-- entries that cover them, captures and releases that they point at, deposits that paid for them, ids that are UUIDv7
-- of their time. Everything follows from the seed. `smsctl ledger verify` is clean when `finish` has run, and not
-- before.
--
-- Steps: plan (accounts and their sizes), plan_entries (what each group commit held, and the deposits that pay for it),
-- write_entries (journal and deposits), fill_slice (messages, a slice of time at a call), finish (balances). Several
-- sessions do their parts of the three in the middle.
-- The schema is there only while a fill is under way.
create schema bench_fill;

create unlogged table bench_fill.setting (
  seed        bigint not null,
  started_at  timestamptz not null,
  -- Of the first message, in milliseconds since 1970.
  from_ms     bigint not null,
  span_ms     bigint not null,
  carrier_id  integer not null
);
create unlogged table bench_fill.account_plan (
  account_id  bigint primary key,
  messages    bigint not null,
  -- Messages in a commit: small for who sends one by one, large for who sends batches.
  group_size  integer not null,
  groups      bigint not null,
  unit_price  bigint not null,
  part        integer not null
);
-- What each group commit held, with the deposit that came before it.
create unlogged table bench_fill.entry_plan (
  account_id       bigint not null,
  k                bigint not null,
  at_ms            bigint not null,
  first            bigint not null,
  last             bigint not null,
  reserved         bigint not null,
  captured         bigint not null,
  captures         integer not null,
  released         bigint not null,
  releases         integer not null,
  deposit          bigint not null,
  deposit_number   bigint not null,
  entry_before     bigint not null,
  available_before bigint not null
);

-- Of one message everything that is not its place. Bits of one hash, so that the plan and the rows agree.
create function bench_fill.draw(p_account_id bigint, p_sequence bigint, p_seed bigint) returns bigint
language sql immutable parallel safe as $$ select hashint8extended(p_sequence, p_account_id * 7919 + p_seed) $$;
create function bench_fill.segments(h bigint) returns smallint language sql immutable parallel safe as $$
  select (case when h & 1023 < 952 then 1 when h & 1023 < 1003 then 2 else 3 end)::smallint
$$;
create function bench_fill.is_failed(h bigint) returns boolean language sql immutable parallel safe as $$
  select (h >> 15) & 1023 between 990 and 1017
$$;

-- Sizes follow Zipf's law: the n-th largest account has 1/n of the largest one's messages.
create function bench_fill.plan(p_messages bigint, p_accounts integer, p_seed bigint, p_days integer, p_parts integer)
returns void language plpgsql as $$
declare
  v_now     timestamptz := clock_timestamp();
  v_tariff  bigint;
  v_carrier integer;
begin
  insert into tariff (name, currency) values ('filled-' || extract(epoch from v_now)::bigint, 'EUR')
    returning tariff_id into v_tariff;
  -- Removed already: no worker tries to bind to it.
  insert into carrier (name, host, port, system_id, password, removed_at)
  values ('filled', '127.0.0.1', 2775, 'filled', 'filled', v_now) returning carrier_id into v_carrier;
  insert into bench_fill.setting
  values (p_seed, v_now, (extract(epoch from v_now) * 1000)::bigint - p_days * 86400000::bigint,
          p_days * 86400000::bigint - 60000,
          v_carrier);
  with opened as (
    insert into account (name, currency, tariff_id, created_at)
    select 'Filled ' || v_tariff || '-' || n, 'EUR', v_tariff, v_now - make_interval(days => p_days + 1)
      from generate_series(1, p_accounts) n
    returning account_id
  ), ranked as (
    select account_id, row_number() over (order by hashint8extended(account_id, p_seed)) as rank from opened
  ), sized as (
    select account_id, rank,
           greatest(1, floor(p_messages / rank / sum(1.0 / rank) over ()))::bigint as n from ranked
  ), exact as (
    select account_id, rank, n + case when rank = 1 then greatest(0, p_messages - sum(n) over ()) else 0 end as n
      from sized
  )
  insert into bench_fill.account_plan
  select account_id, n, size, (n + size - 1) / size, 40000 + account_id % 50 * 1000, rank % p_parts
    from exact cross join lateral (select (array[1000, 50, 10, 3])[rank % 4 + 1] as size) g;
  insert into credit_limit_change (account_id, after_entry, credit_limit, set_at)
  select account_id, 0, 0, v_now - make_interval(days => p_days + 1) from bench_fill.account_plan;
end $$;

-- Every two hundred groups a deposit pays for them, rounded up to whole units, so that the balance is never below 0.
create function bench_fill.plan_entries(p_part integer) returns void language sql as $$
  insert into bench_fill.entry_plan
  with commit_group as (
    select a.account_id, g.k,
           s.from_ms + ((g.k + 0.2 + 0.6 * (hashint8extended(g.k, a.account_id) & 1023) / 1024.0)
                        / a.groups * s.span_ms)::bigint as at_ms,
           g.first, g.last, g.price as reserved, g.price - g.released as captured, g.n - g.releases as captures,
           g.released, g.releases
      from bench_fill.account_plan a cross join bench_fill.setting s
      cross join lateral (
        select m.k, min(m.n) as first, max(m.n) as last, sum(m.price)::bigint as price, count(*)::integer as n,
               coalesce(sum(m.price) filter (where m.failed), 0)::bigint as released,
               (count(*) filter (where m.failed))::integer as releases
          from (select n, (n - 1) / a.group_size as k, bench_fill.segments(h) * a.unit_price as price,
                       bench_fill.is_failed(h) as failed
                  from generate_series(1, a.messages) n
                 cross join lateral (select bench_fill.draw(a.account_id, n, s.seed) as h offset 0) d) m
         group by m.k) g
     where a.part = p_part
  )
  select g.account_id, g.k, g.at_ms, g.first, g.last, g.reserved, g.captured, g.captures, g.released, g.releases,
         case when g.k % 200 = 0 then g.paid else 0 end, g.k / 200 + 1, coalesce(sum(g.entries) over w, 0)::bigint,
         coalesce(sum(case when g.k % 200 = 0 then g.paid else 0 end - g.reserved + g.released) over w, 0)::bigint
    from (select g.*,
                 (ceil(sum(g.reserved) over (partition by g.account_id, g.k / 200) / 1000000.0)
                   * 1000000)::bigint as paid,
                 (g.k % 200 = 0)::integer + 1 + (g.captures > 0)::integer + (g.releases > 0)::integer as entries
            from commit_group g) g
  window w as (partition by g.account_id order by g.k rows between unbounded preceding and 1 preceding)
$$;

create function bench_fill.write_entries(p_part integer) returns void language plpgsql as $$
begin
  insert into deposit (account_id, deposit_number, kind, amount, currency, account_amount, created_at)
  select account_id, deposit_number, 'deposit', deposit, 'EUR', deposit, to_timestamp((at_ms - 1000) / 1000.0)
    from bench_fill.entry_plan join bench_fill.account_plan a using (account_id)
   where deposit > 0 and a.part = p_part order by at_ms;

  insert into journal_entry (account_id, entry, kind, debit, credit, amount, available_after, first_sequence,
                             last_sequence, order_count, deposit_number, created_at)
  select e.account_id, e.entry_before + v.n, v.kind, v.debit, v.credit, v.amount, v.available_after, v.first, v.last,
         v.orders,
         v.deposit_number, to_timestamp((e.at_ms + v.delay_ms) / 1000.0)
    from bench_fill.entry_plan e
    join bench_fill.account_plan a on a.account_id = e.account_id and a.part = p_part
    cross join lateral (select (e.deposit > 0)::integer as d, (e.captures > 0)::integer as c,
                               e.available_before + e.deposit as available) x
    cross join lateral (values
      (1, 'deposit'::entry_kind, 'funding'::ledger_bucket, 'available'::ledger_bucket, e.deposit, x.available,
       null::bigint, null::bigint, null::integer, e.deposit_number, -1000),
      (x.d + 1, 'reserve', 'available', 'reserved', e.reserved, x.available - e.reserved,
       e.first, e.last, (e.last - e.first + 1)::integer, null, 0),
      (x.d + 2, 'capture', 'reserved', 'captured', e.captured, x.available - e.reserved, null, null, e.captures,
       null, 1000),
      (x.d + x.c + 2, 'release', 'reserved', 'available', e.released, x.available - e.reserved + e.released,
       null, null, e.releases, null, 1000)
    ) v(n, kind, debit, credit, amount, available_after, first, last, orders, deposit_number, delay_ms)
   where v.amount > 0
   order by e.at_ms;

  insert into idempotency_key (account_id, key, fingerprint, first_sequence, order_count, created_at)
  select e.account_id, 'filled-' || e.k, sha256(int8send(e.k)), e.first, e.last - e.first + 1,
         to_timestamp(e.at_ms / 1000.0)
    from bench_fill.entry_plan e join bench_fill.account_plan a using (account_id) cross join bench_fill.setting s
   where a.part = p_part and a.group_size = 1000 and e.at_ms > s.from_ms + s.span_ms - 86400000;
end $$;

-- The messages of a slice of time, in the order of their time, as they would have been written.
create function bench_fill.fill_slice(p_slice integer, p_slices integer) returns bigint language plpgsql as $$
declare
  v_from  bigint;
  v_to    bigint;
  v_count bigint;
begin
  select s.from_ms + s.span_ms * p_slice / p_slices, s.from_ms + s.span_ms * (p_slice + 1) / p_slices into v_from, v_to
    from bench_fill.setting s;
  create temp table slice on commit drop as
  select (lpad(to_hex(e.at_ms), 12, '0') || '7' || substr(m.md5, 1, 3) || substr('89ab', 1 + (d.h & 3)::integer, 1)
          || substr(m.md5, 4, 15))::uuid as id,
         e.account_id, n as sequence, t.at, d.h, p.segments, (d.h >> 10) & 31 = 0 as extended,
         p.segments * a.unit_price as price,
         '49151' || lpad(((d.h >> 25) & 8388607)::text, 7, '0') as destination,
         case when (d.h >> 40) & 255 = 0 and (d.h >> 15) & 1023 < 960
              and t.at > s.started_at - interval '1 day' then 'sent'
              when (d.h >> 15) & 1023 < 960 then 'delivered' when (d.h >> 15) & 1023 < 990 then 'undelivered'
              when (d.h >> 15) & 1023 < 1018 then 'failed' else 'unknown' end::order_state as state,
         e.entry_before + (e.deposit > 0)::integer + 2 as capture_entry,
         e.entry_before + (e.deposit > 0)::integer + (e.captures > 0)::integer + 2 as release_entry,
         s.carrier_id
    from bench_fill.entry_plan e
    join bench_fill.account_plan a using (account_id)
    cross join bench_fill.setting s
    cross join lateral generate_series(e.first, e.last) n
    cross join lateral (select bench_fill.draw(e.account_id, n, s.seed) as h offset 0) d
    cross join lateral (select md5(e.account_id || '.' || n || '.' || s.seed) as md5 offset 0) m
    cross join lateral (select bench_fill.segments(d.h) as segments offset 0) p
    cross join lateral (select to_timestamp(e.at_ms / 1000.0) as at offset 0) t
   where e.at_ms >= v_from and e.at_ms < v_to
   order by e.at_ms, e.account_id, n;
  get diagnostics v_count = row_count;

  insert into message_order (id, account_id, sequence, recipient, destination, message, extended, segments, price,
                             amount, state, epoch, attempts, owner, carrier_id, carrier_code, valid_until, due_at,
                             sent_at, final_at, capture_entry, release_entry, created_at)
  select id, account_id, sequence, '+' || destination, destination,
         case when extended then left(repeat('Ваш код 4711, він дійсний десять хвилин. ', 4), 60 + 45 * (segments - 1))
              else left(repeat('Your code is 4711. It is valid for ten minutes. Please tell it to nobody. ', 6),
                        case segments when 1 then 60 + ((h >> 35) & 63)::integer when 2 then 200 else 400 end) end,
         extended, segments, price, case when state = 'failed' then 0 else price end, state, 1, 1, 'worker-filled',
         carrier_id,
         case state when 'delivered' then 'DELIVRD' when 'undelivered' then 'UNDELIV'
              when 'failed' then 'ESME_RINVDSTADR'
                    when 'unknown' then 'NO_RECEIPT' end,
         at + interval '1 day', case when state = 'sent' then at + interval '3 days' end,
         case when state <> 'failed' then at + interval '1 second' end,
         case when state <> 'sent' then at + interval '3 seconds' end,
         case when state <> 'failed' then capture_entry end, case when state = 'failed' then release_entry end, at
    from slice;

  insert into order_exception
  select account_id, state, sequence from slice where state in ('undelivered', 'failed', 'unknown');
  -- One message in four has a reference of its own, and a tag that a thousand messages in a row share.
  insert into order_label (account_id, sequence, reference, tag)
  select account_id, sequence, 'order-' || sequence, 'campaign-' || sequence / 1000 from slice where h & 3 = 0;

  insert into segment (message_id, position, state, epoch, carrier_id, carrier_message_id, carrier_code, submitted_at,
                       accepted_at, settled_at)
  select id, n,
         case state when 'sent' then 'accepted' when 'failed' then 'refused' else state::text end::segment_state,
         1, carrier_id,
         case when state <> 'failed' then to_hex(h + n) end,
         case state when 'delivered' then 'DELIVRD' when 'undelivered' then 'UNDELIV'
              when 'failed' then 'ESME_RINVDSTADR' end,
         at + interval '500 milliseconds', case when state <> 'failed' then at + interval '600 milliseconds' end,
         case when state in ('delivered', 'undelivered') then at + interval '3 seconds' end
    from slice cross join lateral generate_series(1, segments) n;

  insert into order_transition (message_id, at, from_state, to_state, actor, carrier_code)
  select id, at + v.after, v.from_state, v.to_state, v.actor, null
    from slice s
    cross join lateral (values
      (interval '500 milliseconds', 'queued'::order_state, 'sending'::order_state, 'worker'),
      (interval '1 second', 'sending', case when s.state = 'failed' then s.state else 'sent' end, 'worker'),
      (interval '3 seconds', 'sent', s.state, case when s.state = 'unknown' then 'reconciler' else 'receipt' end)
    ) v(after, from_state, to_state, actor)
   where v.from_state <> 'sent' or s.state not in ('sent', 'failed');
  drop table slice;
  return v_count;
end $$;

create function bench_fill.finish() returns void language plpgsql as $$
begin
  insert into account_balance (account_id, deposited, captured, last_sequence, last_deposit, last_entry)
  select account_id, sum(deposit), sum(captured), max(last), max(deposit_number),
         max(entry_before + (deposit > 0)::integer + 1 + (captures > 0)::integer + (releases > 0)::integer)
    from bench_fill.entry_plan group by account_id;
end $$;
