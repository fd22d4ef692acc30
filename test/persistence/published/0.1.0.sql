SET statement_timeout = 0;
SET lock_timeout = 0;
SET idle_in_transaction_session_timeout = 0;
SET client_encoding = 'UTF8';
SET standard_conforming_strings = on;
SELECT pg_catalog.set_config('search_path', '', false);
SET check_function_bodies = false;
SET xmloption = content;
SET client_min_messages = warning;
SET row_security = off;
CREATE TYPE public.entry_kind AS ENUM (
    'deposit',
    'reserve',
    'capture',
    'release',
    'refund',
    'adjust'
);
CREATE TYPE public.ledger_bucket AS ENUM (
    'funding',
    'available',
    'reserved',
    'captured'
);
CREATE TYPE public.order_state AS ENUM (
    'queued',
    'sending',
    'sent',
    'delivered',
    'undelivered',
    'failed',
    'unknown'
);
CREATE TYPE public.segment_state AS ENUM (
    'pending',
    'submitting',
    'accepted',
    'in_doubt',
    'refused',
    'delivered',
    'undelivered',
    'unknown'
);
CREATE FUNCTION public.accept_messages(p_account_id bigint, p_again boolean, p_valid_for interval, p_sweep_after interval, p_totals bigint[], p_counts integer[], p_keys text[], p_fingerprints bytea[], p_request integer[], p_ids uuid[], p_recipients text[], p_destinations text[], p_messages text[], p_extended boolean[], p_segments smallint[], p_prices bigint[]) RETURNS TABLE(verdict text, first_sequence bigint, order_count integer, available bigint, retry_after_ms integer)
    LANGUAGE plpgsql
    SET enable_seqscan TO 'off'
    SET plan_cache_mode TO 'force_generic_plan'
    AS $$
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
        v_verdicts[r] := 'suspended';
      end if;
      if v_verdicts[r] is null and p_keys[r] is not null then
        select k.* into v_known from idempotency_key k where k.account_id = p_account_id and k.key = p_keys[r];
        if found then
          v_verdicts[r] := case when v_known.fingerprint = p_fingerprints[r] then 'replayed' else 'key_reused' end;
          v_firsts[r] := v_known.first_sequence; v_counts[r] := v_known.order_count;
        end if;
      end if;
      if v_verdicts[r] is null and v_interval is not null then
        -- GCRA (ITU-T I.371) with a burst of one second: exact over all gateways, because the row is locked.
        b.rate_limit_until := greatest(b.rate_limit_until, v_now);
        if b.rate_limit_until + v_interval > v_now + interval '1 second' + v_interval / 2 then
          v_verdicts[r] := 'rate_limited';
          v_waits[r] := ceil(extract(epoch from b.rate_limit_until + v_interval - v_now - interval '1 second') * 1000);
        else
          b.rate_limit_until := b.rate_limit_until + v_interval;
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
  if v_accepted > 0 or v_interval is not null then
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
CREATE FUNCTION public.active_hold(OUT hold_id bigint, OUT held_before timestamp with time zone) RETURNS record
    LANGUAGE plpgsql
    AS $$
declare
  v_state record;
begin
  select (select k.xmin::text || ' ' || k.noticed_at from database_identity k) || ' ' || 'message_order'::regclass::oid as identity,
         h.hold_id, h.held_before
    into v_state
    from (values (true)) as always(there) left join dispatch_hold h on h.released_at is null;
  if v_state.identity is distinct from current_setting('heliograph.database_identity', true) or v_state.identity is null then
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
CREATE FUNCTION public.assign_concatenation_references(p_ids uuid[]) RETURNS TABLE(id uuid, concatenation_reference smallint)
    LANGUAGE plpgsql
    SET enable_seqscan TO 'off'
    SET plan_cache_mode TO 'force_generic_plan'
    AS $$
begin
  return query
  with wanted as (
    select o.id, o.destination, row_number() over (partition by o.destination order by o.id) as turn
      from message_order o
     where o.id = any(p_ids) and o.concatenation_reference is null
  ), counted as (
    select w.destination, count(*) as n from wanted w group by w.destination order by w.destination
  ), counter as (
    insert into concatenation_counter as c (destination, last)
    select k.destination, (k.n - 1) % 256 from counted k
    on conflict (destination) do update set last = (c.last + excluded.last + 1) % 256, used_at = now()
    returning c.destination, c.last
  ), given as (
    update message_order o
       set concatenation_reference = (c.last - k.n + w.turn + 65536) % 256
      from wanted w join counter c on c.destination = w.destination join counted k on k.destination = w.destination
     where o.id = w.id
    returning o.id, o.concatenation_reference
  )
  select g.id, g.concatenation_reference from given g;
end $$;
CREATE FUNCTION public.claim_orders(p_ids uuid[], p_worker text, p_carrier_id integer, p_lease interval, p_whole boolean) RETURNS TABLE(id uuid, epoch integer, destination text, message text, extended boolean, segments smallint, concatenation_reference smallint, open_positions smallint[], sender text, belongs_to integer)
    LANGUAGE plpgsql
    SET enable_seqscan TO 'off'
    SET enable_hashjoin TO 'off'
    SET enable_mergejoin TO 'off'
    SET plan_cache_mode TO 'force_generic_plan'
    AS $$
#variable_conflict use_column
declare
  v_hold  record;
  v_fresh uuid[];
  v_again uuid[];
begin
  select * into v_hold from active_hold();
  select array_agg(l.id) filter (where l.attempts = 0), array_agg(l.id) filter (where l.attempts > 0)
    into v_fresh, v_again
    from (select o.id, o.attempts from message_order o
           where o.id = any(p_ids) and o.state = 'queued' and o.valid_until > now()
             and (o.next_attempt_at is null or o.next_attempt_at <= now())
             and (o.created_at >= v_hold.held_before or o.cleared_hold = v_hold.hold_id)
           order by o.id
             for update) l;
  if v_fresh is not null then
    insert into segment (message_id, position, state, epoch, carrier_id, whole, submitted_at)
    select i, 1, 'submitting', 1, p_carrier_id, p_whole, now() from unnest(v_fresh) i;
    insert into order_transition (message_id, at, from_state, to_state, actor)
    select i, now(), 'queued', 'sending', 'worker' from unnest(v_fresh) i;
    return query
    update message_order o
       set state = 'sending', owner = p_worker, epoch = 1, attempts = 1, carrier_id = p_carrier_id, lease_until = now() + p_lease,
           due_at = least(o.due_at, now() + p_lease + interval '1 minute')
      from account a
     where o.id = any(v_fresh) and a.account_id = o.account_id
    returning o.id, o.epoch, o.destination, o.message, o.extended, o.segments, o.concatenation_reference,
              case when o.segments = 1 or p_whole then array[1::smallint]
                   else array(select p::smallint from generate_series(1, o.segments) p) end,
              a.sender, null::integer;
  end if;
  if v_again is not null then
    return query select * from claim_orders_again(v_again, p_worker, p_carrier_id, p_lease, p_whole);
  end if;
end $$;
CREATE FUNCTION public.claim_orders_again(p_ids uuid[], p_worker text, p_carrier_id integer, p_lease interval, p_whole boolean) RETURNS TABLE(id uuid, epoch integer, destination text, message text, extended boolean, segments smallint, concatenation_reference smallint, open_positions smallint[], sender text, belongs_to integer)
    LANGUAGE plpgsql
    SET enable_seqscan TO 'off'
    SET enable_hashjoin TO 'off'
    SET enable_mergejoin TO 'off'
    SET plan_cache_mode TO 'force_generic_plan'
    AS $$
begin
  return query
  with elsewhere as materialized (
    select s.message_id as id, max(s.carrier_id) as carrier_id
      from segment s
      join carrier c on c.carrier_id = s.carrier_id and c.removed_at is null
     where s.message_id = any(p_ids) and s.state in ('accepted', 'delivered', 'undelivered', 'unknown')
       and (p_whole or s.carrier_id <> p_carrier_id)
     group by s.message_id
  ), claimed as (
    update message_order o
       set state = 'sending', owner = p_worker, epoch = o.epoch + 1, attempts = o.attempts + 1,
           carrier_id = p_carrier_id, lease_until = now() + p_lease,
           due_at = least(o.due_at, now() + p_lease + interval '1 minute')
     where o.id = any(p_ids) and o.id not in (select e.id from elsewhere e)
    returning o.id, o.account_id, o.epoch, o.destination, o.message, o.extended, o.segments, o.concatenation_reference
  ), logged as (
    insert into order_transition (message_id, at, from_state, to_state, actor)
    select c.id, now(), 'queued', 'sending', 'worker' from claimed c
  ), open as (
    select c.id, c.epoch, c.destination,
           case when p_whole then array[1::smallint]
                else (select array_agg(p::smallint order by p) from generate_series(1, c.segments) p
                       where not exists (select from segment s where s.message_id = c.id and s.position = p
                                            and s.state not in ('pending', 'in_doubt')))
           end as positions
      from claimed c
  ), doubted as (
    insert into doubtful_submit (message_id, position, carrier_id, destination, reference, submitted_at)
    select s.message_id, s.position, s.carrier_id, o.destination, segment_reference(s.message_id, s.position), s.submitted_at
      from open o join segment s on s.message_id = o.id and s.position = o.positions[1]
     where s.in_doubt_since is not null
    on conflict do nothing
  ), intended as (
    insert into segment as s (message_id, position, state, epoch, carrier_id, whole, submitted_at)
    select o.id, o.positions[1], 'submitting', o.epoch, p_carrier_id, p_whole, now() from open o where o.positions is not null
    on conflict (message_id, position) do update
       set state = 'submitting', epoch = excluded.epoch, carrier_id = excluded.carrier_id, whole = excluded.whole,
           attempt = s.attempt + 1,
           submitted_at = excluded.submitted_at, in_doubt_since = null, carrier_message_id = null, carrier_code = null
  )
  select c.id, c.epoch, c.destination, c.message, c.extended, c.segments, c.concatenation_reference, o.positions,
         a.sender, null::integer
    from claimed c join open o on o.id = c.id left join account a on a.account_id = c.account_id
   union all
  select e.id, 0, null, null, null, null, null, null, null, e.carrier_id from elsewhere e;
end $$;
CREATE FUNCTION public.conclude_orders(p_ids uuid[], p_epochs integer[], p_done boolean[], p_retry_after_ms integer[], p_codes text[], p_actor text, p_in_doubt_wait interval) RETURNS TABLE(id uuid, state public.order_state)
    LANGUAGE plpgsql
    SET enable_seqscan TO 'off'
    SET enable_hashjoin TO 'off'
    SET enable_mergejoin TO 'off'
    SET plan_cache_mode TO 'force_generic_plan'
    AS $$
begin
  perform lock_balances(p_ids);
  return query
  with asked as (
    select * from unnest(p_ids, p_epochs, p_done, p_retry_after_ms, p_codes) as a(id, epoch, done, retry_after_ms, code)
  ), judged as (
    select o.id, o.account_id, o.state as was, o.price, o.segments, a.done, a.retry_after_ms,
           -- Why it fails may have been said with an earlier answer than the one that ends it.
           coalesce(a.code, s.refused_code) as code, s.taken, s.in_doubt,
           case
             when o.state in ('sending', 'queued') and s.taken = o.segments then true
             else false
           end as now_sent,
           case
             when o.state = 'queued' and s.taken < o.segments then
               case when p_actor in ('reconciler', 'operator') or p_actor = 'worker' and a.epoch is null then 'failed'
                    else 'queued' end
             when o.state = 'sending' and s.taken < o.segments then
               case when not a.done then 'sending'
                    when s.open > 0 then 'sending'
                    when s.refused > 0 then 'failed'
                    else 'queued' end
             when o.state in ('queued', 'sending', 'sent', 'unknown', 'undelivered') and s.delivered = o.segments then 'delivered'
             when o.state in ('queued', 'sending', 'sent', 'unknown') and s.undelivered > 0 and s.taken = o.segments then 'undelivered'
             when o.state in ('queued', 'sending', 'sent') and s.unknown > 0 then 'unknown'
             when o.state in ('queued', 'sending') then 'sent'
             else o.state::text
           end::order_state as becomes
      from asked a
      join message_order o on o.id = a.id and (a.epoch is null or o.epoch = a.epoch)
      cross join lateral (
        select sum(case when g.whole then o.segments else 1 end)
                 filter (where g.state in ('accepted', 'delivered', 'undelivered', 'unknown')) as taken,
               sum(case when g.whole then o.segments else 1 end) filter (where g.state = 'delivered') as delivered,
               count(*) filter (where g.state = 'undelivered') as undelivered,
               count(*) filter (where g.state = 'unknown') as unknown,
               count(*) filter (where g.state = 'refused') as refused,
               max(g.carrier_code) filter (where g.state = 'refused') as refused_code,
               count(*) filter (where g.state = 'in_doubt') as in_doubt,
               count(*) filter (where g.state in ('in_doubt', 'submitting')) as open
          from segment g where g.message_id = o.id) g
      cross join lateral (
        select coalesce(g.taken, 0) as taken, coalesce(g.delivered, 0) as delivered, g.undelivered, g.unknown, g.refused,
               g.refused_code, g.in_doubt, g.open) s
  ), moves as (
    select j.*, j.price / j.segments * case when j.becomes = 'failed' then j.taken else j.segments end as kept
      from judged j
     where j.was <> j.becomes or (j.was = 'sending' and j.done)
  ), settled as (
    select m.*,
           m.now_sent and (m.becomes in ('delivered', 'undelivered') or m.was = 'queued' and m.becomes = 'unknown')
             as by_way_of_sent,
           case when m.was in ('queued', 'sending') and m.becomes in ('sent', 'delivered', 'undelivered', 'unknown') then m.price
                when m.was in ('queued', 'sending') and m.becomes = 'failed' then m.kept else 0 end as captures,
           case when m.was in ('queued', 'sending') and m.becomes = 'failed' then m.price - m.kept else 0 end as releases
      from moves m
  ), sums as (
    select z.account_id, sum(z.captures)::bigint as captured, count(*) filter (where z.captures > 0) as captures,
           sum(z.releases)::bigint as released, count(*) filter (where z.releases > 0) as releases
      from settled z group by z.account_id having sum(z.captures + z.releases) > 0
  ), balances as (
    update account_balance b
       set reserved = b.reserved - s.captured - s.released, captured = b.captured + s.captured,
           last_entry = b.last_entry + (s.captured > 0)::int + (s.released > 0)::int
      from sums s where b.account_id = s.account_id
    returning b.account_id, b.deposited - b.reserved - b.captured as available, s.captured, s.released, s.captures, s.releases,
              b.last_entry - (s.released > 0)::int as capture_entry, b.last_entry as release_entry
  ), journal as (
    insert into journal_entry (account_id, entry, kind, debit, credit, amount, available_after, order_count)
    select b.account_id, b.capture_entry, 'capture'::entry_kind, 'reserved'::ledger_bucket, 'captured'::ledger_bucket,
           b.captured, b.available - b.released, b.captures
      from balances b where b.captured > 0
    union all
    select b.account_id, b.release_entry, 'release', 'reserved', 'available', b.released, b.available, b.releases
      from balances b where b.released > 0
  ), moved as (
    update message_order o
       set state = z.becomes,
           amount = o.amount - z.releases,
           carrier_code = coalesce(z.code, o.carrier_code),
           capture_entry = case when z.captures > 0 then b.capture_entry else o.capture_entry end,
           release_entry = case when z.releases > 0 then b.release_entry else o.release_entry end,
           sent_at = case when z.now_sent then clock_timestamp() else o.sent_at end,
           final_at = case when z.becomes in ('delivered', 'undelivered', 'failed', 'unknown') then clock_timestamp() end,
           lease_until = case when z.becomes = 'sending' then now() else null end,
           next_attempt_at = case when z.becomes = 'queued' then now() + make_interval(secs => z.retry_after_ms / 1000.0) end,
           due_at = case
             when z.becomes in ('delivered', 'undelivered', 'failed', 'unknown') then null
             when z.becomes = 'queued' then now() + make_interval(secs => z.retry_after_ms / 1000.0 + 2)
             when z.becomes = 'sending' then now() + p_in_doubt_wait
             else o.due_at end
      from settled z left join balances b on b.account_id = z.account_id
     where o.id = z.id
    returning o.id, o.state
  ), logged as (
    insert into order_transition (message_id, at, from_state, to_state, actor, carrier_code)
    select z.id, clock_timestamp(), z.was, 'sent'::order_state, p_actor, z.code from settled z where z.by_way_of_sent
    union all
    select z.id, clock_timestamp(), case when z.by_way_of_sent then 'sent' else z.was end,
           z.becomes, p_actor, z.code
      from settled z where z.was <> z.becomes
  )
  select d.id, d.state from moved d;
