-- Only the text of some receipts says that they are receipts. Such a one counts only for a message to its number.
alter table parked_receipt add column unmarked boolean not null default false;
