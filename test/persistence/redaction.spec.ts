import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import {
  accountFigures,
  accountUsage,
  cancelOrders,
  findInbound,
  findOrders,
  listOperatorChanges,
  type PricedMessage,
  redactionBacklog,
  redactMessage,
  redactNumber,
  redactWanted,
  setAccountRetention,
  setRetention,
  storeInbound,
  suppress,
} from '#persistence';
import { inboundDelivery } from '../support/inbound.js';
import { isSuppressed } from '../support/is-suppressed.js';
import { answer, batchOf, receiptFor, TestLedger } from '../support/test-ledger.js';
import { ageMessages, PER_SLICE, redactAll, retainAll, tablesWith } from './redaction-steps.js';

const NUMBER = '447700900123';
const REDACTED = '447700******';
const ALL = { page: 1, limit: 100 };

let ledger: TestLedger;
beforeAll(async () => {
  ledger = await TestLedger.create();
});
afterAll(async () => {
  await ledger.expectClean();
  await ledger.close();
});

const to = (destination: string): Partial<PricedMessage> => ({ recipient: `+${destination}`, destination });

async function queued(accountId: string, ...messages: readonly PricedMessage[]): Promise<void> {
  expect(await ledger.accept(accountId, [batchOf(messages)])).toEqual([{ kind: 'accepted' }]);
}

async function delivered(messages: readonly PricedMessage[]): Promise<void> {
  const orders = await ledger.claim(messages.map(({ id }) => id));
  expect(orders).toHaveLength(messages.length);
  await ledger.record(orders.map((order) => answer(order, 1, 'accepted')));
  await ledger.settle(messages.map((message) => receiptFor(message, 1, 'delivered')));
}

const contents = async (accountId: string) => {
  const { items } = await findOrders(ledger.database, accountId, ALL);
  return items.map(({ recipient, message }) => [recipient, message]);
};

describe('a message that is redacted', () => {
  test('has no text and no number any more, and everything else as it was', async () => {
    const accountId = await ledger.account(10);
    const message = ledger.message(1, to(NUMBER));
    await queued(accountId, message);
    await delivered([message]);
    const before = await ledger.find(message.id);
    const figures = await accountFigures(ledger.database, accountId);
    const usage = await accountUsage(ledger.database, accountId, '2000-01-01', '2999-01-01');
    expect(await redactMessage(ledger.database, accountId, message.id)).toBe('redacted');
    expect(await ledger.find(message.id)).toEqual({
      ...before,
      recipient: `+${REDACTED}`,
      message: '',
      isTextRemoved: true,
    });
    expect(await redactMessage(ledger.database, accountId, message.id)).toBe('redacted');
    expect(await contents(accountId)).toEqual([[`+${REDACTED}`, '']]);
    expect(await accountFigures(ledger.database, accountId)).toEqual(figures);
    expect(await accountUsage(ledger.database, accountId, '2000-01-01', '2999-01-01')).toEqual(usage);
    await ledger.expectClean();
  });

  test('is sent first, with its text and to its number, if it is on its way', async () => {
    const accountId = await ledger.account(10);
    const message = ledger.message(1, to(NUMBER));
    await queued(accountId, message);
    expect(await redactMessage(ledger.database, accountId, message.id)).toBe('later');
    await redactAll(ledger.database);
    const [order] = await ledger.claim([message.id]);
    expect(order).toMatchObject({ destination: NUMBER, message: message.message });
    await redactAll(ledger.database);
    expect(await contents(accountId)).toEqual([[`+${NUMBER}`, message.message]]);
    expect(await redactionBacklog(ledger.database)).toEqual({ messages: 1, requests: 0 });
    if (order !== undefined) await ledger.record([answer(order, 1, 'accepted')]);
    await ledger.settle([receiptFor(message, 1, 'delivered')]);
    await redactAll(ledger.database);
    expect(await contents(accountId)).toEqual([[`+${REDACTED}`, '']]);
    expect(await redactionBacklog(ledger.database)).toEqual({ messages: 0, requests: 0 });
  });

  test('and canceled long before its time is redacted then, not at its time', async () => {
    const accountId = await ledger.account(10);
    const message = ledger.message(1, { ...to(NUMBER), sendAt: new Date(Date.now() + 30 * 86_400_000) });
    await queued(accountId, message);
    expect(await redactMessage(ledger.database, accountId, message.id)).toBe('later');
    await redactAll(ledger.database);
    expect(await redactWanted(ledger.database, PER_SLICE)).toBe(0);
    await cancelOrders(ledger.database, accountId, [message.id]);
    expect(await redactWanted(ledger.database, PER_SLICE)).toBe(1);
    expect(await contents(accountId)).toEqual([[`+${REDACTED}`, '']]);
  });

  test('is only one of the own account, and leaves a record without its text and number', async () => {
    const [accountId, other] = [await ledger.account(10), await ledger.account(0)];
    const message = ledger.message(1, to(NUMBER));
    await queued(accountId, message);
    await delivered([message]);
    expect(await redactMessage(ledger.database, other, message.id)).toBeUndefined();
    expect(await redactMessage(ledger.database, undefined, 'x')).toBeUndefined();
    const database = ledger.database.actingAs({ operator: 'alice' });
    expect(await redactMessage(database, undefined, message.id)).toBe('redacted');
    const [change] = await listOperatorChanges(ledger.database, { accountId, subject: 'message' }, 1);
    expect(change).toMatchObject({ operator: 'alice', action: 'redact', subjectId: message.id });
    expect(JSON.stringify(change)).not.toContain(NUMBER.slice(4));
  });
});