end $$;
CREATE FUNCTION public.current_database_identity(OUT system_identifier bigint, OUT database_oid bigint, OUT orders_oid bigint, OUT timeline integer) RETURNS record
    LANGUAGE plpgsql
    AS $$
begin
  database_oid := (select d.oid from pg_database d where d.datname = current_database());
  orders_oid := to_regclass('message_order')::oid;
  begin
    system_identifier := (select c.system_identifier from pg_control_system() c);
  exception when others then
    system_identifier := null;
  end;
  begin
    -- The first eight hexadecimal digits of a WAL file's name; the control file learns of a new timeline only later.
    timeline := ('x' || left(pg_walfile_name(pg_current_wal_lsn()), 8))::bit(32)::integer;
  exception when others then
    timeline := null;
  end;
end $$;
CREATE FUNCTION public.database_identity_change() RETURNS text
    LANGUAGE plpgsql
    AS $$
declare
  v_known database_identity;
  v_now   record;
begin
  select * into v_known from database_identity;
  if not found then
    return null;
  end if;
  select * into v_now from current_database_identity();
  return case
    when v_known.system_identifier <> v_now.system_identifier or v_known.database_oid <> v_now.database_oid
      or v_known.orders_oid <> v_now.orders_oid then 'database'
    when v_known.timeline <> v_now.timeline then 'timeline'
  end;
end $$;
CREATE FUNCTION public.deposits_page(p_account_id bigint, p_page bigint, p_limit bigint) RETURNS TABLE(total bigint, amount bigint, currency text, created_at timestamp with time zone)
    LANGUAGE plpgsql STABLE
    SET enable_seqscan TO 'off'
    SET enable_bitmapscan TO 'off'
    SET jit TO 'off'
    SET plan_cache_mode TO 'force_generic_plan'
    AS $$
declare
  v_total bigint;
begin
  select b.last_deposit into strict v_total from account_balance b where b.account_id = p_account_id;
  return query
  select v_total, d.amount, d.currency, d.created_at
    from deposit d
   where d.account_id = p_account_id and d.deposit_number > v_total - p_page * p_limit
     and d.deposit_number <= v_total - (p_page - 1) * p_limit
   order by d.deposit_number desc limit p_limit;
  -- Past the end.
  if not found then
    return query select v_total, null::bigint, null::text, null::timestamptz;
  end if;
end $$;
CREATE FUNCTION public.doubt_receipted_orders(p_limit integer) RETURNS integer
    LANGUAGE plpgsql
    AS $$
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
                          and (r.user_message_reference - segment_reference(o.id, 0::smallint)) & 65535 between 1 and o.segments
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
CREATE FUNCTION public.due_in_backlog(p_valid_until timestamp with time zone) RETURNS timestamp with time zone
    LANGUAGE sql STABLE
    AS $$
  select least(p_valid_until, now() + interval '2 hours')
$$;
CREATE FUNCTION public.fail_unroutable(p_ids uuid[], p_code text, p_in_doubt_wait interval) RETURNS TABLE(id uuid, state public.order_state)
    LANGUAGE plpgsql
    SET enable_seqscan TO 'off'
    AS $$
#variable_conflict use_column
declare
  v_hold record;
  v_ids  uuid[];
begin
  if not exists (select from route) then
    return;
  end if;
  select * into v_hold from active_hold();
  select array_agg(l.id) into v_ids from (
    select o.id from message_order o
     where o.id = any(p_ids) and o.state = 'queued'
       and (o.created_at >= v_hold.held_before or o.cleared_hold = v_hold.hold_id)
       and not exists (select from route r where starts_with(o.destination, r.prefix))
       and not exists (select from segment s where s.message_id = o.id
                          and s.state in ('submitting', 'accepted', 'in_doubt', 'delivered', 'undelivered', 'unknown'))
     order by o.id
       for update) l;
  if v_ids is null then
    return;
  end if;
  return query
  select * from conclude_orders(
    v_ids, array_fill(null::integer, array[cardinality(v_ids)]), array_fill(true, array[cardinality(v_ids)]),
    array_fill(0, array[cardinality(v_ids)]), array_fill(p_code, array[cardinality(v_ids)]), 'worker', p_in_doubt_wait);
end $$;
CREATE FUNCTION public.finish_turns(p_worker text, p_done bigint[]) RETURNS void
    LANGUAGE sql
    AS $$
  delete from dispatch_backlog b where b.owner = p_worker and b.backlog_id = any(p_done)
$$;
CREATE FUNCTION public.give_back_turns(p_worker text, p_backlog_ids bigint[]) RETURNS void
    LANGUAGE plpgsql
    AS $$
declare
  v_scope record;
begin
  for v_scope in
    with given as (
      update dispatch_backlog b set owner = null
       where b.owner = p_worker and b.backlog_id = any(p_backlog_ids) returning b.account_id, b.carrier_id
    )
    select g.carrier_id, array_agg(g.account_id) as account_ids from given g group by g.carrier_id order by g.carrier_id
  loop
    perform start_turns(v_scope.account_ids, v_scope.carrier_id);
  end loop;
end $$;
SET default_tablespace = '';
SET default_table_access_method = heap;
CREATE TABLE public.message_order (
    id uuid NOT NULL,
    account_id bigint NOT NULL,
    sequence bigint NOT NULL,
    recipient text NOT NULL,
    destination text NOT NULL,
    message text NOT NULL,
    extended boolean NOT NULL,
    segments smallint NOT NULL,
    price bigint NOT NULL,
    amount bigint NOT NULL,
    state public.order_state DEFAULT 'queued'::public.order_state NOT NULL,
    epoch integer DEFAULT 0 NOT NULL,
    attempts integer DEFAULT 0 NOT NULL,
    owner text,
    carrier_id integer,
    carrier_code text,
    concatenation_reference smallint,
    lease_until timestamp with time zone,
    next_attempt_at timestamp with time zone,
    valid_until timestamp with time zone NOT NULL,
    due_at timestamp with time zone,
    sent_at timestamp with time zone,
    final_at timestamp with time zone,
    capture_entry bigint,
    release_entry bigint,
    created_at timestamp with time zone NOT NULL,
    cleared_hold bigint,
    CONSTRAINT message_order_check CHECK (((amount >= 0) AND (amount <= price))),
    CONSTRAINT message_order_price_check CHECK ((price >= 0)),
    CONSTRAINT message_order_segments_check CHECK (((segments >= 1) AND (segments <= 255)))
)
WITH (fillfactor='70', autovacuum_vacuum_scale_factor='0.02');
CREATE FUNCTION public.is_held(o public.message_order, p_hold_id bigint, p_held_before timestamp with time zone) RETURNS boolean
    LANGUAGE sql STABLE
    AS $$
  select o.due_at is not null and o.state in ('queued', 'sending') and o.created_at < p_held_before
     and o.cleared_hold is distinct from p_hold_id and (o.lease_until is null or o.lease_until <= now())
$$;
CREATE FUNCTION public.is_retainable(o public.message_order) RETURNS boolean
    LANGUAGE sql STABLE
    AS $$
  select o.final_at is not null
     and (o.state in ('delivered', 'undelivered', 'failed') or o.state = 'unknown' and o.final_at < now() - interval '30 days')
$$;
CREATE FUNCTION public.lease_binds(p_carrier_id integer, p_worker text, p_lease interval, p_alive_within interval) RETURNS TABLE(held smallint[], share integer, bind_count integer)
    LANGUAGE plpgsql
    AS $$
declare
  v_count  integer;
  v_leased integer;
  v_mine   integer;
  v_share  integer;
begin
  perform pg_advisory_xact_lock(hashtext('heliograph.lease_binds'), p_carrier_id);
  select c.bind_count into v_count from carrier c where c.carrier_id = p_carrier_id and c.removed_at is null;
  v_count := coalesce(v_count, 0);
  insert into carrier_bind (carrier_id, slot) select p_carrier_id, n from generate_series(1, v_count) n
  on conflict do nothing;
  update carrier_bind b set lease_until = clock_timestamp() + p_lease
   where b.carrier_id = p_carrier_id and b.owner = p_worker and b.lease_until > clock_timestamp();
  get diagnostics v_mine = row_count;
  select count(*) into v_leased from carrier_bind b
   where b.carrier_id = p_carrier_id and b.owner is not null and b.lease_until > clock_timestamp();
  with workers as (
    select h.process_id from process_heartbeat h where h.role = 'worker' and h.seen_at > now() - p_alive_within
     union select p_worker
  ), holding as (
    select w.process_id, count(b.slot) as slots, count(*) over () as workers
      from workers w
      left join carrier_bind b on b.carrier_id = p_carrier_id and b.owner = w.process_id
                              and b.lease_until > clock_timestamp()
     group by w.process_id
  ), placed as (
    select h.process_id, h.workers,
           row_number() over (order by h.slots > v_count / h.workers desc, h.process_id) as place
      from holding h
  )
  select v_count / p.workers + (p.place <= v_count % p.workers)::integer into v_share
    from placed p where p.process_id = p_worker;
  update carrier_bind b set owner = p_worker, epoch = b.epoch + 1, lease_until = clock_timestamp() + p_lease
   where b.carrier_id = p_carrier_id
     and b.slot in (
       select f.slot from carrier_bind f
        where f.carrier_id = p_carrier_id and f.slot <= v_count
          and (f.owner is null or f.lease_until <= clock_timestamp())
        order by f.slot limit greatest(0, least(v_share - v_mine, v_count - v_leased)));
  return query
  select coalesce(array_agg(b.slot order by b.slot)
                  filter (where b.owner = p_worker and b.lease_until > clock_timestamp()), '{}'),
         v_share, v_count
    from carrier_bind b where b.carrier_id = p_carrier_id;
end $$;
CREATE FUNCTION public.lock_balances(p_ids uuid[]) RETURNS void
    LANGUAGE plpgsql
    SET enable_seqscan TO 'off'
    AS $$
begin
  perform 1 from account_balance b
   where b.account_id in (select o.account_id from message_order o where o.id = any(p_ids) and o.state in ('sending', 'queued'))
   order by b.account_id for update;
end $$;
CREATE FUNCTION public.next_account_to_retain(p_after_account_id bigint, p_last_account_id bigint, p_texts_before timestamp with time zone, p_rows_before timestamp with time zone) RETURNS bigint
    LANGUAGE sql STABLE
    SET enable_seqscan TO 'off'
    AS $$
  select b.account_id
    from account_balance b
    left join account_retired r using (account_id)
   where b.account_id > p_after_account_id and b.account_id <= p_last_account_id
     and (exists (select from message_order o
                   where o.account_id = b.account_id and o.sequence = coalesce(r.last_sequence, 0) + 1
                     and o.final_at < p_rows_before and is_retainable(o))
       or exists (select from message_order o
                   where o.account_id = b.account_id and o.sequence = greatest(r.last_text, r.last_sequence, 0) + 1
                     and o.final_at < p_texts_before and is_retainable(o)))
   order by b.account_id limit 1
$$;
CREATE FUNCTION public.notice_restored_database(p_hold_after_failover boolean) RETURNS TABLE(change text, held_before timestamp with time zone)
    LANGUAGE plpgsql
    AS $$
declare
  v_change text;
begin
  -- Nearly always nothing has changed, and nobody has to wait for anybody.
  if database_identity_change() is null and exists (select from database_identity) then
    return;
  end if;
  perform pg_advisory_xact_lock(hashtext('heliograph.dispatch_hold'));
  v_change := database_identity_change();
  insert into database_identity as k (system_identifier, database_oid, orders_oid, timeline)
  select i.system_identifier, i.database_oid, i.orders_oid, i.timeline from current_database_identity() i
  on conflict (is_only) do update
     set system_identifier = excluded.system_identifier, database_oid = excluded.database_oid,
         orders_oid = excluded.orders_oid, timeline = excluded.timeline, noticed_at = now()
   where v_change is not null;
  if v_change is null then
    return;
  end if;
  if v_change = 'timeline' and not p_hold_after_failover then
    return query select v_change, null::timestamptz;
    return;
  end if;
  -- What an earlier hold had cleared may have been sent since the restored state: a new hold clears nothing.
  update dispatch_hold h set released_at = now() where h.released_at is null;
  return query
  insert into dispatch_hold as h (held_before, reason)
  values (clock_timestamp(), case v_change when 'timeline' then 'the database has a new timeline: restored to a point in time, or failed over'
                                          else 'the database is another one than before: restored from a dump or copied' end)
  returning v_change, h.held_before;
end $$;
CREATE FUNCTION public.oldest_retainable(p_account_id bigint, p_after_sequence bigint, p_before timestamp with time zone, p_limit integer, OUT ids uuid[], OUT last bigint, OUT created_at timestamp with time zone) RETURNS record
    LANGUAGE plpgsql
    SET enable_seqscan TO 'off'
    SET enable_bitmapscan TO 'off'
    SET plan_cache_mode TO 'force_generic_plan'
    AS $$
