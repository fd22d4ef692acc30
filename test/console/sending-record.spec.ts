import { describe, expect, test } from '@jest/globals';
import {
  forgetRecord,
  forgetSentFile,
  interruptedRecord,
  isResumable,
  keepFile,
  keepRecord,
  keptFile,
  lastSendOf,
  noteSentFile,
  type SendingRecord,
} from '../../apps/console/owner/batch/sending-record.js';

describe('what a tab keeps of a send', () => {
  const RECORD: SendingRecord = {
    id: 'send',
    account: '7',
    startedAt: 1_000,
    fileName: 'list.csv',
    fileMark: 'mark',
    charset: 'utf-8',
    hasHeader: false,
    recipient: 0,
    template: '{B}',
    countryCode: '',
    options: {},
    skippedRows: [4],
    leftOut: [],
    messages: 1,
    sent: 0,
    price: '0.075',
    currency: 'EUR',
  };
  function tab(room = Number.POSITIVE_INFINITY) {
    const kept = new Map<string, string>();
    return {
      getItem: (key: string) => kept.get(key) ?? null,
      removeItem: (key: string) => void kept.delete(key),
      setItem: (key: string, value: string) => {
        if (value.length > room) throw new Error('QuotaExceededError');
        kept.set(key, value);
      },
    };
  }

  test('is found again by its account alone, and can be forgotten', () => {
    const store = tab();
    keepRecord(store, RECORD);
    keepFile(store, 'file');
    expect(interruptedRecord(store, '7')).toEqual(RECORD);
    expect(interruptedRecord(store, '8')).toBeUndefined();
    forgetRecord(store);
    expect([interruptedRecord(store, '7'), keptFile(store)]).toEqual([undefined, undefined]);
  });

  test('has the file if it is small, and there is room for it', () => {
    const store = tab();
    keepFile(store, 'small');
    expect(keptFile(store)).toBe('small');
    keepFile(store, 'x'.repeat(2_000_000));
    expect(keptFile(store)).toBeUndefined();
    const full = tab(10);
    keepFile(full, 'x'.repeat(11));
    keepRecord(full, RECORD);
    expect([keptFile(full), interruptedRecord(full, '7')]).toEqual([undefined, undefined]);
  });

  test('cannot be resumed when the service may have forgotten its keys', () => {
    expect(isResumable(RECORD, 1_000 + 19 * 3_600_000)).toBe(true);
    expect(isResumable(RECORD, 1_000 + 20 * 3_600_000)).toBe(false);
  });

  test('warns of a file that was sent before, by the last thing that is known of each send', () => {
    const store = tab();
    noteSentFile(store, { id: 'first', fileMark: 'mark', sentAt: 5, messages: 0 });
    noteSentFile(store, { id: 'first', fileMark: 'mark', sentAt: 6, messages: 3 });
    expect(lastSendOf(store, 'mark')).toMatchObject({ sentAt: 6, messages: 3 });
    expect(lastSendOf(store, 'other')).toBeUndefined();
    // Another send of the file, of which nothing was accepted, takes back its own note only.
    noteSentFile(store, { id: 'second', fileMark: 'mark', sentAt: 7, messages: 0 });
    forgetSentFile(store, 'second');
    expect(lastSendOf(store, 'mark')).toMatchObject({ sentAt: 6, messages: 3 });
    forgetSentFile(store, 'first');
    expect(lastSendOf(store, 'mark')).toBeUndefined();
  });

  test('a note of a sent file that the tab has no room for stops no send', () => {
    const full = tab(10);
    noteSentFile(full, { id: 'send', fileMark: 'mark', sentAt: 5, messages: 3 });
    expect(lastSendOf(full, 'mark')).toBeUndefined();
  });
});
