-- claim_orders() as workers of version 0.2 call it while new ones start. They tell no carrier a validity, and would
-- send an encrypted text as it is stored. So they get no such message. The next release drops it.
create or replace function claim_orders(
  p_ids uuid[], p_worker text, p_carrier_id integer, p_lease interval, p_whole boolean, p_format text
) returns table (id uuid, epoch integer, destination text, message text, extended boolean, segments smallint,
                 concatenation_reference smallint, open_positions smallint[], sender text, whole boolean, format text,
                 belongs_to integer)
language sql as $$
  select c.id, c.epoch, c.destination, c.message, (select o.extended from message_order o where o.id = c.id),
         c.segments, c.concatenation_reference, c.open_positions, c.sender, c.whole, c.format, null::integer
    from claim_orders(array(select o.id from message_order o where o.id = any(p_ids) and left(o.message, 1) <> chr(1)),
                      p_worker, p_carrier_id, extract(epoch from p_lease)::integer, p_whole, p_format) c
$$;
