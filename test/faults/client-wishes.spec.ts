import { beforeEach, describe, expect, test } from '@jest/globals';
import type { Bounds } from '../../tools/faults/check/evidence.js';
import { ARun, brokenIn, idOf, violationsOf } from './a-run.js';

let run: ARun;
beforeEach(() => {
  run = new ARun();
});

const found = (bounds?: Bounds) => violationsOf(run, bounds);
const broken = () => brokenIn(run);

describe('what clients canceled, or asked for at a later time', () => {
  test('a canceled message that was given back and never left is well', () => {
    run.cancel(1, 's1.0');
    expect(found()).toEqual([]);
  });

  test('a scheduled message that went out at its time, and one that was canceled before, are well', () => {
    run.schedule(1, 1);
    run.schedule(3, 60_000);
    run.cancel(3, 's3.0', 'scheduled');
    expect(found()).toEqual([]);
  });

  test('a message that was answered as canceled and went out is found', () => {
    run.records.push({ kind: 'cancel', atMs: 1, endedAtMs: 2, send: 1, id: idOf('s1.0'), status: 200 });
    expect(broken()).toEqual(['I11']);
  });

  test('a message that could not be canceled any more goes out', () => {
    run.records.push({ kind: 'cancel', atMs: 1, endedAtMs: 2, send: 1, id: idOf('s1.0'), status: 409 });
    expect(found()).toEqual([]);
  });

  test('a canceled message that the carrier took is found', () => {
    run.cancel(1, 's1.0');
    run.taken('s1.0', 1, 'c-late');
    expect(broken()).toContain('I11');
  });

  test('a canceled message that is still charged is found', () => {
    run.cancel(1, 's1.0');
    run.change('s1.0', { amount: 10_000n });
    expect(broken()).toContain('I11');
  });

  test('a canceled message that nobody asked to cancel is found', () => {
    run.cancel(2, 's2.1');
    run.records = run.records.filter(({ kind }) => kind !== 'cancel');
    expect(broken()).toEqual(['I11']);
  });

  test('a send whose time passed before a gateway could be reached may be refused; one that is early may not', () => {
    run.records.push({ kind: 'send', atMs: 1, send: 9, account: '1001', key: 'k9', isBatch: false, messages: [] });
    run.schedule(9, 5);
    run.attempt(9, { outcome: 'refused', status: 400, code: 'send_at_invalid' });
    expect(found({ duplicatesMax: 0, clientErrorsMax: 0 })).toEqual([]);
    run.schedule(9, 60_000);
    expect(broken()).toEqual(['client']);
    expect(found({ duplicatesMax: 0, clockAheadMs: 60_000 })).toEqual([]);
  });

  test('a message that goes out before its time is found', () => {
    run.schedule(1, 60_000);
    expect(broken()).toEqual(['I12']);
  });
});

describe('what clients were told', () => {
  test('a change that no client was told of is found', () => {
    run.untold.add('delivered');
    expect(broken()).toEqual(['I13']);
    expect(found()[0]?.says).toBe('nobody was told that s1.0, order id-s1.0, is delivered');
  });

  test('a change that two events tell of is found: a client that remembers ids takes both for new', () => {
    run.toldAgain.push(`${idOf('s1.0')} delivered`);
    expect(broken()).toEqual(['I13']);
    expect(found()[0]?.says).toBe('a client was told that order id-s1.0 is delivered, by 2 events');
  });

  test('a change that never was is found', () => {
    run.invented.push(`${idOf('s1.0')} failed`);
    expect(broken()).toEqual(['I13']);
  });

  test.each<[what: string, spoil: () => void, says: string]>([
    [
      'that no client was told of',
      () => run.heardBatches.clear(),
      '0 events instead of one tell that batch b-s2 is completed',
    ],
    [
      'that two events tell of',
      () => run.heardBatches.set('evt_2', { batchId: 'b-s2', messages: 2 }),
      '2 events instead of one tell that batch b-s2 is completed',
    ],
    [
      'that is told with another number of messages',
      () => run.heardBatches.set('evt_1', { batchId: 'b-s2', messages: 1 }),
      'batch b-s2 has 2 messages, and a client was told 1',
    ],
    [
      'that is not there',
      () => run.heardBatches.set('evt_2', { batchId: 'b-s9', messages: 2 }),
      'a client was told of batch b-s9, which is not there',
    ],
  ])('a completed batch %s is found', (_what, spoil, says) => {
    spoil();
    expect(broken()).toEqual(['I13']);
    expect(found()[0]?.says).toBe(says);
  });
});

describe('a handset that has opted out', () => {
  const optOut = {
    kind: 'opt-out',
    account: '1001',
    recipient: '+49151',
    atMs: 5,
    heldFromMs: 10,
    heldUntilMs: 20,
  } as const;
  const at = (send: number, atMs: number) => {
    run.records = run.records.map((one) => (one.kind === 'send' && one.send === send ? { ...one, atMs } : one));
  };
  beforeEach(() => {
    run.records.push(optOut);
  });

  test('had its messages before, or did not get them any more; and gets those after', () => {
    run.cancel(3, 's3.0');
    run.taken('s1.0', 1, 'c-again', 60_000);
    at(2, 20);
    expect(brokenIn(run, { duplicatesMax: 1 })).toEqual([]);
  });

  test('and is sent a message that was accepted after it: found', () => {
    at(1, 11);
    expect(broken()).toEqual(['I14']);
  });

  test('and gets a message that waited, long after it: found', () => {
    run.taken('s1.0', 1, 'c-late', 70_011);
    expect(brokenIn(run, { duplicatesMax: 1 })).toEqual(['I14']);
  });
});
