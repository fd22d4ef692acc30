import { beforeEach, describe, expect, test } from '@jest/globals';
import type { Bounds } from '../../tools/faults/check/evidence.js';
import { Indexes } from '../../tools/faults/check/indexes.js';
import { driftOf } from '../../tools/faults/check/money.js';
import { ARun, brokenIn, idOf, violationsOf } from './a-run.js';

let run: ARun;
beforeEach(() => {
  run = new ARun();
});

const found = (bounds?: Bounds) => violationsOf(run, bounds);
const broken = (bounds?: Bounds) => brokenIn(run, bounds);

test('a run in which all is well has no violation', () => {
  expect(found({ duplicatesMax: 0, clientErrorsMax: 0 })).toEqual([]);
});

describe('what was accepted', () => {
  test('an accepted order that the database has lost is found, with the lines of its history', () => {
    run.orders = run.orders.filter(({ name }) => name !== 's1.0');
    const [violation] = found();
    expect(violation?.invariant).toBe('I1');
    expect(violation?.says).toContain('s1.0, accepted as id-s1.0, is not in the database');
    expect(violation?.lines.join('\n')).toContain('"outcome":"ok"');
  });

  test('an answer with the id of another message is found', () => {
    run.attempt(1, { outcome: 'ok', ids: [idOf('s2.0')], isReplay: true });
    expect(broken()).toEqual(['I1']);
  });

  test('two orders under one key are found', () => {
    run.order('s1.0', 1, 'delivered', 'id-again');
    run.segments.push({ orderId: 'id-again', position: 1, state: 'delivered' });
    expect(broken()).toContain('I2');
  });

  test('half of a batch is found', () => {
    run.orders = run.orders.filter(({ name }) => name !== 's2.1');
    expect(found().some(({ says }) => says.includes('a batch of 2, 1 messages are stored'))).toBe(true);
  });

  test('an order that nobody asked for is found', () => {
    run.order('s9.0', 1, 'delivered');
    expect(found().some(({ invariant, says }) => invariant === 'I2' && says.includes('is of no send'))).toBe(true);
  });

  test('an order of a send that was only refused is found', () => {
    run.records = run.records.filter((record) => !(record.kind === 'attempt' && record.send === 1));
    run.attempt(1, { outcome: 'refused', status: 503, code: 'overloaded' });
    expect(found().some(({ says }) => says === 'send 1 was only ever refused, and is stored')).toBe(true);
  });

  test('a send whose answer got lost may be stored, and the repeat tells of the same order', () => {
    run.records = run.records.filter((record) => !(record.kind === 'attempt' && record.send === 1));
    run.attempt(1, { outcome: 'unknown', code: 'ECONNRESET' });
    run.attempt(1, { outcome: 'ok', ids: [idOf('s1.0')], isReplay: true });
    expect(found()).toEqual([]);
    expect(broken({ duplicatesMax: 0, clientErrorsMax: 0 })).toEqual(['client']);
  });

  test('without money is an answer only for an account that is meant to run dry', () => {
    run.records.push({ kind: 'send', atMs: 9, send: 9, account: '1001', key: 'k9', isBatch: false, messages: [] });
    run.attempt(9, { outcome: 'refused', status: 402, code: 'insufficient_balance' });
    expect(broken()).toEqual(['client']);
    expect(found({ duplicatesMax: 0, refusedFor: new Map([['1001', 'insufficient_balance']]) })).toEqual([]);
  });

  test('a send that nobody ever answered is found', () => {
    run.records = run.records.filter((record) => !(record.kind === 'attempt' && record.send === 1));
    run.attempt(1, { outcome: 'unknown', code: 'ETIMEDOUT' });
    expect(broken()).toEqual(['client']);
  });
});

