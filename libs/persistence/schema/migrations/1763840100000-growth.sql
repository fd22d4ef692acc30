-- Every order that ends leaves a dead entry in message_order_due, where the sweeper looks each second; only vacuum takes it away.
-- At PostgreSQL's 0.2, a table of 10 million rows has up to 2 million of them: 2,100 blocks and 10 ms at each look (measured: 105
-- blocks and 0.5 ms for 100,000). At 0.02 a vacuum reads the indexes once for every 2 % of rows, which stays a constant share.
alter table message_order set (autovacuum_vacuum_scale_factor = 0.02);
alter table segment set (autovacuum_vacuum_scale_factor = 0.05);