begin
  if p_before is null then
    return;
  end if;
  with locked as materialized (
    select o.id, o.sequence, o.created_at, o.final_at < p_before and is_retainable(o) as is_due
      from message_order o
     where o.account_id = p_account_id and o.sequence > p_after_sequence and o.sequence <= p_after_sequence + p_limit
       for update skip locked
  ), dense as (
    select l.*, l.sequence = p_after_sequence + row_number() over w and bool_and(l.is_due) over w as is_next
      from locked l window w as (order by l.sequence)
  )
  select array_agg(d.id order by d.id), max(d.sequence), max(d.created_at) into ids, last, created_at
    from dense d where d.is_next;
end $$;
CREATE FUNCTION public.orders_page_columns(p_account_id bigint, p_page bigint, p_limit bigint) RETURNS TABLE(total bigint, columns json)
    LANGUAGE plpgsql STABLE
    SET enable_seqscan TO 'off'
    SET enable_bitmapscan TO 'off'
    SET jit TO 'off'
    SET plan_cache_mode TO 'force_generic_plan'
    AS $$
declare
  v_last  bigint;
  v_total bigint;
begin
  select b.last_sequence, b.last_sequence - coalesce(r.last_sequence, 0) into strict v_last, v_total
    from account_balance b left join account_retired r using (account_id) where b.account_id = p_account_id;
  return query
  select v_total, json_build_object(
           'ids', array_to_json(array_agg(o.id)), 'recipients', array_to_json(array_agg(o.recipient)),
           'messages', array_to_json(array_agg(o.message)), 'amounts', array_to_json(array_agg(o.amount::text)),
           'states', array_to_json(array_agg(o.state)),
           'createdAtMs', array_to_json(array_agg(floor(extract(epoch from o.created_at) * 1000)::bigint)))
    from (select * from message_order m
           where m.account_id = p_account_id and m.sequence > v_last - p_page * p_limit
             and m.sequence <= v_last - (p_page - 1) * p_limit
           order by m.sequence desc limit p_limit) o;
end $$;
CREATE FUNCTION public.place_in_backlog(p_account_id bigint, p_sequence bigint) RETURNS text
    LANGUAGE sql STABLE
    AS $$
  select case when bool_or(n.owner is null) then 'waits' when count(*) > 0 then 'taken' end
    from (select b.first_sequence, b.sequences, b.owner from dispatch_backlog b
           where b.account_id = p_account_id and b.last_sequence >= p_sequence order by b.last_sequence limit 8) n
   where n.first_sequence <= p_sequence and (n.sequences is null or p_sequence = any(n.sequences))
$$;
CREATE FUNCTION public.places_in_backlog(p_accounts bigint[], p_sequences bigint[]) RETURNS text[]
    LANGUAGE plpgsql STABLE
    SET enable_seqscan TO 'off'
    SET enable_hashjoin TO 'on'
    SET enable_nestloop TO 'off'
    SET plan_cache_mode TO 'force_generic_plan'
    AS $$
declare
  v_asked  record;
  v_places text[];
  v_ns     bigint[] := '{}';
  v_all    text[] := '{}';
begin
  for v_asked in
    select a.account, min(a.sequence) as low, max(a.sequence) as high, array_agg(a.sequence order by a.n) as sequences, array_agg(a.n order by a.n) as ns
      from unnest(p_accounts, p_sequences) with ordinality as a(account, sequence, n) group by a.account
  loop
    if v_asked.high - v_asked.low >= 20 * cardinality(v_asked.ns) then
      select array_agg(place_in_backlog(v_asked.account, u.sequence) order by u.n) into v_places
        from unnest(v_asked.sequences) with ordinality as u(sequence, n);
    else
      with pointed as materialized (
        select e.sequence, bool_or(b.owner is null) as waits
          from dispatch_backlog b
         cross join lateral (
           select unnest(b.sequences) as sequence
            union all
           select generate_series(greatest(b.first_sequence, v_asked.low), least(b.last_sequence, v_asked.high)) where b.sequences is null) e
         where b.account_id = v_asked.account and b.last_sequence >= v_asked.low and b.first_sequence <= v_asked.high
         group by e.sequence)
      select array_agg(case when p.waits then 'waits' when not p.waits then 'taken' end order by u.n) into v_places
        from unnest(v_asked.sequences) with ordinality as u(sequence, n) left join pointed p on p.sequence = u.sequence;
    end if;
    v_ns := v_ns || v_asked.ns;
    v_all := v_all || v_places;
  end loop;
  return array(select u.place from unnest(v_ns, v_all) as u(n, place) order by u.n);
end $$;
CREATE FUNCTION public.purge_expired(p_key_age interval, p_limit integer) RETURNS integer
    LANGUAGE plpgsql
    AS $$
declare
  v_deleted integer;
  v_most    integer;
begin
  delete from idempotency_key k where (k.account_id, k.key) in (
    select i.account_id, i.key from idempotency_key i where i.created_at < now() - p_key_age order by i.created_at limit p_limit);
  get diagnostics v_most = row_count;
  delete from parked_receipt where ctid = any(array(
    select p.ctid from parked_receipt p where p.received_at < now() - interval '30 days' limit p_limit));
  get diagnostics v_deleted = row_count;
  v_most := greatest(v_most, v_deleted);
  delete from doubtful_submit where ctid = any(array(
    select d.ctid from doubtful_submit d where d.submitted_at < now() - interval '7 days' limit p_limit));
  get diagnostics v_deleted = row_count;
  v_most := greatest(v_most, v_deleted);
  -- A counter that is used in between must stay: hence the condition twice.
  delete from concatenation_counter where used_at < now() - interval '7 days' and ctid = any(array(
    select c.ctid from concatenation_counter c where c.used_at < now() - interval '7 days' limit p_limit));
  get diagnostics v_deleted = row_count;
  delete from process_heartbeat where seen_at < now() - interval '1 day';
  return greatest(v_most, v_deleted);
end $$;
CREATE FUNCTION public.put_in_backlog(p_ids uuid[], p_carrier_id integer, p_lane smallint) RETURNS void
    LANGUAGE plpgsql
    SET enable_seqscan TO 'off'
    AS $$
declare
  v_accounts bigint[];
begin
  perform set_config('synchronous_commit', 'off', true);
  with numbered as (
    select o.account_id, o.sequence, (row_number() over (partition by o.account_id order by o.sequence) - 1) / 500 as part
      from message_order o where o.id = any(p_ids) and o.state = 'queued'
  ), parts as (
    select n.account_id, min(n.sequence) as first, max(n.sequence) as last, array_agg(n.sequence order by n.sequence) as sequences
      from numbered n group by n.account_id, n.part
  ), put as (
    insert into dispatch_backlog (account_id, carrier_id, lane, first_sequence, last_sequence, sequences)
    select p.account_id, p_carrier_id, p_lane, p.first, p.last,
           case when p.last - p.first + 1 <> cardinality(p.sequences) then p.sequences end
      from parts p
    returning account_id
  )
  select array_agg(distinct p.account_id) into v_accounts from put p;
  if v_accounts is not null then
    perform start_turns(v_accounts, p_carrier_id);
  end if;
end $$;
CREATE FUNCTION public.record_intents(p_ids uuid[], p_positions smallint[], p_epochs integer[], p_carrier_ids integer[]) RETURNS TABLE(id uuid, "position" smallint)
    LANGUAGE plpgsql
    SET enable_seqscan TO 'off'
    SET plan_cache_mode TO 'force_generic_plan'
    AS $$
#variable_conflict use_column
begin
  return query
  with asked as (
    select * from unnest(p_ids, p_positions, p_epochs, p_carrier_ids) as a(id, position, epoch, carrier_id)
  ), owned as materialized (
    select o.id, o.epoch, o.destination from message_order o
     where o.id in (select a.id from asked a) and o.state = 'sending' and o.lease_until > now()
     order by o.id
       for no key update
  ), doubted as (
    insert into doubtful_submit (message_id, position, carrier_id, destination, reference, submitted_at)
    select s.message_id, s.position, s.carrier_id, o.destination, segment_reference(s.message_id, s.position), s.submitted_at
      from asked a
      join owned o on o.id = a.id and o.epoch = a.epoch
      join segment s on s.message_id = a.id and s.position = a.position
     where s.state in ('pending', 'in_doubt') and s.in_doubt_since is not null
    on conflict do nothing
  )
  insert into segment as s (message_id, position, state, epoch, carrier_id, submitted_at)
  select a.id, a.position, 'submitting', a.epoch, a.carrier_id, now()
    from asked a join owned o on o.id = a.id and o.epoch = a.epoch
  on conflict (message_id, position) do update
     set state = 'submitting', epoch = excluded.epoch, carrier_id = excluded.carrier_id, whole = false, attempt = s.attempt + 1,
         submitted_at = excluded.submitted_at, in_doubt_since = null, carrier_message_id = null, carrier_code = null
   where s.state in ('pending', 'in_doubt')
  returning s.message_id, s.position;
end $$;
CREATE FUNCTION public.record_submits(p_ids uuid[], p_positions smallint[], p_epochs integer[], p_kinds text[], p_answers text[], p_done boolean[], p_retry_after_ms integer[], p_in_doubt_wait interval) RETURNS TABLE(id uuid, state public.order_state)
    LANGUAGE plpgsql
    SET enable_seqscan TO 'off'
    SET enable_hashjoin TO 'off'
    SET enable_mergejoin TO 'off'
    SET plan_cache_mode TO 'force_generic_plan'
    AS $$
declare
  -- Of the answers that send an order of one segment. Their positions (1) are there to be joined by: that is the primary key.
  v_orders   uuid[];
  v_firsts   smallint[];
  v_fences   integer[];
  v_answers  text[];
  v_accounts bigint[];
  v_prices   bigint[];
  v_sent     uuid[];
  v_ids      uuid[];
  v_epochs   integer[];
  v_done     boolean[];
  v_retries  integer[];
  v_codes    text[];
begin
  with locked as materialized (
    select a.*, o.account_id, o.price,
           o.state = 'sending' and o.segments = 1 and o.epoch = a.epoch and a.kind = 'accepted' and a.answer <> '' as is_sent
      from (select * from unnest(p_ids, p_positions, p_epochs, p_kinds, p_answers) as u(id, position, epoch, kind, answer)
             order by u.id) a
      join message_order o on o.id = a.id
       for update of o
  )
  select array_agg(l.id), array_agg(l.position), array_agg(l.epoch), array_agg(l.answer), array_agg(l.account_id), array_agg(l.price)
    into v_orders, v_firsts, v_fences, v_answers, v_accounts, v_prices
    from locked l where l.is_sent;
  -- What a receipt was faster for does not go the usual way. The table is nearly always empty, so it is looked at first.
  perform from parked_receipt r where r.carrier_message_id = any(p_answers) limit 1;
  if v_orders is not null and not found then
    -- All that this call will lock, in the order of accounts; one needs no order.
    if cardinality(v_orders) < cardinality(p_ids) or v_accounts[1] <> any(v_accounts) then
      perform lock_balances(p_ids);
    end if;
    with taken as (
      update segment s
         set state = 'accepted', carrier_message_id = z.answer, accepted_at = now()
        from unnest(v_orders, v_firsts, v_fences, v_answers, v_accounts, v_prices) as z(id, position, epoch, answer, account_id, price)
       where s.message_id = z.id and s.position = z.position and s.epoch = z.epoch and s.state = 'submitting'
      returning z.id, z.account_id, z.price
    ), sums as (
      select t.account_id, sum(t.price)::bigint as captured, count(*) filter (where t.price > 0) as captures
        from taken t group by t.account_id having sum(t.price) > 0
    ), balances as (
      update account_balance b
         set reserved = b.reserved - s.captured, captured = b.captured + s.captured, last_entry = b.last_entry + 1
        from sums s where b.account_id = s.account_id
      returning b.account_id, b.last_entry, b.deposited - b.reserved - b.captured as available, s.captured, s.captures
    ), journal as (
      insert into journal_entry (account_id, entry, kind, debit, credit, amount, available_after, order_count)
      select b.account_id, b.last_entry, 'capture', 'reserved', 'captured', b.captured, b.available, b.captures from balances b
    ), moved as (
      update message_order o
         set state = 'sent', sent_at = clock_timestamp(), capture_entry = case when o.price > 0 then b.last_entry end,
             lease_until = null, next_attempt_at = null
        from taken t left join balances b on b.account_id = t.account_id
       where o.id = t.id
    ), logged as (
      insert into order_transition (message_id, at, from_state, to_state, actor)
      select t.id, clock_timestamp(), 'sending', 'sent', 'worker' from taken t
    )
    select array_agg(t.id) into v_sent from taken t;
  end if;
  if v_sent is not null then
    return query select i, 'sent'::order_state from unnest(v_sent) i;
    select array_agg(a.id), array_agg(a.position), array_agg(a.epoch), array_agg(a.kind), array_agg(a.answer), array_agg(a.done),
           array_agg(a.retry_after_ms)
      into p_ids, p_positions, p_epochs, p_kinds, p_answers, p_done, p_retry_after_ms
      from unnest(p_ids, p_positions, p_epochs, p_kinds, p_answers, p_done, p_retry_after_ms)
           as a(id, position, epoch, kind, answer, done, retry_after_ms)
     where cardinality(v_sent) < cardinality(p_ids) and a.id <> all(v_sent);
    if p_ids is null then
      return;
    end if;
  end if;
  with answered as (
    select distinct on (a.id, a.position) a.*
      from unnest(p_ids, p_positions, p_epochs, p_kinds, p_answers) with ordinality
           as a(id, position, epoch, kind, answer, n)
     order by a.id, a.position, a.n desc
  )
  update segment s
     set state = case when s.state = 'unknown' then 'unknown' else a.kind::segment_state end,
         carrier_message_id = case when a.kind = 'accepted' and a.answer <> '' then a.answer end,
         carrier_code = case when a.kind <> 'accepted' then a.answer end,
         accepted_at = case when a.kind = 'accepted' then now() end,
         in_doubt_since = case when a.kind = 'in_doubt' or a.kind = 'accepted' and a.answer = '' then now() end
    from answered a
   where s.message_id = a.id and s.position = a.position and s.epoch = a.epoch
     and (s.state in ('submitting', 'in_doubt')
          or a.kind = 'accepted' and (s.state = 'pending' and s.in_doubt_since is not null
                                      or s.state = 'unknown' and s.carrier_message_id is null));
  -- Receipts that were faster than the response.
  perform from parked_receipt r where r.carrier_message_id = any(p_answers) limit 1;
  if found then
    with early as (
      select r.receipt_id, s.message_id, s.position, r.state, r.carrier_code
        from unnest(p_ids, p_positions, p_kinds) as a(id, position, kind)
        join segment s on s.message_id = a.id and s.position = a.position
        join parked_receipt r on r.carrier_message_id = s.carrier_message_id and r.carrier_id = s.carrier_id
       where a.kind = 'accepted' and s.state in ('accepted', 'unknown')
    ), taken as (
      delete from parked_receipt r using early e where r.receipt_id = e.receipt_id
    )
    update segment s
       set state = e.state::segment_state, carrier_code = e.carrier_code, settled_at = now()
      from (select distinct on (x.message_id, x.position) x.* from early x
             order by x.message_id, x.position, x.state = 'delivered' desc) e
     where s.message_id = e.message_id and s.position = e.position;
  end if;
  select array_agg(g.id), array_agg(g.epoch), array_agg(g.done), array_agg(g.retry_after_ms), array_agg(g.code)
    into v_ids, v_epochs, v_done, v_retries, v_codes
    from (select a.id, a.epoch, bool_or(a.done) as done, max(a.retry_after_ms) as retry_after_ms,
                 max(nullif(a.answer, '')) filter (where a.kind <> 'accepted') as code
            from unnest(p_ids, p_epochs, p_done, p_retry_after_ms, p_kinds, p_answers)
                 as a(id, epoch, done, retry_after_ms, kind, answer)
           group by a.id, a.epoch) g;
  return query select * from conclude_orders(v_ids, v_epochs, v_done, v_retries, v_codes, 'worker', p_in_doubt_wait);