describe('what the carrier got', () => {
  test('an order that is called delivered and that the carrier never took is found', () => {
    run.carrier = run.carrier.filter((line) => !(line.kind === 'submit' && line.text?.includes('s1.0')));
    expect(broken()).toContain('I3');
  });

  test('a failed order that kept its price is found; one that gave it back is well', () => {
    run.carrier = run.carrier.filter((line) => !(line.kind === 'submit' && line.text?.includes('s1.0')));
    run.carrier = run.carrier.filter((line) => !(line.kind === 'receipt' && line.messageId.includes('s1.0')));
    run.segments = run.segments.filter(({ orderId }) => orderId !== idOf('s1.0'));
    run.transitions = run.transitions.filter(({ orderId }) => orderId !== idOf('s1.0'));
    run.transitions.push({ orderId: idOf('s1.0'), from: 'queued', to: 'failed' });
    run.change('s1.0', { state: 'failed', amount: 0n });
    expect(found()).toEqual([]);
    run.change('s1.0', { amount: 10_000n });
    expect(broken()).toEqual(['I3', 'I5', 'I6']);
  });

  test('a duplicate is found, and excused only by a window that was in flight', () => {
    run.taken('s3.0', 2, 'c-again');
    expect(broken()).toEqual(['I4']);
    expect(found({ duplicatesMax: 1 })).toEqual([]);
    run.taken('s3.0', 2, 'c-once-more');
    expect(broken({ duplicatesMax: 1 })).toEqual(['I4']);
  });

  test('a segment without a name that we gave is found', () => {
    run.carrier.push({ kind: 'submit', atMs: 1, bind: 1, text: 'who is this', isTaken: true, messageId: 'c1' });
    expect(found()[0]?.says).toContain('segments without a name');
  });

  test('a segment without which a delivered message is not whole is found', () => {
    run.carrier = run.carrier.filter((line) => !(line.kind === 'submit' && line.messageId === 'c-s3.0-2'));
    expect(broken()).toContain('I10');
    expect(found().some(({ says }) => says.includes('the carrier never took segment 2'))).toBe(true);
  });

  test('a whole text that goes out in place of each segment is found', () => {
    const [order] = run.orders.filter(({ name }) => name === 's3.0');
    run.carrier = run.carrier.map((line) =>
      line.kind === 'submit' && line.messageId?.startsWith('c-s3.0') ? { ...line, text: order?.message ?? '' } : line,
    );
    expect(broken()).toEqual(['I10']);
    run = new ARun();
    run.carrier = run.carrier.filter((line) => !(line.kind === 'submit' && line.messageId?.startsWith('c-s3.0')));
    for (const id of ['c-s3.0-1', 'c-s3.0-2']) run.submit(id, order?.message ?? '');
    expect(broken()).toEqual(['I4']);
    run.submit('c-part', order?.message.slice(0, 153) ?? '', { part: 1, total: 2 });
    expect(broken({ duplicatesMax: 9 })).toEqual(['I10']);
  });

  test('a message that was cut otherwise than it was billed is found', () => {
    const recut = (text: string, at: number, part: number) => (part === 1 ? text.slice(0, at) : text.slice(at));
    const text = run.orders.find(({ name }) => name === 's3.0')?.message ?? '';
    run.carrier = run.carrier.map((line) =>
      line.kind === 'submit' && line.messageId?.startsWith('c-s3.0')
        ? { ...line, text: recut(text, 152, line.concatenation?.part ?? 1) }
        : line,
    );
    expect(broken()).toEqual(['I10']);
  });

  test.each([
    ['says another total', { part: 2, total: 3 }, 'the carrier took segment 2 of 3'],
    ['is joined by another reference', { part: 2, total: 2, reference: 8 }, 'in several ways: udh8 7, udh8 8'],
    ['is joined in another form', { part: 2, total: 2, by: 'sar' }, 'in several ways: udh8 7, sar 7'],
    ['has the number of another', { part: 1, total: 2 }, 'a text that was not billed for it'],
  ])('a segment that %s is found', (_what, part, says) => {
    const text = run.orders.find(({ name }) => name === 's3.0')?.message.slice(153) ?? '';
    run.carrier = run.carrier.filter((line) => !(line.kind === 'submit' && line.messageId === 'c-s3.0-2'));
    run.submit('c-s3.0-2', text, part);
    expect(found({ duplicatesMax: 1 }).some((one) => one.invariant === 'I10' && one.says.includes(says))).toBe(true);
  });

  test('a message that went out whole, once, is well', () => {
    run.carrier = run.carrier.filter((line) => !('messageId' in line && line.messageId?.startsWith('c-s3.0')));
    run.submit('c-s3.0-1', run.orders.find(({ name }) => name === 's3.0')?.message ?? '');
    run.segments = run.segments.filter(({ orderId, position }) => orderId !== idOf('s3.0') || position === 1);
    run.receipt('c-s3.0-1');
    expect(found()).toEqual([]);
  });

  test('an illegal transition is found', () => {
    run.transitions.push({ orderId: idOf('s1.0'), from: 'delivered', to: 'queued' });
    expect(found()[0]?.says).toContain('went from delivered to queued, which is not legal');
  });

  test('a state that no recorded transition leads to is found', () => {
    run.transitions = run.transitions.filter(({ orderId, to }) => orderId !== idOf('s1.0') || to !== 'sent');
    expect(broken()).toEqual(['I7']);
  });

  test('a way through several claims is legal in whatever order it was written', () => {
    run.transitions.unshift({ orderId: idOf('s1.0'), from: 'sending', to: 'queued' });
    run.transitions.push({ orderId: idOf('s1.0'), from: 'queued', to: 'sending' });
    expect(found()).toEqual([]);
  });

  test('an order that stays open is found', () => {
    run.change('s1.0', { state: 'sent' });
    run.transitions = run.transitions.filter(({ orderId, to }) => orderId !== idOf('s1.0') || to !== 'delivered');
    run.segments = run.segments.map((one) => (one.orderId === idOf('s1.0') ? { ...one, state: 'accepted' } : one));
    run.carrier = run.carrier.filter((line) => !(line.kind === 'receipt' && line.messageId.includes('s1.0')));
    expect(broken()).toEqual(['I8']);
  });

  test('a swallowed receipt is found; an unmatched one, or one that was not acknowledged, is well', () => {
    run.segments = run.segments.map((one) => (one.orderId === idOf('s1.0') ? { ...one, state: 'accepted' } : one));
    expect(broken()).toEqual(['I9']);
    run.unmatched.add('c-s1.0-1');
    expect(found()).toEqual([]);
    run = new ARun();
    run.taken('s1.0', 1, 'c-again');
    run.receipt('c-again', 8);
    expect(found({ duplicatesMax: 1 })).toEqual([]);
  });
});

