import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { changeAccount, completeInbound, type InboundCarrier, type InboundOutcome, storeInbound } from '#persistence';
import type { InboundDelivery } from '../../libs/persistence/inbound/store-inbound.js';
import { inboundDelivery } from '../support/inbound.js';
import { isSuppressed } from '../support/is-suppressed.js';
import { answer, TestLedger } from '../support/test-ledger.js';
import { webhookTo } from '../support/webhooks.js';

const DEFAULT_SENDER = 'Heliograph';

let ledger: TestLedger;
let carrier: InboundCarrier;
let numbers = 0;
beforeAll(async () => {
  ledger = await TestLedger.create();
  carrier = { carrierId: ledger.carrierId, sender: DEFAULT_SENDER, isSenderFixed: false };
});
afterAll(async () => {
  await ledger.expectClean();
  await ledger.close();
});

interface Stored {
  readonly account_id: string | null;
  readonly number: string | null;
  readonly message: string;
  readonly keyword: string | null;
  readonly missing_parts: number;
  readonly in_reply_to: string | null;
  readonly unassigned: string | null;
}

const store = (...deliveries: InboundDelivery[]): Promise<InboundOutcome[]> =>
  storeInbound(ledger.database, carrier, deliveries);

const storedFrom = (source: string): Promise<Stored[]> =>
  ledger.database.query<Stored>('select * from inbound_message where source = $1 order by inbound_id', [source]);

const aHandset = () => `4670${String(9_000_000 + ++numbers)}`;
const aNumber = () => `4676${String(9_000_000 + ++numbers)}`;

/** An account whose messages have this sender. */
async function accountOf(sender: string): Promise<string> {
  const accountId = await ledger.account(100);
  await changeAccount(ledger.database, accountId, { sender });
  return accountId;
}

/** A message that a carrier has taken. */
async function sent(accountId: string, destination: string): Promise<string> {
  const { id } = await ledger.queued(accountId, 1, { destination, recipient: `+${destination}` });
  await ledger.record([answer(await ledger.claimed(id), 1, 'accepted')]);
  return id;
}

describe('the account that a message from a handset answers', () => {
  test('is the one that sent to the handset last from this number, and the message says what it answers', async () => {
    const [source, destination] = [aHandset(), aNumber()];
    const [one, other] = [await accountOf(`+${destination}`), await accountOf(destination)];
    await sent(one, source);
    const last = await sent(other, source);
    await sent(one, aHandset());
    expect(await store(inboundDelivery({ source, destination }))).toEqual(['stored']);
    await sent(one, source);
    expect(await store(inboundDelivery({ source, destination, text: 'And again' }))).toEqual(['stored']);
    expect(await storedFrom(source)).toMatchObject([
      { account_id: other, in_reply_to: last, message: 'Thank you' },
      { account_id: one, message: 'And again' },
    ]);
  });

  test('is the only one that sends from the number, if nothing was sent to the handset', async () => {
    const [source, destination] = [aHandset(), aNumber()];
    const accountId = await accountOf(destination);
    expect(await store(inboundDelivery({ source, destination }))).toEqual(['stored']);
    expect(await storedFrom(source)).toMatchObject([{ account_id: accountId, number: '1', in_reply_to: null }]);
  });

  test('is nobody if several send from the number and none to the handset, or if nobody does', async () => {
    const [source, destination] = [aHandset(), aNumber()];
    await accountOf(destination);
    await accountOf(destination);
    const outcomes = await store(
      inboundDelivery({ source, destination }),
      inboundDelivery({ source, destination: aNumber() }),
    );
    expect(outcomes).toEqual(['unassigned', 'unassigned']);
    expect(await storedFrom(source)).toMatchObject([
      { account_id: null, number: null, unassigned: 'ambiguous' },
      { account_id: null, number: null, unassigned: 'unknown' },
    ]);
  });

  test('is found by the sender of the single message, and by the sender of the carrier', async () => {
    const [source, destination] = [aHandset(), aNumber()];
    const accountId = await ledger.account(10);
    await sent(accountId, source);
    carrier = { ...carrier, sender: destination };
    expect(await store(inboundDelivery({ source, destination }))).toEqual(['stored']);
    carrier = { ...carrier, sender: DEFAULT_SENDER };
    expect(await storedFrom(source)).toMatchObject([{ account_id: accountId }]);
  });

  test('is not one whose message never left, or was sent too long ago', async () => {
    const [source, destination] = [aHandset(), aNumber()];
    const [one, other] = [await accountOf(destination), await accountOf(destination)];
    await ledger.queued(one, 1, { destination: source, recipient: source });
    await ledger.age(await sent(other, source), 31 * 86_400);
    expect(await store(inboundDelivery({ source, destination }))).toEqual(['unassigned']);
  });
});

