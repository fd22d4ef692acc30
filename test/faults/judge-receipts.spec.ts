import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import pg from 'pg';
import { judgeReceipts } from '../../tools/faults/receipts/judge-receipts.js';
import { ORACLE_TABLES } from '../../tools/faults/receipts/load-oracle.js';
import { createTestDatabase, type TestDatabase } from '../support/database.js';

const ONE = '00000000-0000-7000-8000-000000000001';
const TWO = '00000000-0000-7000-8000-000000000002';

let server: TestDatabase;
let database: pg.Client;
beforeAll(async () => {
  server = await createTestDatabase();
  database = new pg.Client({ connectionString: server.url });
  await database.connect();
  await database.query(ORACLE_TABLES);
  await database.query(`
    insert into tariff (name, currency) values ('flat', 'EUR');
    insert into account (name, currency, tariff_id) select 'one', 'EUR', tariff_id from tariff;
    insert into account_balance (account_id) select account_id from account`);
});
afterAll(async () => {
  await database.end();
  await server.drop();
});

/** A run in which all is well: a message that was delivered, and a long one of which nothing was heard of one segment. */
beforeEach(async () => {
  await database.query(`
    truncate message_order, segment, order_transition, parked_receipt, faults.accepted, faults.taken, faults.orphan;
    update account_balance set captured = 30000, reserved = 0;
    insert into message_order (id, account_id, sequence, recipient, destination, message, extended, segments, price, amount,
                               state, valid_until, created_at)
    select o.id::uuid, (select account_id from account), o.sequence, '+49', '49', '<' || o.name || '> text', false, o.segments,
           o.segments * 10000, o.segments * 10000, o.state::order_state, now(), now()
      from (values ('${ONE}', 1, 'r0.0', 1, 'delivered'), ('${TWO}', 2, 'r0.1', 2, 'unknown')) o(id, sequence, name, segments, state);
    insert into segment (message_id, position, state, epoch, carrier_id, carrier_message_id, submitted_at)
    values ('${ONE}', 1, 'delivered', 1, 1, 'a', now()), ('${TWO}', 1, 'delivered', 1, 1, 'b', now()),
           ('${TWO}', 2, 'unknown', 1, 1, 'c', now());
    insert into order_transition (message_id, at, from_state, to_state, actor)
    select v.id::uuid, now(), v.was::order_state, v.becomes::order_state, 'worker'
      from (values ('${ONE}', 'queued', 'sending'), ('${ONE}', 'sending', 'sent'), ('${ONE}', 'sent', 'delivered'),
                   ('${TWO}', 'queued', 'sending'), ('${TWO}', 'sending', 'sent'), ('${TWO}', 'sent', 'unknown')) v(id, was, becomes);
    insert into parked_receipt (carrier_id, carrier_message_id, destination, state, carrier_code)
    values (1, 'nobody', '49', 'delivered', 'DELIVRD');
    insert into faults.accepted values ('r0.0', '${ONE}', 1), ('r0.1', '${TWO}', 2);
    insert into faults.taken values ('r0.0', 1, 'a', 'delivered', 1, '<r0.0> text'), ('r0.1', 1, 'b', 'delivered', 2, '<r0.1> '),
                                    ('r0.1', 2, 'c', 'unsettled', 2, 'text');
    insert into faults.orphan values ('nobody')`);
});

async function broken(): Promise<string[]> {
  return (await judgeReceipts(database)).map(({ invariant }) => invariant);
}

test('a run in which all is well has no violation', async () => {
  expect(await judgeReceipts(database)).toEqual([]);
});

describe('is found, with the row that shows it:', () => {
  test.each([
    ['an accepted message that is not stored', 'I1', `delete from message_order where id = '${ONE}'`],
    ['an order that nobody was told of', 'I2', `delete from faults.accepted where name = 'r0.0'`],
    ['a segment that never reached the carrier', 'I3', `delete from faults.taken where name = 'r0.1' and position = 2`],
    [
      'a segment that the carrier took twice',
      'I4',
      `insert into faults.taken values ('r0.0', 1, 'z', 'delivered', 1, '')`,
    ],
    [
      'a segment with the text of another',
      'I10',
      `update faults.taken set text = 'text' where carrier_message_id = 'b'`,
    ],
    [
      'a whole text in place of each segment',
      'I10',
      `update faults.taken set text = '<r0.1> text' where name = 'r0.1'`,
    ],
    ['a segment that says another total', 'I10', `update faults.taken set total = 3 where carrier_message_id = 'c'`],
    ['a state without the way to it', 'I7', `delete from order_transition where to_state = 'delivered'`],
    ['an order that is still open', 'I8', `update message_order set due_at = now() where id = '${TWO}'`],
    [
      'a segment whose receipt was swallowed',
      'I9',
      `update segment set state = 'accepted' where carrier_message_id = 'a'`,
    ],
    ['an order whose receipt was swallowed', 'I9', `update message_order set state = 'unknown' where id = '${ONE}'`],
    [
      'a failure that overruled a delivery',
      'I9',
      `update segment set state = 'undelivered' where carrier_message_id = 'b'`,
    ],
    [
      'a receipt for a foreign id that settled something',
      'I9',
      `update segment set state = 'delivered' where position = 2`,
    ],
    ['an orphan that was swallowed', 'I9', 'delete from parked_receipt'],
    [
      'a receipt that was parked and has its segment',
      'I9',
      `insert into parked_receipt (carrier_id, carrier_message_id, destination, state, carrier_code)
       values (1, 'a', '49', 'delivered', 'DELIVRD')`,
    ],
    ['a segment that was charged twice', 'I6', 'update account_balance set captured = 40000'],
  ])('%s', async (_what, invariant, spoil) => {
    await database.query(spoil);
    expect(await broken()).toContain(invariant);
  });
});

test('an order that was failed by a receipt taken back later is undelivered or unknown while another segment is open', async () => {
  await database.query(`update faults.taken set truth = 'delivered-contradicted' where carrier_message_id = 'b'`);
  expect(await broken()).toEqual([]);
  await database.query(`
    update message_order set state = 'undelivered' where id = '${TWO}';
    update order_transition set to_state = 'undelivered' where message_id = '${TWO}' and to_state = 'unknown'`);
  expect(await broken()).toEqual([]);
  await database.query(`update faults.taken set truth = 'delivered' where carrier_message_id = 'b'`);
  expect(await broken()).toEqual(['I9']);
});
