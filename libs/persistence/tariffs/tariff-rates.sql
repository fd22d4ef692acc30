-- Which rates of a price list hold at a moment.

-- When the rates began that hold at p_at; null: it had none yet.
create or replace function tariff_version(p_tariff_id bigint, p_at timestamptz) returns timestamptz
language sql stable as $$
  select max(r.valid_from) from tariff_rate r where r.tariff_id = p_tariff_id and r.valid_from <= p_at
$$;

-- The rates that hold at p_at: its own ones, and those of the list that it is based on for other prefixes.
create or replace function tariff_rates(p_tariff_id bigint, p_at timestamptz) returns table (
  prefix text, price bigint, country text
) language sql stable as $$
  select distinct on (r.prefix) r.prefix, r.price, r.country
    from tariff t
   cross join lateral (values (t.tariff_id, 1), (t.base_tariff_id, 2)) as layer(tariff_id, rank)
    join tariff_rate r on r.tariff_id = layer.tariff_id and r.valid_from = tariff_version(layer.tariff_id, p_at)
   where t.tariff_id = p_tariff_id
   order by r.prefix, layer.rank
$$;

-- When the rates change next after p_at; null: nothing is planned.
create or replace function next_tariff_change(p_tariff_id bigint, p_at timestamptz) returns timestamptz
language sql stable as $$
  select min(r.valid_from)
    from tariff t join tariff_rate r on r.tariff_id in (t.tariff_id, t.base_tariff_id)
   where t.tariff_id = p_tariff_id and r.valid_from > p_at
$$;