describe('what a carrier delivers twice', () => {
  test('is stored once if it comes by another connection, or if the answer to the first was late', async () => {
    const source = aHandset();
    const first = inboundDelivery({ source });
    expect(await store(first)).toEqual(['unassigned']);
    expect(await store({ ...first, connection: 'another' })).toEqual(['repeated']);
    expect(await store({ ...first, mayRepeat: true })).toEqual(['repeated']);
    expect(await storedFrom(source)).toHaveLength(1);
  });

  test('is two messages if the first one was answered on the same connection: a person wrote it twice', async () => {
    const source = aHandset();
    const first = inboundDelivery({ source });
    expect(await store(first)).toEqual(['unassigned']);
    expect(await store(first)).toEqual(['unassigned']);
    expect(await storedFrom(source)).toHaveLength(2);
  });

  test('is stored once however late it comes, if the carrier numbers its messages', async () => {
    const source = aHandset();
    const first = inboundDelivery({ source, isNumbered: true });
    await store(first);
    await ledger.database.query(`update inbound_part set received_at = received_at - interval '1 day'`);
    expect(await store({ ...first, connection: 'another' })).toEqual(['repeated']);
    const unnumbered = inboundDelivery({ source, text: 'Later' });
    await store(unnumbered);
    await ledger.database.query(`update inbound_part set received_at = received_at - interval '1 day'`);
    expect(await store({ ...unnumbered, connection: 'another' })).toEqual(['unassigned']);
  });

  test('is stored once when two workers get it at the same moment', async () => {
    const source = aHandset();
    const outcomes = await Promise.all(Array.from({ length: 6 }, () => store(inboundDelivery({ source }))));
    expect(outcomes.flat().sort()).toEqual([...Array(5).fill('repeated'), 'unassigned']);
  });
});

describe('a long message', () => {
  const partsOf = (source: string, texts: readonly string[], reference = 7) =>
    texts.map((text, index) =>
      inboundDelivery({ source, text, part: { reference, number: index + 1, total: texts.length } }),
    );

  test('is stored when its last part is there, in whatever order they come, with a character that was cut', async () => {
    const source = aHandset();
    const [first, second, third] = partsOf(source, ['One \ud83d', '\ude00 two ', 'three']) as InboundDelivery[];
    expect(await store(third as InboundDelivery, first as InboundDelivery)).toEqual(['part', 'part']);
    expect(await storedFrom(source)).toEqual([]);
    expect(await store(second as InboundDelivery)).toEqual(['unassigned']);
    expect(await storedFrom(source)).toMatchObject([{ message: 'One 😀 two three', missing_parts: 0 }]);
  });

  test('is stored once when its last parts come to two workers at the same moment', async () => {
    const source = aHandset();
    await Promise.all(partsOf(source, ['a', 'b', 'c', 'd']).map((part) => store(part)));
    expect(await storedFrom(source)).toMatchObject([{ message: 'abcd' }]);
  });

  test('keeps apart from another one to which the handset gave the same reference', async () => {
    const source = aHandset();
    const [first] = partsOf(source, ['old ', 'lost']) as [InboundDelivery];
    await store(first);
    for (const part of partsOf(source, ['new ', 'text'])) await store(part);
    expect(await storedFrom(source)).toMatchObject([
      { message: 'old […]', missing_parts: 1 },
      { message: 'new text', missing_parts: 0 },
    ]);
  });

  test('whose last part does not come in an hour is stored with a gap in its place', async () => {
    const source = aHandset();
    const [first, , third] = partsOf(source, ['one ', 'two ', 'three']) as InboundDelivery[];
    await store(first as InboundDelivery, third as InboundDelivery);
    await completeInbound(ledger.database, DEFAULT_SENDER);
    expect(await storedFrom(source)).toEqual([]);
    await ledger.database.query(
      `update inbound_part set received_at = received_at - interval '61 minutes' where source = $1`,
      [source],
    );
    await completeInbound(ledger.database, DEFAULT_SENDER);
    await completeInbound(ledger.database, DEFAULT_SENDER);
    expect(await storedFrom(source)).toMatchObject([{ message: 'one […]three', missing_parts: 1 }]);
  });
});

