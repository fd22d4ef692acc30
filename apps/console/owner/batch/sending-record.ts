import type { BatchOptions } from './batch-sending.js';
import type { Charset } from './decode-file.js';

/** What a send needs to go on after the page was loaded again. */
export interface SendingRecord {
  /** Of this send; its chunks have it in their Idempotency-Key. */
  readonly id: string;
  /** The account that sends: another one would send, and pay, a second time. */
  readonly account: string;
  /** Milliseconds since 1970. */
  readonly startedAt: number;
  readonly fileName: string;
  /** By which the file is known again. */
  readonly fileMark: string;
  readonly charset: Charset;
  readonly hasHeader: boolean;
  readonly recipient: number;
  readonly template: string;
  readonly countryCode: string;
  readonly options: BatchOptions;
  /** Of one request, by which the send was cut: a request that is made again has the same messages. */
  readonly messagesMax?: number;
  /** Rows that are not sent, as known before the chunks were cut. */
  readonly skippedRows: readonly number[];
  /** Rows that were left out later. */
  readonly leftOut: readonly number[];
  readonly messages: number;
  readonly sent: number;
  /** Of all messages, as it was confirmed. */
  readonly price: string;
  readonly currency: string;
}

/** A file that was sent from this tab, as a whole or in part. */
export interface SentFile {
  /** Of the send. */
  readonly id: string;
  readonly fileMark: string;
  readonly sentAt: number;
  /** Those that are known to be accepted. */
  readonly messages: number;
}

/** The part of `sessionStorage` that is used. */
export interface TabStore {
  getItem(key: string): string | null;
  setItem(key: string, value: string): void;
  removeItem(key: string): void;
}

const SENDING_KEY = 'heliograph.sending';
const FILE_KEY = 'heliograph.sending-file';
const SENT_KEY = 'heliograph.sent-files';
const SENT_FILES_MAX = 50;
/** A file of this size is kept, so that nobody need choose it again. A tab has room for about 5 million characters. */
const FILE_TEXT_MAX = 1_500_000;
/** The service forgets Idempotency-Keys after 24 hours at the earliest. After that a repetition would be a new send. */
const RESUMABLE_MS = 20 * 3_600_000;

/** Keeps the record of a send that runs, as it stands now. */
export function keepRecord(store: TabStore, record: SendingRecord): void {
  try {
    store.setItem(SENDING_KEY, JSON.stringify(record));
  } catch {
    // Without room the send still runs; only a reload cannot resume it.
    store.removeItem(SENDING_KEY);
  }
}

/** Keeps the file of the send beside its record, if it is small. A large one is chosen again. */
export function keepFile(store: TabStore, text: string): void {
  store.removeItem(FILE_KEY);
  if (text.length > FILE_TEXT_MAX) return;
  try {
    store.setItem(FILE_KEY, text);
  } catch {
    // The tab has no room for it.
  }
}

export function keptFile(store: TabStore): string | undefined {
  return store.getItem(FILE_KEY) ?? undefined;
}

/** The send of this account that was interrupted. */
export function interruptedRecord(store: TabStore, account: string): SendingRecord | undefined {
  const json = store.getItem(SENDING_KEY);
  const record = json === null ? undefined : (JSON.parse(json) as SendingRecord);
  return record?.account === account ? record : undefined;
}

/** Whether the service still knows the keys of the send. */
export function isResumable({ startedAt }: SendingRecord, nowMs: number): boolean {
  return nowMs - startedAt < RESUMABLE_MS;
}

export function forgetRecord(store: TabStore): void {
  store.removeItem(SENDING_KEY);
  store.removeItem(FILE_KEY);
}

/**
 * Notes a file that was sent, or may have been, so that the page can warn when it is chosen again. It replaces what was
 * noted of this send before.
 */
export function noteSentFile(store: TabStore, file: SentFile): void {
  keepSentFiles(store, [file, ...otherSends(store, file.id)].slice(0, SENT_FILES_MAX));
}

/** Nothing of the send was accepted. */
export function forgetSentFile(store: TabStore, id: string): void {
  keepSentFiles(store, otherSends(store, id));
}

/** When this very file was last sent from this tab. */
export function lastSendOf(store: TabStore, fileMark: string): SentFile | undefined {
  return sentFiles(store).find((file) => file.fileMark === fileMark);
}

function otherSends(store: TabStore, id: string): SentFile[] {
  return sentFiles(store).filter((file) => file.id !== id);
}

function keepSentFiles(store: TabStore, files: readonly SentFile[]): void {
  try {
    store.setItem(SENT_KEY, JSON.stringify(files));
  } catch {
    // Without room nobody is warned; the send goes on.
  }
}

function sentFiles(store: TabStore): SentFile[] {
  return JSON.parse(store.getItem(SENT_KEY) ?? '[]') as SentFile[];
}
