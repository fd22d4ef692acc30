-- The database itself records what operators change, whichever program they use: who, when, from where, by which
-- command, the values before and after. One trigger function serves every table that operators change. Dispatch and
-- accepting never write such a table, so sending a message fires no trigger.
--
-- The actor is the setting heliograph.actor of the session, one JSON object (smsctl sets it; its `operator` is shown as
-- who). A change without it is recorded with the database user and the name of the application. The setting is a claim:
-- anybody who may write to the database may set any value. The database user and the client's address come from the
-- server.
--
-- A record holds no secret: the values of columns and options with such a name are replaced by ***, which also says
-- when a secret has changed. Amounts are decimal strings of the currency, as in smsctl.

create or replace function is_secret_name(p_name text) returns boolean
language sql immutable as $$
  select p_name ~* '(password|passphrase|secret|token|hash|private)'
      or p_name ~ '(Key|KeyPem|[_-]key|[_-]key_pem)$'
      or p_name = 'key'
$$;

-- A value without secrets. p_other: the value of the row before; a secret that differs from it is marked as changed.
create or replace function without_secrets(p_value jsonb, p_other jsonb default null) returns jsonb
language plpgsql immutable as $$
begin
  if jsonb_typeof(p_value) = 'object' then
    return (select coalesce(jsonb_object_agg(e.key,
              case when e.value in ('null', '""') or not is_secret_name(e.key)
                   then without_secrets(e.value, p_other -> e.key)
                   when p_other -> e.key is not null and p_other -> e.key <> e.value then '"*** (changed)"'
                   else '"***"' end), '{}')
              from jsonb_each(p_value) e);
  elsif jsonb_typeof(p_value) = 'array' then
    return (select coalesce(jsonb_agg(without_secrets(e.value)), '[]') from jsonb_array_elements(p_value) e);
  end if;
  return p_value;
end $$;

