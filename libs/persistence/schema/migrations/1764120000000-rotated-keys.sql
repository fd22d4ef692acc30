-- When a key would expire if it had never been rotated; infinity: never. Null: it was not rotated.
alter table api_key add column own_expires_at timestamptz;
