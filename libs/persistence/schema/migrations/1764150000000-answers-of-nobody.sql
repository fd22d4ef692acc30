-- What is nobody's and has a text, or a number, still: looking for it took longer, the more was redacted before.
create index inbound_message_unassigned_text on inbound_message (received_at)
 where account_id is null and message <> '';
create index inbound_message_unassigned_number on inbound_message (received_at)
 where account_id is null and source !~ '^[0-9]*[*]+$';
-- By which a number that is to be redacted is found.
create index inbound_message_unassigned_source on inbound_message (source) where account_id is null;
create index inbound_part_source on inbound_part (source) where content is null;
