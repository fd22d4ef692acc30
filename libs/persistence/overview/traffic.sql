-- How many messages were accepted, handed to carriers, delivered and failed, in steps of five minutes.
--
-- move_orders() writes one row into traffic_move for each statement, in the transaction of the change. A worker folds
-- these rows into traffic_step. Accepting writes nothing here: each account's numbers are without gaps, so the fold
-- reads from its balance row how many messages it has accepted since the last fold.

-- The planner writes this into the statement that calls it: date_bin is immutable, extract of a timestamptz is not.
create or replace function traffic_step_of(p_at timestamptz) returns timestamptz language sql immutable as $$
  select date_bin('5 minutes', p_at, timestamptz '2000-01-01 00:00:00Z')
$$;

-- Folds up to p_limit rows, and drops steps that are older than eight days. Returns how many rows it has folded. One
-- call at a time over all workers (advisory lock of the transaction).
create or replace function fold_traffic(p_limit integer) returns integer
language plpgsql as $$
declare
  v_folded integer;
begin
  if not pg_try_advisory_xact_lock(hashtext('heliograph.fold_traffic')) then
    return 0;
  end if;
  with moves as (
    delete from traffic_move where ctid = any(array(select m.ctid from traffic_move m limit p_limit))
    returning *, traffic_step_of(at) as started_at
  ), counts as (
    select m.started_at, m.event, c.*
      from moves m
     cross join lateral unnest(m.accounts, m.carriers, m.codes, m.messages) as c(account_id, carrier_id, code, messages)
  ), sums as (
    insert into traffic_step as s
    select c.started_at, c.account_id, c.carrier_id, c.event, sum(c.messages) from counts c group by 1, 2, 3, 4
    on conflict (started_at, account_id, carrier_id, event) do update set messages = s.messages + excluded.messages
  ), reasons as (
    insert into traffic_reason as r
    select c.started_at, c.carrier_id, c.event, c.code, sum(c.messages) from counts c
     where c.code is not null group by 1, 2, 3, 4
    on conflict (started_at, carrier_id, event, code) do update set messages = r.messages + excluded.messages
  )
  select count(*) into v_folded from moves;

  with grown as (
    select b.account_id, b.last_sequence, b.last_sequence - coalesce(t.last_sequence, 0) as messages
      from account_balance b left join traffic_progress t using (account_id)
     where b.account_id > 0 and b.last_sequence > coalesce(t.last_sequence, 0)
  ), counted as (
    insert into traffic_progress select g.account_id, g.last_sequence from grown g
    on conflict (account_id) do update set last_sequence = excluded.last_sequence
  )
  insert into traffic_step as s
  select traffic_step_of(now()), g.account_id, 0, 'queued', g.messages from grown g
  on conflict (started_at, account_id, carrier_id, event) do update set messages = s.messages + excluded.messages;

  delete from traffic_step where ctid = any(array(
    select s.ctid from traffic_step s where s.started_at < now() - interval '8 days' limit p_limit));
  delete from traffic_reason where started_at < now() - interval '1 day';
  return v_folded;
end $$;

-- The sums of the last hour (is_now) and of the same hour a week before: by step, by account, and by carrier; null
-- where a line is not of one step, account or carrier. The step of the week before that corresponds to the running one
-- counts by the share of the running step that is over.
create or replace function read_traffic() returns table (
  is_now boolean, started_at timestamptz, account_id bigint, carrier_id integer, event order_state, messages bigint
) language sql stable as $$
  with bounds as (
    select traffic_step_of(now()) as running, interval '7 days' as week,
           extract(epoch from now() - traffic_step_of(now())) / 300 as share
  ), steps as (
    select true as is_now, s.*, 1::numeric as weight from bounds b, traffic_step s
     where s.started_at > b.running - interval '1 hour' and s.started_at <= b.running
    union all
    select false, s.*, case when s.started_at = b.running - b.week then b.share else 1 end from bounds b, traffic_step s
     where s.started_at > b.running - b.week - interval '1 hour' and s.started_at <= b.running - b.week
  )
  select t.is_now, t.started_at, t.account_id, t.carrier_id, t.event, round(sum(t.messages * t.weight))::bigint
    from steps t
   group by grouping sets ((t.is_now, t.event, t.started_at), (t.is_now, t.event, t.account_id),
                           (t.is_now, t.event, t.carrier_id))
$$;