describe('the inbox of an account', () => {
  test('numbers its messages without gaps, also when many workers store at the same time', async () => {
    const destination = aNumber();
    const accountId = await accountOf(destination);
    const texts = Array.from({ length: 40 }, (_, index) => `Message ${index}`);
    await Promise.all(texts.map((text) => store(inboundDelivery({ source: aHandset(), destination, text }))));
    const rows = await ledger.database.query<{ number: string; message: string }>(
      'select number, message from inbound_message where account_id = $1 order by number',
      [accountId],
    );
    expect(rows.map(({ number }) => Number(number))).toEqual(texts.map((_, index) => index + 1));
    expect(rows.map(({ message }) => message).sort()).toEqual([...texts].sort());
  });

  test('has one event for each message, if the account asks for it', async () => {
    const destination = aNumber();
    const accountId = await accountOf(destination);
    await webhookTo(ledger.database, accountId, 'https://example.com/', ['message.received']);
    const source = aHandset();
    await store(inboundDelivery({ source, destination }), inboundDelivery({ source, destination, text: 'More' }));
    const events = await ledger.database.query<{ ids: string[] }>(
      `select array(select m.message from unnest(message_ids) with ordinality u(id, n)
                      join inbound_message m on m.inbound_id = u.id order by u.n) as ids
         from event_batch where account_id = $1 and type = 'message.received'`,
      [accountId],
    );
    expect(events).toEqual([{ ids: ['Thank you', 'More'] }]);
  });
});

describe('STOP and START', () => {
  test('put the number on the list of the account that it answers, and take it off, in their order', async () => {
    const [source, destination] = [aHandset(), aNumber()];
    const [accountId, other] = [await accountOf(destination), await ledger.account(10)];
    const say = (...texts: string[]) => store(...texts.map((text) => inboundDelivery({ source, destination, text })));
    await say('Stop!');
    expect(await isSuppressed(ledger.database, accountId, source)).toBe(true);
    expect(await isSuppressed(ledger.database, other, source)).toBe(false);
    await say('START');
    expect(await isSuppressed(ledger.database, accountId, source)).toBe(false);
    await say('stop', 'start', 'hilfe', 'Stop it', 'stopp');
    expect(await isSuppressed(ledger.database, accountId, source)).toBe(true);
  });

  test.each([false, true])('STOP is obeyed again after START, unless its number was seen: %s', async (isNumbered) => {
    const [source, destination] = [aHandset(), aNumber()];
    const accountId = await accountOf(destination);
    const said = (text: string) => inboundDelivery({ source, destination, text, isNumbered });
    expect(await store(said('STOP'), said('START'))).toEqual(['stored', 'stored']);
    expect(await store(said('STOP'))).toEqual(['repeated']);
    expect(await isSuppressed(ledger.database, accountId, source)).toBe(!isNumbered);
  });

  test('are stored and obeyed together or not at all', async () => {
    const [source, destination] = [aHandset(), aNumber()];
    const accountId = await accountOf(destination);
    await ledger.database.query(`alter table suppression add constraint broken check (reason <> 'STOP') not valid`);
    try {
      await expect(store(inboundDelivery({ source, destination, text: 'STOP' }))).rejects.toThrow(/broken/);
      expect(await storedFrom(source)).toEqual([]);
    } finally {
      await ledger.database.query('alter table suppression drop constraint broken');
    }
    expect(await store(inboundDelivery({ source, destination, text: 'STOP' }))).toEqual(['stored']);
    expect(await isSuppressed(ledger.database, accountId, source)).toBe(true);
  });

  test('give back what waits for a number that said STOP', async () => {
    const [source, destination] = [aHandset(), aNumber()];
    const accountId = await accountOf(destination);
    const waiting = await ledger.queued(accountId, 1, { destination: source, recipient: source });
    await store(inboundDelivery({ source, destination, text: 'STOP' }));
    expect(await ledger.state(waiting.id)).toBe('canceled');
  });

  test('from what is no number are stored, and obeyed by nobody', async () => {
    const destination = aNumber();
    await accountOf(destination);
    expect(await store(inboundDelivery({ source: 'Bank', destination, text: 'STOP' }))).toEqual(['stored']);
  });
});

test('a text that PostgreSQL cannot hold is stored with the sign for unreadable characters', async () => {
  const source = aHandset();
  await store(inboundDelivery({ source, text: 'a\0b\ud800' }));
  expect(await storedFrom(source)).toMatchObject([{ message: 'a\ufffdb\ufffd' }]);
});

test.each([
  [' stop ', 'stop'],
  ['STOP.', 'stop'],
  ['"Arrêt"', 'stop'],
  ['Unstop', 'start'],
  ['hilfe!', 'help'],
  ['stop it', null],
  ['stopp\u00adp', null],
  ['', null],
])('the text %j is the keyword %s', async (text, keyword) => {
  const source = aHandset();
  await store(inboundDelivery({ source, text }));
  expect(await storedFrom(source)).toMatchObject([{ keyword }]);
});