end $$;
CREATE FUNCTION public.release_dead_workers(p_alive_within interval) RETURNS integer
    LANGUAGE plpgsql
    SET enable_seqscan TO 'off'
    AS $$
declare
  v_dead     text[];
  v_released integer;
begin
  with dead as (
    delete from process_heartbeat where role = 'worker' and seen_at < now() - p_alive_within returning process_id
  )
  select array_agg(d.process_id) into v_dead from dead d;
  if v_dead is null then
    return 0;
  end if;
  update message_order set due_at = now() where due_at is not null and state = 'sending' and owner = any(v_dead);
  get diagnostics v_released = row_count;
  return v_released;
end $$;
CREATE FUNCTION public.rematch_receipts(p_received_after timestamp with time zone, p_reference_after interval, p_limit integer, p_in_doubt_wait interval) RETURNS integer
    LANGUAGE plpgsql
    SET enable_seqscan TO 'off'
    AS $$
declare
  v_taken record;
begin
  with known as (
    select r.receipt_id, r.carrier_id from parked_receipt r
     where r.received_at > p_received_after
       and exists (select from segment s join message_order o on o.id = s.message_id
                    where s.carrier_message_id = r.carrier_message_id and s.carrier_id = r.carrier_id
                      and (o.destination = r.destination or s.settled_at is null))
    union
    select r.receipt_id, r.carrier_id
      from segment s
      join message_order o on o.id = s.message_id
      join parked_receipt r on r.carrier_id = s.carrier_id and r.destination = o.destination
                           and r.user_message_reference = segment_reference(s.message_id, s.position)
     where s.in_doubt_since is not null and r.received_at > greatest(p_received_after, s.submitted_at)
       and r.received_at <= now() - p_reference_after
    union
    select r.receipt_id, r.carrier_id
      from doubtful_submit f
      join parked_receipt r on r.carrier_id = f.carrier_id and r.destination = f.destination
                           and r.user_message_reference = f.reference
     where r.state = 'delivered' and r.received_at > greatest(p_received_after, f.submitted_at)
       and r.received_at <= now() - p_reference_after
       and exists (select from segment s where s.message_id = f.message_id and s.position = f.position
                      and s.state not in ('delivered', 'refused'))
  ), locked as (
    select p.receipt_id from parked_receipt p join known k on k.receipt_id = p.receipt_id
     where p.carrier_id = (select min(c.carrier_id) from known c)
     limit p_limit for update of p skip locked
  ), taken as (
    delete from parked_receipt p using locked l where p.receipt_id = l.receipt_id returning p.*
  )
  select t.carrier_id, array_agg(nullif(t.carrier_message_id, '')) as ids, array_agg(t.user_message_reference) as refs,
         array_agg(t.destination) as destinations, array_agg(t.state) as states, array_agg(t.carrier_code) as codes
    into v_taken
    from taken t group by t.carrier_id;
  if v_taken.carrier_id is null then
    return 0;
  end if;
  perform settle_receipts(v_taken.carrier_id, v_taken.ids, v_taken.refs, v_taken.destinations, v_taken.states,
                          v_taken.codes, true, p_in_doubt_wait);
  return cardinality(v_taken.refs);
end $$;
CREATE FUNCTION public.resolve_held_orders(p_as text, p_account_id bigint, p_from timestamp with time zone, p_to timestamp with time zone, p_state public.order_state, p_carrier_id integer, p_limit integer) RETURNS integer
    LANGUAGE plpgsql
    SET enable_seqscan TO 'off'
    AS $$
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
       and (p_account_id is null or o.account_id = p_account_id) and (p_state is null or o.state = p_state)
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
  perform conclude_orders(v_ids, array_fill(null::integer, array[cardinality(v_ids)]),
                          array_fill(true, array[cardinality(v_ids)]), array_fill(0, array[cardinality(v_ids)]),
                          array_fill(case p_as when 'unknown' then 'FATE_UNKNOWN' when 'refund' then 'REFUNDED' end,
                                     array[cardinality(v_ids)]),
                          'operator', interval '0');
  return v_decided;
end $$;
CREATE FUNCTION public.retain_next_slice(p_after_account_id bigint, p_limit integer, OUT is_busy boolean, OUT account_id bigint, OUT texts integer, OUT orders integer) RETURNS record
    LANGUAGE plpgsql
    AS $$
declare
  v_texts_before timestamptz;
  v_rows_before  timestamptz;
  v_last         bigint;
  v_due          bigint;
begin
  is_busy := not pg_try_advisory_xact_lock(hashtext('heliograph.retain_orders'));
  if is_busy then
    return;
  end if;
  select now() - make_interval(days => t.text_days), now() - make_interval(days => t.row_days)
    into v_texts_before, v_rows_before from retention t;
  if v_texts_before is null and v_rows_before is null then
    return;
  end if;
  select max(a.id) into v_last from (
    select b.account_id as id from account_balance b where b.account_id > p_after_account_id order by b.account_id limit 10000) a;
  v_due := next_account_to_retain(p_after_account_id, v_last, v_texts_before, v_rows_before);
  account_id := coalesce(v_due, v_last);
  if v_due is not null then
    select s.texts, s.orders into texts, orders from retain_slice(v_due, v_texts_before, v_rows_before, p_limit) s;
  end if;
end $$;
CREATE FUNCTION public.retain_slice(p_account_id bigint, p_texts_before timestamp with time zone, p_rows_before timestamp with time zone, p_limit integer, OUT texts integer, OUT orders integer) RETURNS record
    LANGUAGE plpgsql
    SET enable_seqscan TO 'off'
    SET enable_bitmapscan TO 'off'
    SET plan_cache_mode TO 'force_generic_plan'
    AS $$
declare
  r          account_retired%rowtype;
  v_ids      uuid[];
  v_last     bigint;
  v_created  timestamptz;
begin
  insert into account_retired (account_id) values (p_account_id) on conflict do nothing;
  select * into strict r from account_retired a where a.account_id = p_account_id for update;
  select f.ids, f.last into v_ids, v_last
    from oldest_retainable(p_account_id, greatest(r.last_text, r.last_sequence), p_texts_before, p_limit) f;
  texts := coalesce(cardinality(v_ids), 0);
  if texts > 0 then
    update message_order o set message = '' where o.id = any(v_ids) and o.message <> '';
    update account_retired a set last_text = v_last, retired_at = now() where a.account_id = p_account_id;
  end if;
  select f.ids, f.last, f.created_at into v_ids, v_last, v_created
    from oldest_retainable(p_account_id, r.last_sequence, p_rows_before, p_limit) f;
  orders := coalesce(cardinality(v_ids), 0);
  if orders = 0 then
    return;
  end if;
  delete from segment s where s.message_id = any(v_ids);
  delete from order_transition t where t.message_id = any(v_ids);
  delete from doubtful_submit d where d.message_id = any(v_ids);
  delete from idempotency_key k where k.account_id = p_account_id and k.created_at <= v_created and k.first_sequence <= v_last;
  with gone as (
    delete from message_order o where o.id = any(v_ids) returning o.price, o.amount, o.capture_entry, o.release_entry
  ), summed as (
    select coalesce(sum(g.price), 0)::bigint as price, coalesce(sum(g.amount), 0)::bigint as amount from gone g
  ), counted as (
    update account_retired a
       set last_sequence = v_last, price = a.price + s.price, amount = a.amount + s.amount, retired_at = now()
      from summed s where a.account_id = p_account_id
  ), parts as (
    select g.capture_entry as entry, sum(g.amount)::bigint as amount, count(*)::integer as orders
      from gone g where g.capture_entry is not null group by g.capture_entry
    union all
    select g.release_entry, sum(g.price - g.amount)::bigint, count(*)::integer
      from gone g where g.release_entry is not null group by g.release_entry
  )
  insert into retired_part as p (account_id, entry, amount, orders)
  select p_account_id, e.entry, e.amount, e.orders from parts e
  on conflict (account_id, entry) do update set amount = p.amount + excluded.amount, orders = p.orders + excluded.orders;
  -- An entry all of whose messages are gone needs no row of its own: it is a part of the account's sums.
  with whole as (
    delete from retired_part p using journal_entry j
     where p.account_id = p_account_id and j.account_id = p.account_id and j.entry = p.entry
       and j.amount = p.amount and j.order_count = p.orders
    returning j.kind, j.amount, j.order_count
  ), summed as (
    select coalesce(sum(w.amount) filter (where w.kind = 'capture'), 0)::bigint as captured,
           coalesce(sum(w.order_count) filter (where w.kind = 'capture'), 0)::bigint as captures,
           coalesce(sum(w.amount) filter (where w.kind = 'release'), 0)::bigint as released,
           coalesce(sum(w.order_count) filter (where w.kind = 'release'), 0)::bigint as releases
      from whole w
  )
  update account_retired a
     set captured = a.captured + s.captured, captures = a.captures + s.captures,
         released = a.released + s.released, releases = a.releases + s.releases
    from summed s where a.account_id = p_account_id;
end $$;
CREATE FUNCTION public.segment_reference(p_message_id uuid, p_position smallint) RETURNS integer
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    AS $$
  select ((('x' || right(p_message_id::text, 4))::bit(16)::integer) + p_position) & 65535
$$;
CREATE FUNCTION public.settle_receipts(p_carrier_id integer, p_message_ids text[], p_references integer[], p_destinations text[], p_states text[], p_codes text[], p_by_reference boolean, p_in_doubt_wait interval) RETURNS TABLE(matched integer, parked integer)
    LANGUAGE plpgsql
    SET enable_seqscan TO 'off'
    SET enable_hashjoin TO 'off'
    SET enable_mergejoin TO 'off'
    SET plan_cache_mode TO 'force_generic_plan'
    AS $$
declare
  v_orders    uuid[];
  v_positions smallint[];
  v_by_doubt  boolean[];
  v_receipts  integer[];
  v_locked    integer;
  -- Of the receipts for sent orders of one segment; their positions (1) are there to be joined by, as in record_submits.
  v_sent      uuid[];
  v_firsts    smallint[];
  v_states    text[];
  v_reasons   text[];
  v_settled   uuid[] := '{}';
  v_ids       uuid[];
  v_codes     text[];
  v_parked    integer;