describe('where the carrier sends receipts of all kinds', () => {
  const MIXED: Bounds = { duplicatesMax: 0, hasReceiptMix: true };
  /** A long message whose second segment never got a final receipt. */
  beforeEach(() => {
    run.tell('s3.0', 2, 'unsettled');
    run.end('s3.0', 'unknown', ['delivered', 'unknown']);
    run.foreignReceipt('nobody');
    run.unmatched.add('nobody');
  });

  test('a run in which every state is the one that the receipts say has no violation', () => {
    expect(found(MIXED)).toEqual([]);
  });

  test.each<[string, () => void]>([
    ['a segment whose receipt was swallowed', () => run.end('s1.0', 'delivered', ['accepted'])],
    ['an order whose receipt was swallowed', () => run.end('s1.0', 'unknown', ['delivered'])],
    ['a failure that overruled a delivery', () => run.end('s3.0', 'unknown', ['undelivered', 'unknown'])],
    ['a receipt for a foreign id that settled something', () => run.end('s3.0', 'unknown', ['delivered', 'delivered'])],
    ['a receipt for a foreign id that was swallowed', () => run.unmatched.clear()],
    ['an unmatched receipt that has its segment', () => run.unmatched.add('c-s1.0-1')],
  ])('%s is found', (_what, spoil) => {
    spoil();
    expect(broken(MIXED)).toEqual(['I9']);
  });

  test('a failure that was taken back leaves the order undelivered or unknown while another segment is open', () => {
    run.tell('s3.0', 1, 'delivered-contradicted');
    expect(found(MIXED)).toEqual([]);
    run.end('s3.0', 'undelivered', ['delivered', 'unknown']);
    expect(found(MIXED)).toEqual([]);
    run.tell('s3.0', 1, 'delivered');
    expect(broken(MIXED)).toEqual(['I9']);
  });
});

describe('the money', () => {
  test('a double charge is found in the order and in the balance', () => {
    run.change('s1.0', { amount: 20_000n });
    expect(broken()).toEqual(['I5', 'I6']);
    expect(driftOf(new Indexes(run.evidence))).toBe(10_000n);
  });

  test('a message that was charged at another price than its client was told is found', () => {
    run.change('s1.0', { price: 12_000n, amount: 12_000n });
    expect(broken()).toEqual(['I5', 'I6']);
    expect(driftOf(new Indexes(run.evidence))).toBe(2_000n);
  });

  test('an order that was billed more segments than its sender made is found', () => {
    run.change('s1.0', { segments: 2, price: 20_000n, amount: 20_000n });
    expect(broken()).toEqual(['I10', 'I5']);
  });

  test('a ledger that is not clean is a violation in its own words', () => {
    run.ledgerFault = 'journal_sums: 1';
    expect(found()).toEqual([
      { invariant: 'I5', says: 'smsctl ledger verify is not clean', lines: ['journal_sums: 1'] },
    ]);
  });
});
