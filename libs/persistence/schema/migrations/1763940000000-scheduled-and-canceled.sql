-- A transaction of its own: PostgreSQL lets nobody use a new value before the transaction that adds it has committed.
alter type order_state add value 'scheduled' before 'queued';
alter type order_state add value 'canceled' after 'failed';
