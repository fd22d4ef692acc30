-- Whoever polls an inbox asks for what has come since a time. By number alone all that is older was read each time.
create index inbound_message_received on inbound_message (account_id, received_at) where account_id is not null;
