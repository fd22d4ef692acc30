-- How long a person may do nothing before the session ends.
create or replace function session_idle_time() returns interval
language sql immutable as $$ select interval '30 minutes' $$;

-- The sessions that have not ended: not 12 hours old (expires_at), not idle for too long, and their operator is not
-- disabled. The planner inlines it, so a condition on the hash uses the primary key.
create or replace function live_sessions() returns setof operator_session
language sql stable as $$
  select s.* from operator_session s join operator o using (operator_id)
   where s.expires_at > now() and s.last_seen_at > now() - session_idle_time() and o.disabled_at is null
$$;
