-- A price list may change at a time that is said before: all its rates from then on are rows with that time. The rates
-- that hold at a moment are those of the latest time that is not after it (tariffs/tariff-rates.sql).
alter table tariff_rate add column valid_from timestamptz not null default '-infinity';
alter table tariff_rate drop constraint tariff_rate_pkey;
alter table tariff_rate add primary key (tariff_id, valid_from, prefix);
-- A price list for some accounts: its own rates, and those of this one where it has none.
alter table tariff add column base_tariff_id bigint references tariff check (base_tariff_id <> tariff_id);
