-- What the client asked for; the claim tells the carrier what is left of it. Null: nothing, so the carrier is told nothing.
alter table message_order add column validity_seconds integer;