-- A row, or a part of one, for people: amounts in units of the currency, names beside the numbers of tariffs and
-- carriers.
create or replace function readable_row(p_row jsonb) returns jsonb
language sql stable as $$
  select p_row
      || coalesce((select jsonb_object_agg(e.key, to_jsonb(trim_scale((e.value #>> '{}')::numeric / 1000000)::text))
                     from jsonb_each(p_row) e
                    where e.key in ('credit_limit', 'balance_alert', 'amount', 'account_amount', 'price', 'cost')
                      and jsonb_typeof(e.value) = 'number'), '{}')
      || coalesce((select jsonb_build_object('tariff', t.name)
                   from tariff t where t.tariff_id = (p_row ->> 'tariff_id')::bigint), '{}')
      || coalesce((select jsonb_build_object('carrier', c.name) from carrier c
                    where c.carrier_id = (p_row ->> 'carrier_id')::integer and not p_row ? 'name'), '{}')
$$;

-- Records one change to a table without a trigger, because messages write that table too.
create or replace function record_operator_action(
  p_subject text, p_subject_id text, p_account_id bigint, p_action text, p_before jsonb, p_after jsonb
) returns void
language sql as $$
  insert into operator_change (operator, actor, subject, subject_id, account_id, action, before, after)
  select coalesce(said.actor ->> 'operator', session_user::text),
         coalesce(said.actor, '{}') || jsonb_strip_nulls(jsonb_build_object(
           'databaseUser', session_user, 'application', nullif(current_setting('application_name'), ''),
           'databaseClient', host(inet_client_addr()))),
         p_subject, p_subject_id, p_account_id, p_action, p_before, p_after
    from (select nullif(current_setting('heliograph.actor', true), '')::jsonb as actor) said
$$;

-- For each row. First argument: the columns that name the row, separated by commas; second: columns whose changes are
-- not an operator's. A key's last use is one of these, and is written for every key that is used, once a minute; so
-- what a change looks like to people is found only for what is recorded.
create or replace function record_operator_change() returns trigger
language plpgsql as $$
declare
  v_before  jsonb := case when tg_op <> 'INSERT' then to_jsonb(old) end;
  v_after   jsonb := case when tg_op <> 'DELETE' then to_jsonb(new) end;
  v_row     jsonb := coalesce(v_after, v_before);
  v_ignored text[] := string_to_array(coalesce(tg_argv[1], ''), ',');
  v_id      text;
  v_changed text[];
begin
  -- A sandbox follows its account, and its money is not real; its keys and endpoints are those of the account (ADR 37).
  if (v_row ->> 'account_id')::bigint < 0
     and tg_table_name in ('account', 'held_account', 'credit_limit_change', 'deposit') then
    return null;
  end if;
  if tg_op = 'UPDATE' then
    select array_agg(e.key) into v_changed from jsonb_each(v_after) e
     where e.value is distinct from v_before -> e.key and e.key <> all(v_ignored);
    if v_changed is null then
      return null;
    end if;
    select jsonb_object_agg(e.key, e.value) into v_before from jsonb_each(v_before) e where e.key = any(v_changed);
    select jsonb_object_agg(e.key, e.value) into v_after from jsonb_each(v_after) e where e.key = any(v_changed);
  elsif tg_op = 'INSERT' and tg_table_name = 'credit_limit_change' then
    -- A limit of an account comes after another one.
    select to_jsonb(c) into v_before from credit_limit_change c
     where c.account_id = new.account_id and c.after_entry < new.after_entry order by c.after_entry desc limit 1;
  end if;
  v_row := readable_row(v_row);
  select string_agg(coalesce(nullif(v_row ->> k, ''), '*'), '/' order by n) into v_id
    from unnest(string_to_array(tg_argv[0], ',')) with ordinality as a(k, n);
  perform record_operator_action(
    tg_table_name, v_id, abs((v_row ->> 'account_id')::bigint), lower(tg_op),
    without_secrets(readable_row(v_before)), without_secrets(readable_row(v_after), v_before));
  return null;
end $$;

-- An import of a tariff changes hundreds of rates: one record for all rates that one statement added, removed or
-- changed.
create or replace function record_rate_changes() returns trigger
language plpgsql as $$
declare
  v_one record;
begin
  if tg_op = 'INSERT' then
    for v_one in select r.tariff_id,
                        jsonb_build_object('rates', count(*),
                                           'prices', jsonb_object_agg(r.prefix, trim_scale(r.price / 1000000.0)::text))
                        || case when isfinite(r.valid_from) then jsonb_build_object('from', r.valid_from)
                                else '{}' end as rates
                   from new_rates r group by r.tariff_id, r.valid_from
    loop
      perform record_operator_action('tariff_rate',
                                     (select t.name from tariff t where t.tariff_id = v_one.tariff_id),
                                     null, 'insert',
                                     null, v_one.rates);
    end loop;
  elsif tg_op = 'DELETE' then
    for v_one in select r.tariff_id,
                        jsonb_build_object('rates', count(*),
                                           'prices', jsonb_object_agg(r.prefix, trim_scale(r.price / 1000000.0)::text))
                        || case when isfinite(r.valid_from) then jsonb_build_object('from', r.valid_from)
                                else '{}' end as rates
                   from old_rates r group by r.tariff_id, r.valid_from
    loop
      perform record_operator_action('tariff_rate', (select t.name from tariff t where t.tariff_id = v_one.tariff_id),
                                     null, 'delete',
                                     v_one.rates, null);
    end loop;
  else
    for v_one in select n.tariff_id, count(*) as rates,
                        jsonb_object_agg(n.prefix, trim_scale(o.price / 1000000.0)::text) as old_prices,
                        jsonb_object_agg(n.prefix, trim_scale(n.price / 1000000.0)::text) as new_prices
                   from new_rates n join old_rates o using (tariff_id, prefix)
                  where n is distinct from o group by n.tariff_id
    loop
      perform record_operator_action('tariff_rate', (select t.name from tariff t where t.tariff_id = v_one.tariff_id),
                                     null, 'update',
                                     jsonb_build_object('rates', v_one.rates, 'prices', v_one.old_prices),
                                     jsonb_build_object('rates', v_one.rates, 'prices', v_one.new_prices));
    end loop;
  end if;
  return null;
end $$;

-- The same for the costs of a carrier.
create or replace function record_cost_changes() returns trigger
language plpgsql as $$
declare
  v_one record;
begin
  for v_one in
    select c.carrier_id,
           jsonb_build_object('costs', count(*), 'from', c.valid_from,
                              'prices', jsonb_object_agg(c.prefix, trim_scale(c.cost / 1000000.0)::text
                                                          || ' ' || c.currency)) as costs
      from changed_costs c group by c.carrier_id, c.valid_from
  loop
    perform record_operator_action('carrier_cost', (select c.name from carrier c where c.carrier_id = v_one.carrier_id),
                                   null, lower(tg_op),
                                   case when tg_op = 'DELETE' then v_one.costs end,
                                   case when tg_op = 'INSERT' then v_one.costs end);
  end loop;
  return null;
end $$;

create or replace function refuse_change_of_record() returns trigger
language plpgsql as $$
begin
  raise exception 'operator_change is append-only: a record is neither changed nor removed'
    using errcode = 'insufficient_privilege';
end $$;

do $$
declare
  v_one record;
begin
  for v_one in
    select * from (values ('account', 'account_id', 'has_suppressions,guard_version'),
                          ('held_account', 'account_id', ''), ('api_key', 'key_id', 'last_used_at'),
                          ('carrier', 'name', ''), ('route', 'prefix,carrier', ''), ('tariff', 'name', ''),
                          ('fx_rate', 'from_currency,to_currency', 'set_at'),
                          ('deposit', 'account_id,deposit_number', ''),
                          ('credit_limit_change', 'account_id', 'set_at'), ('guard', 'account_id', ''),
                          ('dispatch_hold', 'hold_id', ''),
                          ('number_assignment', 'number', 'created_at'), ('inbound_keyword', 'word', ''),
                          ('retention', 'is_only', 'set_at'), ('account_retention', 'account_id', ''),
                          ('webhook_endpoint', 'endpoint_id', ''),
                          ('operator', 'name', 'totp_pending_secret,totp_step,failures,locked_until,last_sign_in_at'),
                          ('operator_token', 'name', 'last_used_at')) as t(name, columns, ignored)
  loop
    execute format('create or replace trigger record_operator_change after insert or update or delete on %I
                    for each row execute function record_operator_change(%L, %L)',
                    v_one.name, v_one.columns, v_one.ignored);
  end loop;
end $$;

create or replace trigger record_added_rates after insert on tariff_rate referencing new table as new_rates
  for each statement execute function record_rate_changes();
create or replace trigger record_removed_rates after delete on tariff_rate referencing old table as old_rates
  for each statement execute function record_rate_changes();
create or replace trigger record_changed_rates after update on tariff_rate
  referencing old table as old_rates new table as new_rates
  for each statement execute function record_rate_changes();

create or replace trigger record_added_costs after insert on carrier_cost referencing new table as changed_costs
  for each statement execute function record_cost_changes();
create or replace trigger record_removed_costs after delete on carrier_cost referencing old table as changed_costs
  for each statement execute function record_cost_changes();

create or replace trigger append_only before update or delete or truncate on operator_change
  for each statement execute function refuse_change_of_record();
