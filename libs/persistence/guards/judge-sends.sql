-- What accept_messages() asks of the guards of accounts that have some. It holds the balance rows, so whoever changes a
-- list or a count after it has waited for its commit. In plpgsql, because a function in SQL is planned at each call,
-- and without planner settings, because those of accept_messages() hold: both cost a commit of 64 sends 5 % of its
-- time.

-- The messages of a call, by their place, whose numbers are on the suppression list of their account; null: none.
create or replace function suppressed_messages(p_hashes bytea[], p_accounts bigint[], p_request integer[])
returns integer[]
language plpgsql stable as $$
begin
  return (select array_agg(h.m) from unnest(p_hashes, p_request) with ordinality as h(number_hash, request, m)
           where exists (select from suppression s
                          where s.account_id = p_accounts[h.request] and s.number_hash = h.number_hash));
end $$;

-- The keys, by their place from 0 on, of which an account would have more than their max in this hour; null: none.
create or replace function keys_over_max(
  p_account_id bigint, p_hour timestamptz, p_keys bytea[], p_counted integer[], p_maxima integer[]
) returns integer[]
language plpgsql stable as $$
begin
  return (select array_agg(k.n - 1 order by k.n)
            from unnest(p_keys, p_counted, p_maxima) with ordinality as k(key_hash, counted, max, n)
            left join velocity_count c on c.hour = p_hour and c.account_id = p_account_id and c.key_hash = k.key_hash
           where coalesce(c.messages, 0) + k.counted > k.max);
end $$;

-- A key stands in it once.
create or replace function count_keys(p_account_id bigint, p_hour timestamptz, p_keys bytea[], p_counted integer[])
returns void language plpgsql as $$
begin
  insert into velocity_count as c (hour, account_id, key_hash, messages)
  select p_hour, p_account_id, k.key_hash, k.counted from unnest(p_keys, p_counted) as k(key_hash, counted)
  on conflict (hour, account_id, key_hash) do update set messages = c.messages + excluded.messages;
end $$;
