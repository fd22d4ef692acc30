-- Only a search by number may use this index. PostgreSQL 18 took it for look-ups by (account_id, sequence) as well, when
-- a session planned them on an empty table: each look-up then read all entries of the account, until the first analyze.
-- It is built while sends wait: about 20 s for 10 million messages.
drop index message_order_destination;
create index message_order_destination on message_order (account_id, destination, sequence)
 where destination is not null;
