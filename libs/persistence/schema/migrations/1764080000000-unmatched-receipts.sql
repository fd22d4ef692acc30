-- Recent unmatched receipts are matched again every second, and those to a number that is in doubt or is redacted are
-- looked for. Few receipts match nothing at once, and they are kept for 30 days, so the table is small when this runs.
create index parked_receipt_received on parked_receipt (received_at);
create index parked_receipt_destination on parked_receipt (destination);