begin
  if not p_by_reference then
    -- The receipts of every day: only the carrier's message id is asked for.
    select array_agg(m.message_id), array_agg(m.position), array_agg(m.n), array_agg(false),
           array_agg(m.message_id) filter (where m.is_sent), array_agg(m.position) filter (where m.is_sent),
           array_agg(m.state) filter (where m.is_sent), array_agg(m.code) filter (where m.is_sent)
      into v_orders, v_positions, v_receipts, v_by_doubt, v_sent, v_firsts, v_states, v_reasons
      from (
        select distinct on (r.n) r.n, r.state, r.code, s.message_id, s.position, o.state = 'sent' and o.segments = 1 as is_sent
          from unnest(p_message_ids, p_destinations, p_states, p_codes) with ordinality as r(message_id, destination, state, code, n)
         -- (offset 0: in this order, whatever the plan's maker believes of tables that were empty then)
         cross join lateral (select * from segment s where s.carrier_message_id = r.message_id and s.carrier_id = p_carrier_id offset 0) s
         cross join lateral (select o.state, o.segments, o.destination from message_order o where o.id = s.message_id offset 0) o
         where o.destination = r.destination or s.settled_at is null
         order by r.n, o.destination = r.destination desc, s.submitted_at desc) m;
  else
    select array_agg(m.message_id), array_agg(m.position), array_agg(m.n), array_agg(m.by_doubt)
      into v_orders, v_positions, v_receipts, v_by_doubt
      from (
        select r.n, coalesce(i.message_id, d.message_id) as message_id, coalesce(i.position, d.position) as position,
               i.message_id is null and d.made_again as by_doubt
          from unnest(p_message_ids, p_references, p_destinations, p_states) with ordinality
               as r(message_id, reference, destination, state, n)
          left join lateral (
            select s.message_id, s.position from segment s join message_order o on o.id = s.message_id
             where s.carrier_message_id = r.message_id and s.carrier_id = p_carrier_id
               and (o.destination = r.destination or s.settled_at is null)
             order by o.destination = r.destination desc, s.submitted_at desc limit 1) i on true
          left join lateral (
            select x.message_id, x.position, x.made_again
              from (select s.message_id, s.position, s.submitted_at, false as made_again
                      from segment s join message_order o on o.id = s.message_id
                     where s.in_doubt_since is not null and s.carrier_id = p_carrier_id and o.destination = r.destination
                       and segment_reference(s.message_id, s.position) = r.reference
                     union all
                    select f.message_id, f.position, f.submitted_at, true
                      from doubtful_submit f
                     where f.carrier_id = p_carrier_id and f.destination = r.destination and f.reference = r.reference
                       and r.state = 'delivered') x
             where i.message_id is null and r.reference is not null
             order by x.submitted_at desc limit 1) d on true) m
     where m.message_id is not null;
  end if;
  if v_orders is not null then
    select count(*) into v_locked
      from (select from message_order o where o.id = any(v_orders) order by o.id for update) l;
    -- Which of several receipts for one message counts is decided below.
    if v_sent is not null and v_locked = cardinality(v_orders) then
      with settled as (
        update segment s
           set state = z.state::segment_state, carrier_code = z.code, settled_at = now()
          from unnest(v_sent, v_firsts, v_states, v_reasons) as z(id, position, state, code)
         where s.message_id = z.id and s.position = z.position and s.state = 'accepted'
        returning z.id, z.state, z.code
      ), moved as (
        update message_order o
           set state = z.state::order_state, carrier_code = coalesce(z.code, o.carrier_code), final_at = clock_timestamp(), due_at = null
          from settled z
         where o.id = z.id
      ), logged as (
        insert into order_transition (message_id, at, from_state, to_state, actor, carrier_code)
        select z.id, clock_timestamp(), 'sent', z.state::order_state, 'receipt', z.code from settled z
      )
      select coalesce(array_agg(z.id), '{}') into v_settled from settled z;
    end if;
  end if;
  if cardinality(v_settled) < cardinality(v_orders) then
    update segment s
       set state = b.state::segment_state, carrier_code = b.code, settled_at = now(), in_doubt_since = null,
           accepted_at = coalesce(s.accepted_at, now()),
           carrier_message_id = coalesce(s.carrier_message_id, b.carrier_message_id)
      from (select distinct on (m.id, m.position) m.id, m.position, m.by_doubt, p_states[m.n] as state, p_codes[m.n] as code,
                   p_message_ids[m.n] as carrier_message_id
              from unnest(v_orders, v_positions, v_receipts, v_by_doubt) as m(id, position, n, by_doubt)
             where m.id <> all(v_settled)
             order by m.id, m.position, p_states[m.n] = 'delivered' desc) b
     where s.message_id = b.id and s.position = b.position
       and (s.state in ('accepted', 'in_doubt', 'unknown') or (s.state = 'undelivered' and b.state = 'delivered')
            or (s.state = 'pending' and s.in_doubt_since is not null)
            or (b.by_doubt and s.state in ('submitting', 'pending')));
    select array_agg(g.id), array_agg(g.code) into v_ids, v_codes
      from (select m.id, max(p_codes[m.n]) as code from unnest(v_orders, v_receipts) as m(id, n)
             where m.id <> all(v_settled) group by m.id) g;
    perform conclude_orders(v_ids, array_fill(null::integer, array[cardinality(v_ids)]),
                            array_fill(false, array[cardinality(v_ids)]), array_fill(0, array[cardinality(v_ids)]),
                            v_codes, 'receipt', p_in_doubt_wait);
  end if;
  v_parked := 0;
  if coalesce(cardinality(v_receipts), 0) < cardinality(p_states) then
    insert into parked_receipt (carrier_id, carrier_message_id, user_message_reference, destination, state, carrier_code)
    select p_carrier_id, coalesce(r.message_id, ''), r.reference, r.destination, r.state, r.code
      from unnest(p_message_ids, p_references, p_destinations, p_states, p_codes) with ordinality
           as r(message_id, reference, destination, state, code, n)
     where v_receipts is null or r.n <> all(v_receipts)
    on conflict do nothing;
    get diagnostics v_parked = row_count;
  end if;
  return query select coalesce(cardinality(v_receipts), 0), v_parked;
end $$;
CREATE FUNCTION public.start_turns(p_account_ids bigint[], p_carrier_id integer) RETURNS void
    LANGUAGE plpgsql
    AS $$
begin
  insert into dispatch_turn as t (account_id, carrier_id)
  select a.id, p_carrier_id from (select distinct u.id from unnest(p_account_ids) as u(id)) a order by a.id
  on conflict (account_id, carrier_id) do update set turn = t.turn;
end $$;
CREATE FUNCTION public.sweep_orders(p_limit integer, p_sweep_after interval, p_in_doubt_wait interval, p_receipt_deadline interval, p_queue_is_empty boolean, p_stranded_before timestamp with time zone DEFAULT 'infinity'::timestamp with time zone, p_stranded_after timestamp with time zone DEFAULT '-infinity'::timestamp with time zone, p_looks_max integer DEFAULT 2000) RETURNS TABLE(due_count integer, offered uuid[], offered_accounts bigint[], stranded_from timestamp with time zone, walked_to timestamp with time zone)
    LANGUAGE plpgsql
    SET enable_seqscan TO 'off'
    SET enable_bitmapscan TO 'off'
    SET enable_sort TO 'off'
    SET enable_hashjoin TO 'off'
    SET enable_mergejoin TO 'off'
    SET plan_cache_mode TO 'force_generic_plan'
    AS $$
declare
  v_hold     record;
  -- Of what is due, in no order: what waits on the queue or in a backlog, and may go on doing so; and everything else.
  v_waiting  uuid[];
  v_due      uuid[];
  v_count    integer;
  v_conclude uuid[];
  v_from     timestamptz;
  v_looked   uuid[];
  v_dues     timestamptz[];
  v_accounts bigint[];
  v_places   text[];
  v_stranded uuid[];
begin
  if not pg_try_advisory_xact_lock(hashtext('heliograph.sweep_orders')) then
    return;
  end if;
  select * into v_hold from active_hold();
  if v_hold.held_before = 'infinity' then
    return;
  end if;
  select count(*), array_agg(d.id) filter (where d.is_waiting), array_agg(d.id) filter (where not d.is_waiting)
    into v_count, v_waiting, v_due from (
    select o.id, o.state = 'queued' and o.valid_until > now()
                 and (o.next_attempt_at is null or o.next_attempt_at <= now()) as is_waiting
      from message_order o where o.due_at <= now() order by o.due_at limit p_limit for update skip locked) d;
  v_waiting := coalesce(without_held(v_waiting, v_hold.hold_id, v_hold.held_before), '{}');
  if v_due is not null then
    -- Waiting for a receipt, or owned by a live worker: look again when the time is over.
    update message_order o set due_at = o.lease_until
     where o.id = any(v_due) and o.state = 'sending' and o.lease_until > now();
    update message_order o set due_at = o.sent_at + p_receipt_deadline
     where o.id = any(v_due) and o.state = 'sent' and o.sent_at + p_receipt_deadline > now();
    -- The owner is gone: what it was writing is in doubt, and waits for a receipt before the policy decides.
    update segment s set state = 'in_doubt', in_doubt_since = now()
      from message_order o
     where o.id = any(v_due) and o.state = 'sending' and o.lease_until <= now()
       and s.message_id = o.id and s.state = 'submitting';
    v_due := without_held(v_due, v_hold.hold_id, v_hold.held_before);
    update message_order o set due_at = s.since + p_in_doubt_wait
      from (select g.message_id, max(g.in_doubt_since) as since from segment g
             where g.message_id = any(v_due) and g.state = 'in_doubt' group by g.message_id) s
     where o.id = s.message_id and o.state = 'sending' and o.lease_until <= now() and s.since + p_in_doubt_wait > now();
    -- Waited long enough.
    update segment s set state = case c.in_doubt_policy when 'hold' then 'unknown' else 'pending' end::segment_state
      from message_order o, carrier c
     where o.id = any(v_due) and o.state = 'sending' and o.lease_until <= now() and c.carrier_id = s.carrier_id
       and s.message_id = o.id and s.state = 'in_doubt' and s.in_doubt_since + p_in_doubt_wait <= now();
    update segment s set state = 'unknown'
      from message_order o
     where o.id = any(v_due) and o.state = 'sent' and o.sent_at + p_receipt_deadline <= now()
       and s.message_id = o.id and s.state = 'accepted';
    select array_agg(o.id) into v_conclude from message_order o
     where o.id = any(v_due)
       and (o.state = 'queued' and o.valid_until <= now()
         or o.state = 'sent' and o.sent_at + p_receipt_deadline <= now()
         or o.state = 'sending' and o.lease_until <= now()
            and not exists (select from segment s where s.message_id = o.id and s.state in ('submitting', 'in_doubt')));
    if v_conclude is not null then
      perform conclude_orders(
        v_conclude, array_fill(null::integer, array[cardinality(v_conclude)]),
        array_fill(true, array[cardinality(v_conclude)]), array_fill(0, array[cardinality(v_conclude)]),
        (select array_agg(case when o.state = 'queued' then 'VALIDITY_OVER' when o.state = 'sent' then 'NO_RECEIPT' end
                          order by w.n)
           from unnest(v_conclude) with ordinality as w(id, n) join message_order o on o.id = w.id),
        'reconciler', p_in_doubt_wait);
      select v_waiting || coalesce(array_agg(o.id), '{}') into v_waiting from message_order o
       where o.id = any(v_conclude) and o.state = 'queued' and o.valid_until > now()
         and (o.next_attempt_at is null or o.next_attempt_at <= now());
    end if;
  end if;
  if p_queue_is_empty then
    select array_agg(l.id), array_agg(l.due_at), places_in_backlog(array_agg(l.account_id), array_agg(l.sequence))
      into v_looked, v_dues, v_places from (
      select o.id, o.due_at, o.account_id, o.sequence from message_order o
       where o.due_at > greatest(p_stranded_after, now()) and o.due_at < least(p_stranded_before, now() + greatest(p_sweep_after, interval '30 minutes'))
         and o.state = 'queued' and o.valid_until > now()
         and o.created_at < now() - interval '2 seconds'
         and (o.created_at >= v_hold.held_before or o.cleared_hold = v_hold.hold_id)
         and (o.next_attempt_at is null or o.next_attempt_at <= now())
       order by o.due_at desc fetch first p_looks_max rows with ties) l;
    select case when count(a.id) >= p_limit then min(a.due_at)
                when cardinality(v_looked) >= p_looks_max then (select min(u) from unnest(v_dues) u) end,
           array_agg(a.id)
      into v_from, v_stranded
      from (select l.id, l.due_at from unnest(v_looked, v_dues, v_places) as l(id, due_at, place) where l.place is null
             order by l.due_at desc fetch first p_limit rows with ties) a;
    -- What comes due within p_sweep_after is looked at then. A walk after the first that finds little there need not keep up with all
    -- that is accepted meanwhile.
    if p_stranded_after > '-infinity' and v_from < now() + p_sweep_after and coalesce(cardinality(v_stranded), 0) < p_limit then
      v_from := null;
    end if;
    select v_waiting || coalesce(array_agg(q.id), '{}') into v_waiting from (
      select o.id from message_order o where o.id = any(v_stranded) and o.state = 'queued' for update skip locked) q;
  end if;
  select array_agg(o.id), array_agg(o.account_id), places_in_backlog(array_agg(o.account_id), array_agg(o.sequence))
    into v_looked, v_accounts, v_places from message_order o where o.id = any(v_waiting);
  return query
  with looked as materialized (
    select l.id, l.account_id, l.place from unnest(v_looked, v_accounts, v_places) as l(id, account_id, place)
  ), put_off as (
    update message_order o
       set due_at = case when l.place = 'waits' then due_in_backlog(o.valid_until)
                         else least(o.valid_until,
                                    now() + greatest(p_sweep_after, least(now() - o.created_at, interval '30 minutes'))) end
      from looked l where o.id = l.id
  ), alone as (
    select l.id, l.account_id from looked l where l.place is null
  )
  select v_count, coalesce(array_agg(a.id), '{}'), coalesce(array_agg(a.account_id), '{}'), v_from,
         -- Those that are younger than two seconds were not looked at.
         now() - interval '2 seconds' + p_sweep_after
    from alone a;
end $$;
CREATE FUNCTION public.take_as_submitted(p_ids uuid[], p_carrier_id integer, p_actor text, p_segments public.segment_state) RETURNS void
    LANGUAGE plpgsql
    SET enable_seqscan TO 'off'
    AS $$
begin
  with taken as (
    update message_order o
       set state = 'sending', epoch = o.epoch + 1, attempts = o.attempts + 1, owner = null, lease_until = now(),
           carrier_id = coalesce(o.carrier_id, p_carrier_id)
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
CREATE FUNCTION public.take_turn(p_carrier_id integer, p_worker text, p_segments_max integer, p_turns integer, p_except bigint[], p_done bigint[], p_rows_max integer DEFAULT 100, p_looks_max integer DEFAULT 1000) RETURNS TABLE(backlog_id bigint, account_id bigint, lane smallint, ids uuid[])
    LANGUAGE plpgsql
    SET enable_seqscan TO 'off'
    SET enable_bitmapscan TO 'off'
    SET enable_sort TO 'off'
    SET plan_cache_mode TO 'force_generic_plan'
    AS $$
#variable_conflict use_column
declare
  v_hold    record;
  v_account bigint;
  v_taken   integer;
  v_lane    smallint;
  v_left    integer := p_segments_max;
  v_turns   integer := 0;
  v_row     record;
  v_end     bigint;
  v_wanted  bigint[];
  v_found   record;
begin
  perform set_config('synchronous_commit', 'off', true);
  if cardinality(p_done) > 0 then
    delete from dispatch_backlog b where b.owner = p_worker and b.backlog_id = any(p_done);
  end if;
  select * into v_hold from active_hold();
  if v_hold.held_before = 'infinity' then
    return;
  end if;
  for v_try in 1 .. 10 + p_turns loop
    select t.account_id, t.taken into v_account, v_taken from dispatch_turn t
     where t.carrier_id = p_carrier_id and t.account_id <> all(p_except)
     order by t.turn limit 1 for update skip locked;
    if not found then
      return;
    end if;
    v_lane := 0;
    if v_taken % 4 = 3 then
      select max(l.lane) into v_lane
        from (select b.lane from dispatch_backlog b
               where b.carrier_id = p_carrier_id and b.account_id = v_account and b.owner is null
               order by b.lane desc limit 1) l;
      v_lane := coalesce(v_lane, 0);
    end if;
    for v_row in
      select b.* from dispatch_backlog b
       where b.carrier_id = p_carrier_id and b.account_id = v_account and b.owner is null and b.lane >= v_lane
       order by b.lane, b.first_sequence limit p_rows_max for update skip locked
    loop
      exit when v_left <= 0;
      -- One look-up in the index for each, however far apart they lie.
      v_wanted := coalesce(
        v_row.sequences[1:p_looks_max],
        array(select generate_series(v_row.first_sequence, least(v_row.last_sequence, v_row.first_sequence + p_looks_max - 1))));
      v_end := v_wanted[cardinality(v_wanted)];
      select array_agg(q.id order by q.sequence) as ids, max(q.sequence) as last, coalesce(sum(q.segments), 0) as segments into v_found
        from (select o.id, o.sequence, o.segments, sum(o.segments) over (order by o.sequence) - o.segments as before
                from message_order o
               where o.account_id = v_account and o.sequence = any(v_wanted)
                 and o.state = 'queued' and o.valid_until > now() and (o.next_attempt_at is null or o.next_attempt_at <= now())
                 and (o.created_at >= v_hold.held_before or o.cleared_hold = v_hold.hold_id)
               order by o.sequence limit v_left) q
       where q.before < v_left;
      -- Stopped by the quantum: the rest of the row waits for the next turn.
      if v_found.segments >= v_left then
        v_end := v_found.last;
      end if;
      v_left := v_left - v_found.segments;
      backlog_id := v_row.backlog_id;
      if v_end >= v_row.last_sequence then
        if v_found.ids is null then
          delete from dispatch_backlog b where b.account_id = v_account and b.backlog_id = v_row.backlog_id;
        else
          update dispatch_backlog b set owner = p_worker where b.account_id = v_account and b.backlog_id = v_row.backlog_id;
        end if;
      else
        update dispatch_backlog b
           set first_sequence = case when b.sequences is null then v_end + 1
                                     else (select min(s) from unnest(b.sequences) s where s > v_end) end,
               sequences = case when b.sequences is not null
                                then array(select s from unnest(b.sequences) s where s > v_end order by s) end
         where b.account_id = v_account and b.backlog_id = v_row.backlog_id;
        if v_found.ids is not null then
          insert into dispatch_backlog as b (account_id, carrier_id, lane, first_sequence, last_sequence, sequences, owner)
          values (v_account, p_carrier_id, v_row.lane, v_row.first_sequence, v_end,
                  case when v_row.sequences is not null
                       then array(select s from unnest(v_row.sequences) s where s <= v_end order by s) end, p_worker)
          returning b.backlog_id into backlog_id;
        end if;
      end if;
      if v_found.ids is not null then
        account_id := v_account;
        lane := v_row.lane;
        ids := v_found.ids;
        return next;
      end if;
    end loop;
    if exists (select from dispatch_backlog b
                where b.carrier_id = p_carrier_id and b.account_id = v_account and b.owner is null) then
      update dispatch_turn t set turn = nextval('dispatch_turn_order'), taken = t.taken + 1
       where t.account_id = v_account and t.carrier_id = p_carrier_id;
    else
      delete from dispatch_turn t where t.account_id = v_account and t.carrier_id = p_carrier_id;
    end if;
    if v_left < p_segments_max then
      v_turns := v_turns + 1;
      v_left := p_segments_max;
    end if;
    exit when v_turns >= p_turns;
  end loop;
end $$;
CREATE FUNCTION public.tend_backlogs() RETURNS void
    LANGUAGE plpgsql
    SET enable_seqscan TO 'off'
    AS $$
begin
  update dispatch_backlog b set owner = null
   where b.owner is not null and not exists (select from process_heartbeat h where h.process_id = b.owner);
  update dispatch_backlog b set carrier_id = 0
   where b.owner is null and b.carrier_id in (select c.carrier_id from carrier c where c.removed_at is not null);
  insert into dispatch_turn (account_id, carrier_id)
  select distinct b.account_id, b.carrier_id from dispatch_backlog b where b.owner is null order by 1, 2
  on conflict do nothing;
end $$;
CREATE FUNCTION public.without_held(p_ids uuid[], p_hold_id bigint, p_held_before timestamp with time zone) RETURNS uuid[]
    LANGUAGE plpgsql
    SET enable_seqscan TO 'off'
    AS $$
declare
  v_held uuid[];
begin
  if p_ids is null or p_held_before = '-infinity' then
    return p_ids;
  end if;
  with held as (
    update message_order o set due_at = now() + interval '1 hour'
     where o.id = any(p_ids) and is_held(o, p_hold_id, p_held_before)
    returning o.id
  )
  select array_agg(h.id) into v_held from held h;
  return array(select i from unnest(p_ids) i where i <> all(coalesce(v_held, '{}')));
end $$;
CREATE TABLE public.account (
    account_id bigint NOT NULL,
    name text NOT NULL,
    currency text NOT NULL,
    tariff_id bigint NOT NULL,
    status text DEFAULT 'active'::text NOT NULL,
    rate_limit_per_second integer,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    sender text,
    max_in_flight integer,
    CONSTRAINT account_currency_check CHECK ((currency ~ '^[A-Z]{3}$'::text)),
    CONSTRAINT account_max_in_flight_check CHECK (((max_in_flight >= 1) AND (max_in_flight <= 1000000))),
    CONSTRAINT account_rate_limit_per_second_check CHECK (((rate_limit_per_second >= 1) AND (rate_limit_per_second <= 1000000))),
    CONSTRAINT account_sender_check CHECK (((length(sender) >= 1) AND (length(sender) <= 16))),
    CONSTRAINT account_status_check CHECK ((status = ANY (ARRAY['active'::text, 'suspended'::text])))
);
ALTER TABLE public.account ALTER COLUMN account_id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.account_account_id_seq
    START WITH 1001
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE public.account_balance (
    account_id bigint NOT NULL,
    deposited bigint DEFAULT 0 NOT NULL,
    reserved bigint DEFAULT 0 NOT NULL,
    captured bigint DEFAULT 0 NOT NULL,
    credit_limit bigint DEFAULT 0 NOT NULL,
    last_sequence bigint DEFAULT 0 NOT NULL,
    last_deposit bigint DEFAULT 0 NOT NULL,
    last_entry bigint DEFAULT 0 NOT NULL,
    rate_limit_until timestamp with time zone DEFAULT '-infinity'::timestamp with time zone NOT NULL,
    CONSTRAINT account_balance_captured_check CHECK ((captured >= 0)),
    CONSTRAINT account_balance_credit_limit_check CHECK ((credit_limit >= 0)),
    CONSTRAINT account_balance_reserved_check CHECK ((reserved >= 0))
)
WITH (fillfactor='10', autovacuum_vacuum_scale_factor='0', autovacuum_vacuum_threshold='2000');
CREATE TABLE public.account_retired (
    account_id bigint NOT NULL,
    last_text bigint DEFAULT 0 NOT NULL,
    last_sequence bigint DEFAULT 0 NOT NULL,
    price bigint DEFAULT 0 NOT NULL,
    amount bigint DEFAULT 0 NOT NULL,
    captured bigint DEFAULT 0 NOT NULL,
    captures bigint DEFAULT 0 NOT NULL,
    released bigint DEFAULT 0 NOT NULL,
    releases bigint DEFAULT 0 NOT NULL,
    retired_at timestamp with time zone DEFAULT now() NOT NULL
)
WITH (fillfactor='50');
CREATE TABLE public.api_key (
    key_id text NOT NULL,
    account_id bigint NOT NULL,
    secret_hash bytea NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    revoked_at timestamp with time zone,
    CONSTRAINT api_key_key_id_check CHECK ((key_id ~ '^[0-9a-z]{8}$'::text)),
    CONSTRAINT api_key_secret_hash_check CHECK ((length(secret_hash) = 32))
);
CREATE TABLE public.carrier (
    carrier_id integer NOT NULL,
    name text NOT NULL,
    host text NOT NULL,
    port integer NOT NULL,
    system_id text NOT NULL,
    password text NOT NULL,
    tls boolean DEFAULT false NOT NULL,
    window_size integer DEFAULT 10 NOT NULL,
    submits_per_second integer,
    message_id_format text DEFAULT 'as-is'::text NOT NULL,
    default_alphabet text DEFAULT 'gsm0338'::text NOT NULL,
    in_doubt_policy text DEFAULT 'resend'::text NOT NULL,
    paused boolean DEFAULT false NOT NULL,
    removed_at timestamp with time zone,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    protocol text DEFAULT 'smpp'::text NOT NULL,
    bind_count integer,
    options jsonb DEFAULT '{}'::jsonb NOT NULL,
    CONSTRAINT carrier_bind_count_check CHECK (((bind_count >= 1) AND (bind_count <= 100))),
    CONSTRAINT carrier_default_alphabet_check CHECK ((default_alphabet = ANY (ARRAY['gsm0338'::text, 'latin1'::text]))),
    CONSTRAINT carrier_in_doubt_policy_check CHECK ((in_doubt_policy = ANY (ARRAY['resend'::text, 'hold'::text]))),
    CONSTRAINT carrier_message_id_format_check CHECK ((message_id_format = ANY (ARRAY['as-is'::text, 'hex-dec'::text, 'dec-hex'::text]))),
    CONSTRAINT carrier_name_check CHECK ((name ~ '^[a-z0-9][a-z0-9-]{0,39}$'::text)),
    CONSTRAINT carrier_options_check CHECK ((jsonb_typeof(options) = 'object'::text)),
    CONSTRAINT carrier_port_check CHECK (((port >= 1) AND (port <= 65535))),
    CONSTRAINT carrier_protocol_check CHECK ((protocol = ANY (ARRAY['smpp'::text, 'http'::text]))),
    CONSTRAINT carrier_submits_per_second_check CHECK (((submits_per_second >= 1) AND (submits_per_second <= 100000))),
    CONSTRAINT carrier_window_size_check CHECK (((window_size >= 1) AND (window_size <= 1000)))
);
CREATE TABLE public.carrier_bind (
    carrier_id integer NOT NULL,
    slot smallint NOT NULL,
    owner text,
    epoch integer DEFAULT 0 NOT NULL,
    lease_until timestamp with time zone DEFAULT '-infinity'::timestamp with time zone NOT NULL
);
ALTER TABLE public.carrier ALTER COLUMN carrier_id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.carrier_carrier_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE public.concatenation_counter (
    destination text NOT NULL,
    last smallint NOT NULL,
    used_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT concatenation_counter_last_check CHECK (((last >= 0) AND (last <= 255)))
)
WITH (fillfactor='70');
CREATE TABLE public.credit_limit_change (
    account_id bigint NOT NULL,
    after_entry bigint NOT NULL,
    credit_limit bigint NOT NULL,
    set_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT credit_limit_change_credit_limit_check CHECK ((credit_limit >= 0))
);
CREATE TABLE public.database_identity (
    is_only boolean DEFAULT true NOT NULL,
    system_identifier bigint,
    database_oid bigint NOT NULL,
    orders_oid bigint NOT NULL,
    timeline integer,
    noticed_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT database_identity_is_only_check CHECK (is_only)
);
CREATE TABLE public.deposit (
    account_id bigint NOT NULL,
    deposit_number bigint NOT NULL,
    kind text NOT NULL,
    reference text,
    reason text,
    amount bigint NOT NULL,
    currency text NOT NULL,
    fx_rate numeric(24,12) DEFAULT 1 NOT NULL,
    account_amount bigint NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT deposit_account_amount_check CHECK ((account_amount <> 0)),
    CONSTRAINT deposit_amount_check CHECK ((amount <> 0)),
    CONSTRAINT deposit_check CHECK (((kind = 'adjustment'::text) OR (amount > 0))),
    CONSTRAINT deposit_kind_check CHECK ((kind = ANY (ARRAY['deposit'::text, 'adjustment'::text])))
);
CREATE TABLE public.dispatch_backlog (
    account_id bigint NOT NULL,
    backlog_id bigint NOT NULL,
    carrier_id integer DEFAULT 0 NOT NULL,
    lane smallint NOT NULL,
    first_sequence bigint NOT NULL,
    last_sequence bigint NOT NULL,
    sequences bigint[],
    owner text,
    CONSTRAINT dispatch_backlog_check CHECK ((first_sequence <= last_sequence))
)
WITH (autovacuum_vacuum_scale_factor='0', autovacuum_vacuum_threshold='1000');
ALTER TABLE public.dispatch_backlog ALTER COLUMN backlog_id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.dispatch_backlog_backlog_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE public.dispatch_hold (
    hold_id bigint NOT NULL,
    held_before timestamp with time zone NOT NULL,
    reason text NOT NULL,
    set_at timestamp with time zone DEFAULT now() NOT NULL,
    released_at timestamp with time zone,
    CONSTRAINT dispatch_hold_reason_check CHECK ((reason <> ''::text))
);
ALTER TABLE public.dispatch_hold ALTER COLUMN hold_id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.dispatch_hold_hold_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE SEQUENCE public.dispatch_turn_order
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
CREATE TABLE public.dispatch_turn (
    account_id bigint NOT NULL,
    carrier_id integer NOT NULL,
    turn bigint DEFAULT nextval('public.dispatch_turn_order'::regclass) NOT NULL,
    taken integer DEFAULT 0 NOT NULL
)
WITH (fillfactor='50', autovacuum_vacuum_scale_factor='0', autovacuum_vacuum_threshold='1000');
CREATE TABLE public.doubtful_submit (
    message_id uuid NOT NULL,
    "position" smallint NOT NULL,
    carrier_id integer NOT NULL,
    destination text NOT NULL,
    reference integer NOT NULL,
    submitted_at timestamp with time zone NOT NULL
);
CREATE TABLE public.fx_rate (
    from_currency text NOT NULL,
    to_currency text NOT NULL,
    rate numeric(24,12) NOT NULL,
    set_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT fx_rate_check CHECK ((from_currency <> to_currency)),
    CONSTRAINT fx_rate_from_currency_check CHECK ((from_currency ~ '^[A-Z]{3}$'::text)),
    CONSTRAINT fx_rate_rate_check CHECK ((rate > (0)::numeric)),
    CONSTRAINT fx_rate_to_currency_check CHECK ((to_currency ~ '^[A-Z]{3}$'::text))
);
CREATE TABLE public.idempotency_key (
    account_id bigint NOT NULL,
    key text NOT NULL,
    fingerprint bytea NOT NULL,
    first_sequence bigint NOT NULL,
    order_count integer NOT NULL,
    created_at timestamp with time zone NOT NULL
);
CREATE TABLE public.journal_entry (
    account_id bigint NOT NULL,
    entry bigint NOT NULL,
    kind public.entry_kind NOT NULL,
    debit public.ledger_bucket NOT NULL,
    credit public.ledger_bucket NOT NULL,
    amount bigint NOT NULL,
    available_after bigint NOT NULL,
    first_sequence bigint,
    last_sequence bigint,
    order_count integer,
    deposit_number bigint,
    reason text,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT journal_entry_amount_check CHECK ((amount > 0))
);
CREATE TABLE public.order_transition (
    message_id uuid NOT NULL,
    at timestamp with time zone NOT NULL,
    from_state public.order_state NOT NULL,
    to_state public.order_state NOT NULL,
    actor text NOT NULL,
    carrier_code text
);
CREATE TABLE public.parked_receipt (
    receipt_id bigint NOT NULL,
    carrier_id integer NOT NULL,
    carrier_message_id text NOT NULL,
    user_message_reference integer,
    destination text NOT NULL,
    state text NOT NULL,
    carrier_code text NOT NULL,
    received_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT parked_receipt_state_check CHECK ((state = ANY (ARRAY['delivered'::text, 'undelivered'::text])))
);
ALTER TABLE public.parked_receipt ALTER COLUMN receipt_id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.parked_receipt_receipt_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE public.process_heartbeat (
    process_id text NOT NULL,
    role text NOT NULL,
    started_at timestamp with time zone DEFAULT now() NOT NULL,
    seen_at timestamp with time zone DEFAULT now() NOT NULL,
    details jsonb DEFAULT '{}'::jsonb NOT NULL,
    metrics jsonb DEFAULT '[]'::jsonb NOT NULL
)
WITH (fillfactor='50');
CREATE TABLE public.retention (
    is_only boolean DEFAULT true NOT NULL,
    text_days integer,
    row_days integer,
    set_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT retention_is_only_check CHECK (is_only),
    CONSTRAINT retention_row_days_check CHECK (((row_days >= 7) AND (row_days <= 36500))),
    CONSTRAINT retention_text_days_check CHECK (((text_days >= 1) AND (text_days <= 36500)))
);
CREATE TABLE public.retired_part (
    account_id bigint NOT NULL,
    entry bigint NOT NULL,
    amount bigint NOT NULL,
    orders integer NOT NULL
);
CREATE TABLE public.route (
    prefix text NOT NULL,
    carrier_id integer NOT NULL,
    rank smallint DEFAULT 1 NOT NULL,
    weight smallint DEFAULT 1 NOT NULL,
    cost bigint,
    currency text,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT route_check CHECK (((cost IS NULL) = (currency IS NULL))),
    CONSTRAINT route_cost_check CHECK ((cost >= 0)),
    CONSTRAINT route_currency_check CHECK ((currency ~ '^[A-Z]{3}$'::text)),
    CONSTRAINT route_prefix_check CHECK ((prefix ~ '^([1-9][0-9]{0,14})?$'::text)),
    CONSTRAINT route_rank_check CHECK (((rank >= 1) AND (rank <= 100))),
    CONSTRAINT route_weight_check CHECK (((weight >= 1) AND (weight <= 1000)))
);
CREATE TABLE public.schema_migration (
    id integer NOT NULL,
    "timestamp" bigint NOT NULL,
    name character varying NOT NULL
);
CREATE SEQUENCE public.schema_migration_id_seq
    AS integer
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE public.schema_migration_id_seq OWNED BY public.schema_migration.id;
CREATE TABLE public.segment (
    message_id uuid NOT NULL,
    "position" smallint NOT NULL,
    state public.segment_state NOT NULL,
    epoch integer NOT NULL,
    attempt integer DEFAULT 1 NOT NULL,
    carrier_id integer NOT NULL,
    carrier_message_id text,
    carrier_code text,
    submitted_at timestamp with time zone NOT NULL,
    accepted_at timestamp with time zone,
    settled_at timestamp with time zone,
    in_doubt_since timestamp with time zone,
    whole boolean DEFAULT false NOT NULL
)
WITH (fillfactor='70', autovacuum_vacuum_scale_factor='0.05');
CREATE TABLE public.tariff (
    tariff_id bigint NOT NULL,
    name text NOT NULL,
    currency text NOT NULL,
    is_default boolean DEFAULT false NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT tariff_currency_check CHECK ((currency ~ '^[A-Z]{3}$'::text))
);
CREATE TABLE public.tariff_rate (
    tariff_id bigint NOT NULL,
    prefix text NOT NULL,
    price bigint NOT NULL,
    CONSTRAINT tariff_rate_prefix_check CHECK ((prefix ~ '^[1-9][0-9]{0,14}$'::text)),
    CONSTRAINT tariff_rate_price_check CHECK ((price >= 0))
);
ALTER TABLE public.tariff ALTER COLUMN tariff_id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.tariff_tariff_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
ALTER TABLE ONLY public.schema_migration ALTER COLUMN id SET DEFAULT nextval('public.schema_migration_id_seq'::regclass);
INSERT INTO public.account OVERRIDING SYSTEM VALUE VALUES
	(1001, 'Sender', 'EUR', 1, 'active', NULL, '2026-11-22 17:06:59.266655+00', NULL, NULL),
	(1002, 'Sender', 'EUR', 1, 'active', NULL, '2026-11-22 17:07:01.569508+00', NULL, NULL),
	(1003, 'Sender', 'EUR', 1, 'active', NULL, '2026-11-22 17:07:01.597626+00', NULL, NULL);
INSERT INTO public.account_balance VALUES
	(1001, 108215001, 200000, 300000, 0, 10, 3, 9, '-infinity'),
	(1002, 0, 0, 0, 0, 0, 0, 0, '-infinity'),
	(1003, 0, 0, 0, 0, 0, 0, 0, '-infinity');
INSERT INTO public.api_key VALUES
	('u79971c0', 1001, '\xcc9b3b1b131572eba175e3e5ab3229558cd9b2b6fb717e0cd451166aafc7e345', '2026-11-22 17:06:59.266655+00', NULL),
	('tmcynsqp', 1002, '\x4f07fe1e1659a1c9a53a0b85a5a8072635d3c6c48777ba8eec9fe0596a6d2cfe', '2026-11-22 17:07:01.569508+00', NULL),
	('xxd851m7', 1003, '\xc0f6ea57e5260da768924cc0134f0cd85fd9f2ef4f7239ac341ef9382d3836b7', '2026-11-22 17:07:01.597626+00', NULL);
INSERT INTO public.carrier OVERRIDING SYSTEM VALUE VALUES
	(1, 'acme', '127.0.0.1', 2775, 'user', 'secret', false, 10, NULL, 'as-is', 'gsm0338', 'resend', false, NULL, '2026-11-22 17:06:59.31903+00', 'smpp', NULL, '{}');
INSERT INTO public.credit_limit_change VALUES
	(1001, 0, 0, '2026-11-22 17:06:59.266655+00'),
	(1002, 0, 0, '2026-11-22 17:07:01.569508+00'),
	(1003, 0, 0, '2026-11-22 17:07:01.597626+00');
INSERT INTO public.deposit VALUES
	(1001, 1, 'deposit', NULL, NULL, 100000000, 'EUR', 1.000000000000, 100000000, '2026-11-22 17:06:59.290424+00'),
	(1001, 2, 'deposit', 'dollars', NULL, 10000001, 'USD', 0.921500000000, 9215001, '2026-11-22 17:06:59.306207+00'),
	(1001, 3, 'adjustment', NULL, 'a correction', -1000000, 'EUR', 1.000000000000, -1000000, '2026-11-22 17:06:59.310992+00');
INSERT INTO public.dispatch_backlog OVERRIDING SYSTEM VALUE VALUES
	(1001, 1, 0, 1, 1, 3, NULL, NULL);
INSERT INTO public.dispatch_turn VALUES
	(1001, 0, 1, 0);
INSERT INTO public.fx_rate VALUES
	('USD', 'EUR', 0.921500000000, '2026-11-22 17:06:59.302539+00');
INSERT INTO public.idempotency_key VALUES
	(1001, 'batch', '\x0101010101010101010101010101010101010101010101010101010101010101', 1, 3, '2026-11-22 17:06:59.354311+00');
INSERT INTO public.journal_entry VALUES
	(1001, 1, 'deposit', 'funding', 'available', 100000000, 100000000, NULL, NULL, NULL, 1, NULL, '2026-11-22 17:06:59.290424+00'),
	(1001, 2, 'deposit', 'funding', 'available', 9215001, 109215001, NULL, NULL, NULL, 2, NULL, '2026-11-22 17:06:59.306207+00'),
	(1001, 3, 'adjust', 'available', 'funding', 1000000, 108215001, NULL, NULL, NULL, 3, 'a correction', '2026-11-22 17:06:59.310992+00'),
	(1001, 4, 'reserve', 'available', 'reserved', 650000, 107565001, 1, 10, 10, NULL, NULL, '2026-11-22 17:06:59.354311+00'),
	(1001, 5, 'capture', 'reserved', 'captured', 50000, 107565001, NULL, NULL, 1, NULL, NULL, '2026-11-22 17:07:00.034796+00'),
	(1001, 6, 'capture', 'reserved', 'captured', 100000, 107565001, NULL, NULL, 2, NULL, NULL, '2026-11-22 17:07:01.507482+00'),
	(1001, 7, 'release', 'reserved', 'available', 50000, 107615001, NULL, NULL, 1, NULL, NULL, '2026-11-22 17:07:01.507482+00'),
	(1001, 8, 'capture', 'reserved', 'captured', 150000, 107615001, NULL, NULL, 2, NULL, NULL, '2026-11-22 17:07:01.530724+00'),
	(1001, 9, 'release', 'reserved', 'available', 100000, 107715001, NULL, NULL, 1, NULL, NULL, '2026-11-22 17:07:01.530724+00');
INSERT INTO public.message_order VALUES
	('f7c3cd23-ab83-4c89-9f7b-1e7a7a9db30f', 1001, 2, '+49 1512 3456789', '4915123456789', 'xxxxxxxxxxxxxxxxxxxx', false, 1, 50000, 50000, 'undelivered', 1, 1, 'worker', 1, 'OK', NULL, NULL, NULL, '2026-11-22 18:06:59.354311+00', NULL, '2026-11-22 17:07:01.50826+00', '2026-11-22 17:07:01.555623+00', 6, NULL, '2026-11-22 17:06:59.354311+00', NULL),
	('21ce8e01-14b8-4463-8492-ccffb234c9b3', 1001, 7, '+49 1512 3456789', '4915123456789', 'xxxxxxxxxxxxxxxxxxxx', false, 1, 50000, 50000, 'unknown', 1, 1, 'worker', 1, 'NO_RECEIPT', NULL, NULL, NULL, '2026-11-22 18:06:59.354311+00', NULL, '2026-11-22 17:07:00.040883+00', '2026-11-22 17:07:00.296536+00', 5, NULL, '2026-11-22 17:06:59.354311+00', NULL),
	('90a9bc85-952d-455a-b6d5-e8be86d3fbd4', 1001, 9, '+49 1512 3456789', '4915123456789', 'xxxxxxxxxxxxxxxxxxxx', false, 1, 50000, 50000, 'queued', 0, 0, NULL, NULL, NULL, NULL, NULL, NULL, '2026-11-22 18:06:59.354311+00', '2026-11-22 17:07:10.042709+00', NULL, NULL, NULL, NULL, '2026-11-22 17:06:59.354311+00', NULL),
	('f7724680-602f-418a-bb87-bdf6b69efbf3', 1001, 6, '+49 1512 3456789', '4915123456789', 'xxxxxxxxxxxxxxxxxxxx', false, 1, 0, 0, 'delivered', 1, 1, 'worker', 1, 'OK', NULL, NULL, NULL, '2026-11-22 18:06:59.354311+00', NULL, '2026-11-22 17:07:01.508255+00', '2026-11-22 17:07:01.562465+00', NULL, NULL, '2026-11-22 17:06:59.354311+00', NULL),
	('a1089e4e-86e4-4f0b-a0d4-9b8b9e6b0025', 1001, 8, '+49 1512 3456789', '4915123456789', 'xxxxxxxxxxxxxxxxxxxx', false, 1, 50000, 50000, 'sending', 1, 1, 'worker', 1, NULL, NULL, '2026-11-22 17:08:01.21913+00', NULL, '2026-11-22 18:06:59.354311+00', '2026-11-22 17:07:10.042709+00', NULL, NULL, NULL, NULL, '2026-11-22 17:06:59.354311+00', NULL),
	('1d134525-791d-41f8-94ee-5376e8eb0557', 1001, 4, '+49 1512 3456789', '4915123456789', 'xxxxxxxxxxxxxxxxxxxx', false, 1, 50000, 0, 'failed', 1, 1, 'worker', 1, 'ESME_RNO', NULL, NULL, NULL, '2026-11-22 18:06:59.354311+00', NULL, NULL, '2026-11-22 17:07:01.520696+00', NULL, 7, '2026-11-22 17:06:59.354311+00', NULL),
	('61f86d9d-96d3-4f67-944e-4df3bbd282a4', 1001, 5, '+49 1512 3456789', '4915123456789', 'xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx', false, 2, 100000, 100000, 'sent', 1, 1, 'worker', 1, NULL, NULL, NULL, NULL, '2026-11-22 18:06:59.354311+00', '2026-11-22 17:07:10.042709+00', '2026-11-22 17:07:01.531592+00', NULL, 8, NULL, '2026-11-22 17:06:59.354311+00', NULL),
	('90f93c3d-9ebe-47f8-803b-1db8bf3c63cd', 1001, 10, '+49 1512 3456789', '4915123456789', 'xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx', false, 2, 100000, 100000, 'queued', 1, 1, 'worker', 1, 'ESME_RNO', NULL, NULL, '2026-11-22 17:08:01.530724+00', '2026-11-22 18:06:59.354311+00', '2026-11-22 17:08:03.530724+00', NULL, NULL, NULL, NULL, '2026-11-22 17:06:59.354311+00', NULL),
	('48fb4bc0-956b-494c-83e3-2134b7c9fc6e', 1001, 3, '+49 1512 3456789', '4915123456789', 'xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx', false, 3, 150000, 50000, 'failed', 1, 1, 'worker', 1, 'ESME_RNO', NULL, NULL, NULL, '2026-11-22 18:06:59.354311+00', NULL, NULL, '2026-11-22 17:07:01.531644+00', 8, 9, '2026-11-22 17:06:59.354311+00', NULL),
	('075c9441-f10e-4842-ad4d-5ba500b7525e', 1001, 1, '+49 1512 3456789', '4915123456789', 'xxxxxxxxxxxxxxxxxxxx', false, 1, 50000, 50000, 'delivered', 1, 1, 'worker', 1, 'OK', NULL, NULL, NULL, '2026-11-22 18:06:59.354311+00', NULL, '2026-11-22 17:07:01.508229+00', '2026-11-22 17:07:01.551434+00', 6, NULL, '2026-11-22 17:06:59.354311+00', NULL);
INSERT INTO public.order_transition VALUES
	('21ce8e01-14b8-4463-8492-ccffb234c9b3', '2026-11-22 17:06:59.381487+00', 'queued', 'sending', 'worker', NULL),
	('21ce8e01-14b8-4463-8492-ccffb234c9b3', '2026-11-22 17:07:00.037331+00', 'sending', 'sent', 'worker', NULL),
	('21ce8e01-14b8-4463-8492-ccffb234c9b3', '2026-11-22 17:07:00.296598+00', 'sent', 'unknown', 'reconciler', 'NO_RECEIPT'),
	('075c9441-f10e-4842-ad4d-5ba500b7525e', '2026-11-22 17:07:01.21913+00', 'queued', 'sending', 'worker', NULL),
	('1d134525-791d-41f8-94ee-5376e8eb0557', '2026-11-22 17:07:01.21913+00', 'queued', 'sending', 'worker', NULL),
	('48fb4bc0-956b-494c-83e3-2134b7c9fc6e', '2026-11-22 17:07:01.21913+00', 'queued', 'sending', 'worker', NULL),
	('61f86d9d-96d3-4f67-944e-4df3bbd282a4', '2026-11-22 17:07:01.21913+00', 'queued', 'sending', 'worker', NULL),
	('90f93c3d-9ebe-47f8-803b-1db8bf3c63cd', '2026-11-22 17:07:01.21913+00', 'queued', 'sending', 'worker', NULL),
	('a1089e4e-86e4-4f0b-a0d4-9b8b9e6b0025', '2026-11-22 17:07:01.21913+00', 'queued', 'sending', 'worker', NULL),
	('f7724680-602f-418a-bb87-bdf6b69efbf3', '2026-11-22 17:07:01.21913+00', 'queued', 'sending', 'worker', NULL),
	('f7c3cd23-ab83-4c89-9f7b-1e7a7a9db30f', '2026-11-22 17:07:01.21913+00', 'queued', 'sending', 'worker', NULL),
	('075c9441-f10e-4842-ad4d-5ba500b7525e', '2026-11-22 17:07:01.508142+00', 'sending', 'sent', 'worker', NULL),
	('f7724680-602f-418a-bb87-bdf6b69efbf3', '2026-11-22 17:07:01.508183+00', 'sending', 'sent', 'worker', NULL),
	('f7c3cd23-ab83-4c89-9f7b-1e7a7a9db30f', '2026-11-22 17:07:01.508185+00', 'sending', 'sent', 'worker', NULL),
	('1d134525-791d-41f8-94ee-5376e8eb0557', '2026-11-22 17:07:01.520749+00', 'sending', 'failed', 'worker', 'ESME_RNO'),
	('61f86d9d-96d3-4f67-944e-4df3bbd282a4', '2026-11-22 17:07:01.531655+00', 'sending', 'sent', 'worker', NULL),
	('90f93c3d-9ebe-47f8-803b-1db8bf3c63cd', '2026-11-22 17:07:01.531691+00', 'sending', 'queued', 'worker', 'ESME_RNO'),
	('48fb4bc0-956b-494c-83e3-2134b7c9fc6e', '2026-11-22 17:07:01.531695+00', 'sending', 'failed', 'worker', 'ESME_RNO'),
	('075c9441-f10e-4842-ad4d-5ba500b7525e', '2026-11-22 17:07:01.551365+00', 'sent', 'delivered', 'receipt', 'OK'),
	('f7c3cd23-ab83-4c89-9f7b-1e7a7a9db30f', '2026-11-22 17:07:01.555564+00', 'sent', 'undelivered', 'receipt', 'OK'),
	('f7724680-602f-418a-bb87-bdf6b69efbf3', '2026-11-22 17:07:01.562422+00', 'sent', 'delivered', 'receipt', 'OK');
INSERT INTO public.schema_migration VALUES
	(1, 1763600000000, 'InitialSchema1763600000000'),
	(2, 1763700000000, 'CarriersAndRoutes1763700000000'),
	(3, 1763700200000, 'DispatchHold1763700200000'),
	(4, 1763700400000, 'DispatchByRoute1763700400000'),
	(5, 1763800000000, 'CheaperStatements1763800000000'),
	(6, 1763800200000, 'FairDispatch1763800200000'),
	(7, 1763840000000, 'Retention1763840000000'),
	(8, 1763840100000, 'Growth1763840100000'),
	(9, 1763850000000, 'LongBacklogs1763850000000'),
	(10, 1763860000000, 'FewerPasses1763860000000');
INSERT INTO public.segment VALUES
	('21ce8e01-14b8-4463-8492-ccffb234c9b3', 1, 'unknown', 1, 1, 1, 'unknown-1', NULL, '2026-11-22 17:06:59.381487+00', '2026-11-22 17:07:00.034796+00', NULL, NULL, false),
	('a1089e4e-86e4-4f0b-a0d4-9b8b9e6b0025', 1, 'submitting', 1, 1, 1, NULL, NULL, '2026-11-22 17:07:01.21913+00', NULL, NULL, NULL, false),
	('1d134525-791d-41f8-94ee-5376e8eb0557', 1, 'refused', 1, 1, 1, NULL, 'ESME_RNO', '2026-11-22 17:07:01.21913+00', NULL, NULL, NULL, false),
	('48fb4bc0-956b-494c-83e3-2134b7c9fc6e', 1, 'accepted', 1, 1, 1, 'partlyFailed-1', NULL, '2026-11-22 17:07:01.21913+00', '2026-11-22 17:07:01.507482+00', NULL, NULL, false),
	('61f86d9d-96d3-4f67-944e-4df3bbd282a4', 1, 'accepted', 1, 1, 1, 'sent-1', NULL, '2026-11-22 17:07:01.21913+00', '2026-11-22 17:07:01.507482+00', NULL, NULL, false),
	('90f93c3d-9ebe-47f8-803b-1db8bf3c63cd', 1, 'accepted', 1, 1, 1, 'throttled-1', NULL, '2026-11-22 17:07:01.21913+00', '2026-11-22 17:07:01.507482+00', NULL, NULL, false),
	('48fb4bc0-956b-494c-83e3-2134b7c9fc6e', 2, 'refused', 1, 1, 1, NULL, 'ESME_RNO', '2026-11-22 17:07:01.523821+00', NULL, NULL, NULL, false),
	('61f86d9d-96d3-4f67-944e-4df3bbd282a4', 2, 'accepted', 1, 1, 1, 'sent-2', NULL, '2026-11-22 17:07:01.523821+00', '2026-11-22 17:07:01.530724+00', NULL, NULL, false),
	('90f93c3d-9ebe-47f8-803b-1db8bf3c63cd', 2, 'pending', 1, 1, 1, NULL, 'ESME_RNO', '2026-11-22 17:07:01.523821+00', NULL, NULL, NULL, false),
	('075c9441-f10e-4842-ad4d-5ba500b7525e', 1, 'delivered', 1, 1, 1, 'delivered-1', 'OK', '2026-11-22 17:07:01.21913+00', '2026-11-22 17:07:01.507482+00', '2026-11-22 17:07:01.538183+00', NULL, false),
	('f7c3cd23-ab83-4c89-9f7b-1e7a7a9db30f', 1, 'undelivered', 1, 1, 1, 'undelivered-1', 'OK', '2026-11-22 17:07:01.21913+00', '2026-11-22 17:07:01.507482+00', '2026-11-22 17:07:01.555183+00', NULL, false),
	('f7724680-602f-418a-bb87-bdf6b69efbf3', 1, 'delivered', 1, 1, 1, 'free-1', 'OK', '2026-11-22 17:07:01.21913+00', '2026-11-22 17:07:01.507482+00', '2026-11-22 17:07:01.562065+00', NULL, false);
INSERT INTO public.tariff OVERRIDING SYSTEM VALUE VALUES
	(1, 'plain', 'EUR', true, '2026-11-22 17:06:59.228955+00');
INSERT INTO public.tariff_rate VALUES
	(1, '49', 50000);
SELECT pg_catalog.setval('public.account_account_id_seq', 1003, true);
SELECT pg_catalog.setval('public.carrier_carrier_id_seq', 1, true);
SELECT pg_catalog.setval('public.dispatch_backlog_backlog_id_seq', 1, true);
SELECT pg_catalog.setval('public.dispatch_hold_hold_id_seq', 1, false);
SELECT pg_catalog.setval('public.dispatch_turn_order', 1, true);
SELECT pg_catalog.setval('public.parked_receipt_receipt_id_seq', 1, false);
SELECT pg_catalog.setval('public.schema_migration_id_seq', 10, true);
SELECT pg_catalog.setval('public.tariff_tariff_id_seq', 1, true);
ALTER TABLE ONLY public.schema_migration
    ADD CONSTRAINT "PK_0edff5015b71cc0389ae0f4b9a1" PRIMARY KEY (id);
ALTER TABLE ONLY public.account_balance
    ADD CONSTRAINT account_balance_pkey PRIMARY KEY (account_id);
ALTER TABLE ONLY public.account
    ADD CONSTRAINT account_pkey PRIMARY KEY (account_id);
ALTER TABLE ONLY public.account_retired
    ADD CONSTRAINT account_retired_pkey PRIMARY KEY (account_id);
ALTER TABLE ONLY public.api_key
    ADD CONSTRAINT api_key_pkey PRIMARY KEY (key_id);
ALTER TABLE public.journal_entry
    ADD CONSTRAINT balanced_entry CHECK (((((((kind)::text || ':'::text) || (debit)::text) || '>'::text) || (credit)::text) = ANY ('{deposit:funding>available,reserve:available>reserved,capture:reserved>captured,release:reserved>available,refund:captured>available,adjust:funding>available,adjust:available>funding}'::text[]))) NOT VALID;
ALTER TABLE ONLY public.carrier_bind
    ADD CONSTRAINT carrier_bind_pkey PRIMARY KEY (carrier_id, slot);
ALTER TABLE ONLY public.carrier
    ADD CONSTRAINT carrier_pkey PRIMARY KEY (carrier_id);
ALTER TABLE ONLY public.concatenation_counter
    ADD CONSTRAINT concatenation_counter_pkey PRIMARY KEY (destination);
ALTER TABLE ONLY public.credit_limit_change
    ADD CONSTRAINT credit_limit_change_pkey PRIMARY KEY (account_id, after_entry);
ALTER TABLE ONLY public.database_identity
    ADD CONSTRAINT database_identity_pkey PRIMARY KEY (is_only);
ALTER TABLE ONLY public.deposit
    ADD CONSTRAINT deposit_pkey PRIMARY KEY (account_id, deposit_number);
ALTER TABLE ONLY public.dispatch_backlog
    ADD CONSTRAINT dispatch_backlog_pkey PRIMARY KEY (account_id, backlog_id);
ALTER TABLE ONLY public.dispatch_hold
    ADD CONSTRAINT dispatch_hold_pkey PRIMARY KEY (hold_id);
ALTER TABLE ONLY public.dispatch_turn
    ADD CONSTRAINT dispatch_turn_pkey PRIMARY KEY (account_id, carrier_id);
ALTER TABLE ONLY public.doubtful_submit
    ADD CONSTRAINT doubtful_submit_pkey PRIMARY KEY (message_id, "position", submitted_at);
ALTER TABLE ONLY public.fx_rate
    ADD CONSTRAINT fx_rate_pkey PRIMARY KEY (from_currency, to_currency);
ALTER TABLE ONLY public.idempotency_key
    ADD CONSTRAINT idempotency_key_pkey PRIMARY KEY (account_id, key);
ALTER TABLE ONLY public.journal_entry
    ADD CONSTRAINT journal_entry_pkey PRIMARY KEY (account_id, entry);
ALTER TABLE public.order_transition
    ADD CONSTRAINT legal_transition CHECK (((((from_state)::text || '>'::text) || (to_state)::text) = ANY ('{queued>sending,queued>sent,queued>failed,sending>sent,sending>queued,sending>failed,sending>unknown,sent>delivered,sent>undelivered,sent>unknown,unknown>delivered,unknown>undelivered,undelivered>delivered}'::text[]))) NOT VALID;
ALTER TABLE ONLY public.message_order
    ADD CONSTRAINT message_order_pkey PRIMARY KEY (id);
ALTER TABLE public.order_transition
    ADD CONSTRAINT order_transition_actor_check CHECK ((actor = ANY (ARRAY['worker'::text, 'receipt'::text, 'reconciler'::text, 'operator'::text]))) NOT VALID;
ALTER TABLE ONLY public.parked_receipt
    ADD CONSTRAINT parked_receipt_pkey PRIMARY KEY (receipt_id);
ALTER TABLE ONLY public.process_heartbeat
    ADD CONSTRAINT process_heartbeat_pkey PRIMARY KEY (process_id);
ALTER TABLE ONLY public.retention
    ADD CONSTRAINT retention_pkey PRIMARY KEY (is_only);
ALTER TABLE ONLY public.retired_part
    ADD CONSTRAINT retired_part_pkey PRIMARY KEY (account_id, entry);
ALTER TABLE ONLY public.route
    ADD CONSTRAINT route_pkey PRIMARY KEY (prefix, carrier_id);
ALTER TABLE ONLY public.segment
    ADD CONSTRAINT segment_pkey PRIMARY KEY (message_id, "position");
ALTER TABLE ONLY public.tariff
    ADD CONSTRAINT tariff_name_key UNIQUE (name);
ALTER TABLE ONLY public.tariff
    ADD CONSTRAINT tariff_pkey PRIMARY KEY (tariff_id);
ALTER TABLE ONLY public.tariff_rate
    ADD CONSTRAINT tariff_rate_pkey PRIMARY KEY (tariff_id, prefix);
CREATE INDEX api_key_account ON public.api_key USING btree (account_id);
CREATE UNIQUE INDEX carrier_name ON public.carrier USING btree (name) WHERE (removed_at IS NULL);
CREATE UNIQUE INDEX deposit_reference ON public.deposit USING btree (account_id, reference) WHERE (reference IS NOT NULL);
CREATE INDEX dispatch_backlog_cover ON public.dispatch_backlog USING btree (account_id, last_sequence);
CREATE INDEX dispatch_backlog_next ON public.dispatch_backlog USING btree (carrier_id, account_id, lane, first_sequence) WHERE (owner IS NULL);
CREATE INDEX dispatch_backlog_owner ON public.dispatch_backlog USING btree (owner, backlog_id) WHERE (owner IS NOT NULL);
CREATE UNIQUE INDEX dispatch_hold_active ON public.dispatch_hold USING btree ((true)) WHERE (released_at IS NULL);
CREATE INDEX dispatch_turn_next ON public.dispatch_turn USING btree (carrier_id, turn);
CREATE INDEX doubtful_submit_age ON public.doubtful_submit USING btree (submitted_at);
CREATE INDEX doubtful_submit_reference ON public.doubtful_submit USING btree (carrier_id, destination, reference);
CREATE INDEX idempotency_key_age ON public.idempotency_key USING btree (created_at);
CREATE INDEX message_order_due ON public.message_order USING btree (due_at) WHERE (due_at IS NOT NULL);
CREATE UNIQUE INDEX message_order_sequence ON public.message_order USING btree (account_id, sequence);
CREATE INDEX order_transition_message ON public.order_transition USING btree (message_id);
CREATE UNIQUE INDEX parked_receipt_once ON public.parked_receipt USING btree (carrier_message_id, carrier_id, destination, state, COALESCE(user_message_reference, '-1'::integer));
CREATE INDEX segment_carrier_message ON public.segment USING btree (carrier_message_id, carrier_id) WHERE (carrier_message_id IS NOT NULL);
CREATE INDEX segment_in_doubt ON public.segment USING btree (carrier_id) WHERE (in_doubt_since IS NOT NULL);
CREATE UNIQUE INDEX tariff_default_per_currency ON public.tariff USING btree (currency) WHERE is_default;
ALTER TABLE ONLY public.account_balance
    ADD CONSTRAINT account_balance_account_id_fkey FOREIGN KEY (account_id) REFERENCES public.account(account_id);
ALTER TABLE ONLY public.account_retired
    ADD CONSTRAINT account_retired_account_id_fkey FOREIGN KEY (account_id) REFERENCES public.account(account_id);
ALTER TABLE ONLY public.account
    ADD CONSTRAINT account_tariff_id_fkey FOREIGN KEY (tariff_id) REFERENCES public.tariff(tariff_id);
ALTER TABLE ONLY public.api_key
    ADD CONSTRAINT api_key_account_id_fkey FOREIGN KEY (account_id) REFERENCES public.account(account_id);
ALTER TABLE ONLY public.carrier_bind
    ADD CONSTRAINT carrier_bind_carrier_id_fkey FOREIGN KEY (carrier_id) REFERENCES public.carrier(carrier_id);
ALTER TABLE ONLY public.credit_limit_change
    ADD CONSTRAINT credit_limit_change_account_id_fkey FOREIGN KEY (account_id) REFERENCES public.account(account_id);
ALTER TABLE ONLY public.route
    ADD CONSTRAINT route_carrier_id_fkey FOREIGN KEY (carrier_id) REFERENCES public.carrier(carrier_id);
ALTER TABLE ONLY public.tariff_rate
    ADD CONSTRAINT tariff_rate_tariff_id_fkey FOREIGN KEY (tariff_id) REFERENCES public.tariff(tariff_id) ON DELETE CASCADE;
