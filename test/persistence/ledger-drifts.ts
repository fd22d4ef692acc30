/** [what went wrong, the statement that plants it, the checks that must fail]; `{name}` is the id of a message. */
export const DRIFTS: readonly [string, string, string[]][] = [
  ['a balance row is missing', 'delete from account_balance', ['balance_row']],
  [
    'a charge was counted twice',
    'update account_balance set captured = captured + 50000',
    ['consumed', 'journal_sums', 'journal_chain'],
  ],
  ['a charge was lost', 'update account_balance set captured = captured - 50000', ['consumed']],
  ['a reservation was lost', 'update account_balance set reserved = reserved - 50000', ['reserved', 'consumed']],
  [
    'money moved from reserved to captured by itself',
    'update account_balance set reserved = reserved - 50000, captured = captured + 50000',
    ['reserved', 'journal_sums'],
  ],
  ['more counts as spent than was', 'update account_balance set spent_day = spent_day + 1', ['spend']],
  ['less counts as spent than was', 'update account_balance set spent_month = spent_month - 1', ['spend']],
  ['what was spent is forgotten', 'update account_balance set spent_month = 0', ['spend']],
  [
    'money appeared',
    'update account_balance set deposited = deposited + 1',
    ['deposited', 'journal_sums', 'journal_chain'],
  ],
  ['a deposit vanished', 'delete from deposit where deposit_number = 2', ['deposited', 'deposit_entries']],
  [
    'a deposit was booked at another rate',
    "update deposit set fx_rate = 1.1 where currency = 'USD'",
    ['deposit_conversion'],
  ],
  [
    'a deposit was changed afterwards',
    'update deposit set amount = 2 * amount, account_amount = 2 * account_amount where deposit_number = 1',
    ['deposited', 'deposit_entries'],
  ],
  [
    'an adjustment lost its sign',
    "update deposit set account_amount = -account_amount, amount = -amount where kind = 'adjustment'",
    ['deposited', 'deposit_entries'],
  ],
  [
    'a journal entry vanished',
    "delete from journal_entry where kind = 'capture'",
    ['journal_chain', 'journal_sums', 'capture_entries'],
  ],
  [
    'the last journal entry vanished',
    'delete from journal_entry where entry = (select max(entry) from journal_entry)',
    ['journal_chain'],
  ],
  [
    'an entry was written twice',
    'insert into journal_entry select account_id, entry + 1000, kind, debit, credit, amount, available_after, first_sequence, last_sequence, order_count, deposit_number, reason, created_at from journal_entry where entry = 1',
    ['journal_chain', 'journal_sums', 'deposit_entries'],
  ],
  [
    'an entry says another balance than it left',
    'update journal_entry set available_after = available_after + 1 where entry = 2',
    ['journal_chain'],
  ],
  ['the entry counter ran ahead', 'update account_balance set last_entry = last_entry + 1', ['journal_chain']],
  [
    'a reserve entry is for too little',
    "update journal_entry set amount = amount - 1 where kind = 'reserve'",
    ['reserve_entries', 'reserved_once', 'journal_chain', 'journal_sums'],
  ],
  [
    'a reserve entry misses a message',
    "update journal_entry set last_sequence = last_sequence - 1 where kind = 'reserve'",
    ['reserve_entries'],
  ],
  [
    'a reserve entry miscounts',
    "update journal_entry set order_count = order_count + 1 where kind = 'reserve'",
    ['reserve_entries'],
  ],
  [
    'a reserve entry has no range',
    "update journal_entry set first_sequence = null where kind = 'reserve'",
    ['reserve_entries'],
  ],
  [
    'a capture entry miscounts',
    "update journal_entry set order_count = order_count + 1 where kind = 'capture'",
    ['capture_entries'],
  ],
  [
    'a captured message points at no entry',
    "update message_order set capture_entry = null where id = '{delivered}'",
    ['capture_entries', 'settlement'],
  ],
  [
    'a captured message points at a wrong entry',
    "update message_order set capture_entry = 1 where id = '{delivered}'",
    ['capture_entries'],
  ],
  [
    'a released message points at no entry',
    "update message_order set release_entry = null where id = '{refused}'",
    ['release_entries', 'settlement'],
  ],
  [
    'a release entry is for too much',
    "update journal_entry set amount = amount + 1 where kind = 'release'",
    ['release_entries'],
  ],
  [
    'a message was captured and released',
    "update message_order set release_entry = capture_entry where id = '{delivered}'",
    ['settlement', 'release_entries'],
  ],
  [
    'an open message was captured',
    "update message_order set capture_entry = 5 where id = '{queued}'",
    ['settlement', 'capture_entries'],
  ],
  [
    'a delivered message was released',
    "update message_order set amount = 0 where id = '{delivered}'",
    ['settlement', 'consumed'],
  ],
  [
    'a refused message stayed charged',
    "update message_order set amount = price where id = '{refused}'",
    ['settlement', 'consumed', 'segments'],
  ],
  [
    'a partly sent message was given back in full',
    "update message_order set amount = 0 where id = '{partlyFailed}'",
    ['segments', 'consumed'],
  ],
  [
    'a message vanished',
    "delete from message_order where id = '{sent}'",
    ['sequences', 'consumed', 'segment_owner', 'transitions'],
  ],
  [
    'the last message vanished',
    'delete from message_order where sequence = (select max(sequence) from message_order)',
    ['sequences'],
  ],
  ['the sequence counter ran ahead', 'update account_balance set last_sequence = last_sequence + 1', ['sequences']],
  ['a message of no account appeared', "update message_order set account_id = 77 where id = '{free}'", ['sequences']],
  [
    'a price is no multiple of its segments',
    "update message_order set price = price + 1, amount = amount + 1 where id = '{sent}'",
    ['prices', 'consumed'],
  ],
  [
    'a standard text was billed one segment too many',
    "update message_order set segments = 2 where id = '{queued}'",
    ['prices'],
  ],
  [
    'an extended text was billed one segment too few',
    "update message_order set extended = true, message = repeat(U&'\\20AC', 71) where id = '{queued}'",
    ['prices'],
  ],
  [
    'a delivered message has an undelivered segment',
    "update segment set state = 'undelivered' where message_id = '{delivered}'",
    ['segments'],
  ],
  [
    'a sent message lost a segment',
    "delete from segment where message_id = '{sent}' and position = 2",
    ['segments', 'carried'],
  ],
  [
    'a message that was claimed in segments is said to have gone whole',
    "update segment set whole = true where message_id = '{delivered}'",
    ['carried'],
  ],
  [
    'a message went whole, and a part of it beside',
    "update segment set whole = true where message_id = '{sent}' and position = 1",
    ['carried', 'segments'],
  ],
  [
    'a message was claimed whole and went in segments',
    "with w as (insert into wire_format (format, whole) values ('whole', true) returning *) update message_order set wire_format_id = w.wire_format_id from w where id = '{sent}'",
    ['carried'],
  ],
  ['the format in which messages were claimed is not there', 'delete from wire_format', ['carried']],
  [
    'a queued message has a segment on the wire',
    "update segment set state = 'submitting' where message_id = '{throttled}' and position = 2",
    ['segments'],
  ],
  [
    'a segment beyond the last was sent',
    "update segment set position = 2 where message_id = '{delivered}'",
    ['segments'],
  ],
  [
    'a change of state was not recorded',
    "delete from order_transition where message_id = '{delivered}' and to_state = 'delivered'",
    ['transitions'],
  ],
  [
    'a change of state was recorded twice',
    "insert into order_transition select * from order_transition where message_id = '{sent}' and to_state = 'sent'",
    ['transitions'],
  ],
  ['a claim was not counted', "update message_order set attempts = 0 where id = '{sending}'", ['transitions']],
  [
    'a change of state has no message',
    'insert into order_transition select gen_random_uuid(), at, from_state, to_state, actor from order_transition limit 1',
    ['transitions'],
  ],
  [
    'a state was changed by hand',
    "update message_order set state = 'sent' where id = '{delivered}'",
    ['transitions', 'segments', 'deadlines'],
  ],
  [
    'nobody will look at an open message',
    "update message_order set due_at = null where id = '{queued}'",
    ['deadlines'],
  ],
  [
    'a settled message has no final time',
    "update message_order set final_at = null where id = '{unknown}'",
    ['deadlines'],
  ],
  ['a key points past the last message', 'update idempotency_key set order_count = 100', ['idempotency_keys']],
  [
    'two keys have the same messages',
    "insert into idempotency_key select account_id, 'twin', fingerprint, first_sequence, order_count, created_at from idempotency_key",
    ['idempotency_keys'],
  ],
  ['the credit limit was changed past the record', 'update account_balance set credit_limit = 5', ['credit']],
  ['an exception is not found any more', "delete from order_exception where state = 'failed'", ['exceptions']],
  [
    'a real message went to the sandbox',
    "update segment set carrier_id = -1 where message_id = '{delivered}'",
    ['sandboxes'],
  ],
  ['a scheduled message is missing in the schedule', 'delete from order_schedule', ['schedule']],
  [
    'a scheduled message is sent before its time',
    "update order_schedule set send_at = now() - interval '1 hour'",
    ['schedule'],
  ],
  [
    'a scheduled message stands in the schedule twice',
    'insert into order_schedule select account_id, first_sequence - 1, last_sequence, send_at, lane from order_schedule',
    ['schedule'],
  ],
  [
    'a canceled message stays charged',
    "update message_order set amount = price where id = '{canceled}'",
    ['settlement', 'consumed'],
  ],
  [
    'a canceled message is on the wire',
    "insert into segment (message_id, position, state, epoch, carrier_id, submitted_at) select '{canceled}', 1, 'submitting', 1, carrier_id, now() from carrier limit 1",
    ['segments'],
  ],
  [
    'a batch that nobody sent is to be completed',
    'insert into open_batch values (gen_random_uuid(), 1001, 1, 1, 1)',
    ['open_batches'],
  ],
  [
    'a batch counts an open message as final',
    `with batch as (
       insert into message_batch select gen_random_uuid(), account_id, sequence, 1 from message_order where id = '{queued}' returning *
     )
     insert into open_batch select batch_id, account_id, first_sequence, first_sequence, first_sequence + 1 from batch`,
    ['open_batches'],
  ],
  [
    'a batch whose messages are final is not completed',
    `with worker as (
       insert into process_heartbeat (process_id, role, started_at) values ('worker', 'worker', now() - interval '2 hours')
     )
     insert into open_batch
     select batch_id, account_id, first_sequence, first_sequence + order_count - 1, first_sequence, now(), now() - interval '2 hours'
       from message_batch`,
    ['open_batches'],
  ],
  ['a batch has messages that are not there', 'update message_batch set order_count = 1000', ['batches']],
  ['a label belongs to no message', "insert into order_label values (1001, 1000000, 'r', null)", ['labels']],
];
