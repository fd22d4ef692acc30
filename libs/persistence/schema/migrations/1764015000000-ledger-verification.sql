-- The verification of the ledger that workers make on a schedule: one at a time, and what the last one that ended has
-- found. offenders has the number of rows that break each check, by its name.
create table ledger_verification (
  is_only boolean default true primary key check (is_only),
  begun_at timestamptz not null,
  snapshot_at timestamptz,
  took_seconds real,
  offenders jsonb
);