describe('a number that is redacted', () => {
  test('stands nowhere any more: in no message to it or from it, and in no other table', async () => {
    const accountId = await ledger.account(50);
    const mine = Array.from({ length: 7 }, () => ledger.message(1, to('447700900777')));
    const long = ledger.message(2, to('447700900777'));
    const other = ledger.message(1, to('447700900778'));
    await queued(accountId, ...mine, long, other);
    await delivered(mine);
    const refused = await ledger.claimed(long.id);
    await ledger.database.query('select * from assign_concatenation_references(array[$1::uuid])', [long.id]);
    await ledger.record([answer(refused, 1, 'refused')]);
    const carrier = { carrierId: ledger.carrierId, sender: 'Heliograph', isSenderFixed: false };
    for (const text of ['Yes', 'STOP', 'canary word']) {
      await storeInbound(ledger.database, carrier, [
        inboundDelivery({ source: '447700900777', destination: 'Heliograph', text }),
      ]);
    }
    expect((await findInbound(ledger.database, accountId, ALL)).total).toBe(3);
    // As carriers write it in receipts.
    for (const destination of ['447700900777', '00447700900777', '7700900777', '07700900777']) {
      await ledger.settle([receiptFor({ ...other, destination }, 1, 'delivered', { carrierMessageId: 'nobody' })]);
    }
    await ledger.database.query(`update parked_receipt set received_at = now() - interval '2 hours'`);
    expect(await tablesWith(ledger.database, '900777')).not.toEqual([]);
    const done = await redactNumber(ledger.database, accountId, '447700900777', 'operator');
    expect(done).toEqual({ sent: 8, later: 0, received: 3, isOver: true });
    expect([await tablesWith(ledger.database, '900777'), await tablesWith(ledger.database, 'canary word')]).toEqual([
      [],
      [],
    ]);
    expect((await ledger.find(other.id)).recipient).toBe('+447700900778');
    const { items } = await findInbound(ledger.database, accountId, ALL);
    expect(items.map(({ source, message }) => [source, message])).toEqual(Array(3).fill([REDACTED, '']));
    // The opt-out outlives it.
    expect(await isSuppressed(ledger.database, accountId, '447700900777')).toBe(true);
    const [change] = await listOperatorChanges(ledger.database, { accountId, subject: 'number' }, 1);
    expect(change).toMatchObject({ action: 'redact' });
  });

  test('is redacted slice by slice, however often the work is cut off, and only in messages of before', async () => {
    const accountId = await ledger.account(50);
    const final = Array.from({ length: 7 }, () => ledger.message(1, to(NUMBER)));
    const open = ledger.message(1, to(NUMBER));
    await queued(accountId, ...final, open);
    await delivered(final);
    const [request] = await ledger.database.query<{ id: string }>(
      `insert into redaction_request (account_id, number, is_operators, last_sequence, last_inbound)
       values ($1, $2, false, 8, 0) returning request_id as id`,
      [accountId, NUMBER],
    );
    const later = ledger.message(1, to(NUMBER));
    await queued(accountId, later);
    for (let n = 0; n < 4; n += 1) {
      await expect(
        ledger.database.transaction(async (transaction) => {
          await transaction.query('select redact_number($1, $2, $3)', [accountId, request?.id, PER_SLICE]);
          throw new Error('killed');
        }),
      ).rejects.toThrow('killed');
      await redactWanted(ledger.database, PER_SLICE);
    }
    expect(await redactionBacklog(ledger.database)).toEqual({ messages: 1, requests: 0 });
    const texts = await contents(accountId);
    expect(texts.slice(0, 2)).toEqual([
      [later.recipient, later.message],
      [open.recipient, open.message],
    ]);
    expect(texts.slice(2)).toEqual(Array(7).fill([`+${REDACTED}`, '']));
    await delivered([open]);
    await redactAll(ledger.database);
    expect((await contents(accountId))[1]).toEqual([`+${REDACTED}`, '']);
  });

  test.each([
    ['447700900123', '447700******'],
    ['14155550100', '14155******'],
    ['2901234', '290****'],
    ['3546123456', '3546******'],
    ['447700******', '447700******'],
    ['ACME', '*'],
    ['1234', '*'],
  ])('%s becomes %s', async (number, redacted) => {
    expect(await ledger.database.query('select redacted_number($1) as r', [number])).toEqual([{ r: redacted }]);
  });
});

