-- What had been committed when a webhook was added, or enabled for what happens from then on: it is not told of that.
-- Null: its place alone says what comes next.
alter table webhook_progress add column since pg_snapshot;
