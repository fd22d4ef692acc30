-- Some carriers give all segments of a message one id, so their receipts are alike, and each settles another segment.
drop index parked_receipt_once;
create index parked_receipt_alike on parked_receipt
  (carrier_message_id, carrier_id, destination, state, (coalesce(user_message_reference, -1)));