describe('by time', () => {
  test('texts and numbers go after days of their own, and an account may have other days', async () => {
    const [usual, kept] = [await ledger.account(10), await ledger.account(10)];
    const carrier = { carrierId: ledger.carrierId, sender: 'Heliograph', isSenderFixed: false };
    const messages = [ledger.message(1, to('447700900201')), ledger.message(1, to('447700900202'))];
    for (const [place, accountId] of [usual, kept].entries()) {
      const message = messages[place] as PricedMessage;
      await queued(accountId, message);
      await delivered([message]);
      await storeInbound(ledger.database, carrier, [
        inboundDelivery({ source: message.destination, destination: 'Heliograph', text: 'Yes' }),
      ]);
    }
    await setRetention(ledger.database, { textDays: 10, numberDays: 20 });
    await setAccountRetention(ledger.database, kept, { textDays: 0, numberDays: 40 });
    const both = async () =>
      Promise.all(
        [usual, kept].map(async (accountId) => {
          const [received] = (await findInbound(ledger.database, accountId, ALL)).items;
          return [...(await contents(accountId)), [received?.source, received?.message]];
        }),
      );
    await retainAll(ledger.database);
    const before = await both();
    for (const accountId of [usual, kept]) await ageMessages(ledger.database, accountId, 11);
    await retainAll(ledger.database);
    expect(await both()).toEqual([
      [
        ['+447700900201', ''],
        ['447700900201', ''],
      ],
      before[1],
    ]);
    for (const accountId of [usual, kept]) await ageMessages(ledger.database, accountId, 11);
    await retainAll(ledger.database);
    const redacted = [
      ['+447700******', ''],
      ['447700******', ''],
    ];
    expect(await both()).toEqual([redacted, before[1]]);
    for (const accountId of [usual, kept]) await ageMessages(ledger.database, accountId, 20);
    await retainAll(ledger.database);
    expect((await both())[1]).toEqual([
      ['+447700******', messages[1]?.message],
      ['447700******', 'Yes'],
    ]);
    await ledger.expectClean();
    await setRetention(ledger.database, { textDays: null, numberDays: null });
  });

  test('a message that is on its way keeps no later one, and follows when it is final', async () => {
    const accountId = await ledger.account(10);
    const [first, open, after] = [ledger.message(), ledger.message(), ledger.message()];
    await queued(accountId, first, open, after);
    await delivered([first, after]);
    await setRetention(ledger.database, { textDays: 10 });
    await ageMessages(ledger.database, accountId, 12);
    await retainAll(ledger.database);
    await redactAll(ledger.database);
    expect((await contents(accountId)).map(([, text]) => text)).toEqual(['', open.message, '']);
    await ledger.expectClean();
    await delivered([open]);
    await redactAll(ledger.database);
    expect((await contents(accountId)).map(([, text]) => text)).toEqual(['', '', '']);
    await setRetention(ledger.database, { textDays: null });
  });

  test('what was sent to a suppressed number goes, and the number stays suppressed', async () => {
    const accountId = await ledger.account(10);
    const message = ledger.message(1, to('447700900303'));
    await queued(accountId, message);
    await delivered([message]);
    await suppress(ledger.database, accountId, '447700900303', { source: 'client' });
    await setRetention(ledger.database, { numberDays: 7 });
    await ageMessages(ledger.database, accountId, 8);
    await retainAll(ledger.database);
    expect(await contents(accountId)).toEqual([['+447700******', message.message]]);
    expect(await isSuppressed(ledger.database, accountId, '447700900303')).toBe(true);
    await setRetention(ledger.database, { numberDays: null });
  });

  test('numbers are not kept longer than their messages, nor less than a week', async () => {
    await expect(setRetention(ledger.database, { numberDays: 6 })).rejects.toThrow('7 to 36500 days');
    await expect(setRetention(ledger.database, { numberDays: 31, rowDays: 30 })).rejects.toThrow(
      'longer than its message',
    );
    const accountId = await ledger.account(0);
    await expect(setAccountRetention(ledger.database, accountId, { numberDays: 6 })).rejects.toThrow('7 to 36500');
    await expect(setAccountRetention(ledger.database, '999999', { textDays: 6 })).rejects.toThrow('999999');
  });
});
