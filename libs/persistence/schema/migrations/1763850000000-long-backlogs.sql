-- Turns that an account has had since it stands in the ring: one of four is for its batches.
alter table dispatch_turn add column if not exists taken integer not null default 0;
drop function if exists sweep_orders(integer, interval, interval, interval, boolean, timestamptz, integer);
drop function if exists is_in_backlog(bigint, bigint);
