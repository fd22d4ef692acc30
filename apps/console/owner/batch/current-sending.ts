import { useSyncExternalStore } from 'react';
import { postBatch } from '../sending/calls.js';
import { queries } from '../session/api.js';
import { sessions } from '../session/session.js';
import { type BatchOptions, BatchSending, type SendingState } from './batch-sending.js';
import type { RowMessage } from './check-rows.js';
import { cutChunks } from './cut-chunks.js';
import { forgetRecord, forgetSentFile, keepRecord, noteSentFile, type SendingRecord } from './sending-record.js';
import type { ExplainedRow } from './write-result.js';

/** A send that runs, or has run, in this tab, whatever page is shown. */
export interface CurrentSending {
  readonly record: SendingRecord;
  readonly sending: BatchSending;
  /** Rows of the file that are not part of it. */
  readonly notSent: readonly ExplainedRow[];
  readonly delimiter: string;
}

let current: CurrentSending | undefined;
const listeners = new Set<() => void>();

export const useCurrentSending = () => useSyncExternalStore(subscribe, () => current);

export const useSendingState = (sending: BatchSending): SendingState =>
  useSyncExternalStore(sending.subscribe, () => sending.state);

interface NewSending extends Omit<CurrentSending, 'sending'> {
  readonly messages: readonly RowMessage[];
  readonly isResumed?: boolean;
}

/** Begins a send, or goes on with one of the same record, and keeps what a reload needs. It runs from then on. */
export async function beginSending(wanted: NewSending): Promise<void> {
  const { record, messages, notSent, delimiter, isResumed = false } = wanted;
  const options: BatchOptions = record.options;
  const chunks = await cutChunks(messages, record.messagesMax);
  const sending = new BatchSending({ id: record.id, chunks, options, leftOut: record.leftOut, isResumed }, postBatch);
  keepRecord(sessionStorage, record);
  setCurrent({ record, sending, notSent, delimiter });
  sending.subscribe(() => keepProgress(record, sending));
  void sending.run();
}

/** The page begins anew. */
export function forgetSending(): void {
  forgetRecord(sessionStorage);
  setCurrent(undefined);
}

function keepProgress(record: SendingRecord, sending: BatchSending): void {
  if (current?.sending !== sending) return;
  const { status, sent } = sending.state;
  noteFile(record, sending);
  if (status !== 'done') {
    keepRecord(sessionStorage, { ...record, sent, leftOut: sending.leftOutRows });
    return;
  }
  forgetRecord(sessionStorage);
  void queries.invalidateQueries();
}

/** Until a send stops, a request is on its way. It may be accepted though the page is gone before the answer. */
function noteFile({ id, fileMark, sent: sentBefore }: SendingRecord, sending: BatchSending): void {
  const { status, sent } = sending.state;
  const messages = Math.max(sentBefore, sent);
  const isNothing = status === 'stopped' && messages === 0 && sending.doubtfulRows.length === 0;
  if (isNothing) forgetSentFile(sessionStorage, id);
  else noteSentFile(sessionStorage, { id, fileMark, sentAt: Date.now(), messages });
}

function setCurrent(next: CurrentSending | undefined): void {
  current = next;
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

// Whoever signs out leaves nothing at this screen: the chunk that is on its way is the last one, and nobody notes it.
sessions.subscribe(() => {
  if (sessions.read().kind !== 'signedOut' || current === undefined) return;
  const { sending } = current;
  setCurrent(undefined);
  sending.pause();
});

window.addEventListener('beforeunload', (event) => {
  const status = current?.sending.state.status;
  if (status === 'sending' || status === 'waiting' || status === 'stopping') event.preventDefault();
});
