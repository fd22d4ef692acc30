import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';

/** One message that a client wants sent, once. Its text holds the token `<name>` in every segment. */
export interface PlannedMessage {
  readonly name: string;
  readonly recipient: string;
  readonly segments: number;
}

/** The client decides to send: one logical send, with one Idempotency-Key for all its attempts. */
interface SendRecord {
  readonly kind: 'send';
  readonly atMs: number;
  readonly send: number;
  readonly account: string;
  readonly key: string;
  readonly isBatch: boolean;
  readonly messages: readonly PlannedMessage[];
  /** When it is to be sent, if the client asked for a later time. */
  readonly sendAtMs?: number | undefined;
}

/**
 * `ok`: accepted, with ids. `refused`: an answer that promises that nothing was charged. `unreached`: no connection, so
 * the request never left. `unknown`: reset, time-out, or an answer that leaves it open.
 */
export type Outcome = 'ok' | 'refused' | 'unreached' | 'unknown';

/** One attempt of a logical send, once it is over. */
export interface AttemptRecord {
  readonly kind: 'attempt';
  /** When the request was written, and when its end was known. */
  readonly atMs: number;
  readonly endedAtMs: number;
  readonly send: number;
  readonly attempt: number;
  /** Index of the base URL. */
  readonly gateway: number;
  readonly outcome: Outcome;
  readonly status?: number;
  /** The code of the problem document, or of the socket. */
  readonly code?: string;
  readonly isReplay?: boolean;
  /** Ids of the orders in the order of the messages, when `ok`. */
  readonly ids?: readonly string[];
  /** What each of these messages costs, in micro-units, as the answer said it. */
  readonly amounts?: readonly string[];
}

/** A client asked to cancel an accepted message, and was answered; an attempt that nobody answered has no record. */
export interface CancelRecord {
  readonly kind: 'cancel';
  readonly atMs: number;
  readonly endedAtMs: number;
  readonly send: number;
  /** Of the order. */
  readonly id: string;
  readonly status: number;
}

/** A handset opted out, and in again. */
export interface OptOutRecord {
  readonly kind: 'opt-out';
  /** When it wrote STOP. */
  readonly atMs: number;
  readonly account: string;
  readonly recipient: string;
  /** Between these times the number stood on the list. */
  readonly heldFromMs: number;
  readonly heldUntilMs: number;
}

/** What was done to the service. */
export interface FaultRecord {
  readonly kind: 'fault' | 'mended';
  readonly atMs: number;
  readonly fault: string;
  readonly detail: string;
}

export type HistoryRecord = SendRecord | AttemptRecord | CancelRecord | OptOutRecord | FaultRecord;

/** All that is known of one logical send from the client's side. */
export interface SendStory {
  readonly sent: SendRecord;
  readonly attempts: AttemptRecord[];
  readonly cancels: CancelRecord[];
}

export interface History {
  readonly sends: ReadonlyMap<number, SendStory>;
  readonly faults: readonly FaultRecord[];
  readonly optOuts: readonly OptOutRecord[];
}

/** Puts records in their places; those of a killed writer may lack their last line. */
export function historyOf(records: Iterable<HistoryRecord>): History {
  const sends = new Map<number, SendStory>();
  const faults: FaultRecord[] = [];
  const optOuts: OptOutRecord[] = [];
  for (const record of records) {
    if (record.kind === 'send') sends.set(record.send, { sent: record, attempts: [], cancels: [] });
    else if (record.kind === 'attempt') sends.get(record.send)?.attempts.push(record);
    else if (record.kind === 'cancel') sends.get(record.send)?.cancels.push(record);
    else if (record.kind === 'opt-out') optOuts.push(record);
    else faults.push(record);
  }
  return { sends, faults, optOuts };
}

export async function readHistory(...files: readonly string[]): Promise<History> {
  const records: HistoryRecord[] = [];
  for (const file of files) for await (const record of readJsonLines<HistoryRecord>(file)) records.push(record);
  return historyOf(records);
}

/** Each whole line of a file. */
export async function* readJsonLines<Line>(file: string): AsyncGenerator<Line> {
  for await (const line of createInterface({ input: createReadStream(file), crlfDelay: Number.POSITIVE_INFINITY })) {
    if (line.endsWith('}')) yield JSON.parse(line) as Line;
  }
}

export function acceptedAttempt(story: SendStory): AttemptRecord | undefined {
  return story.attempts.find(({ outcome }) => outcome === 'ok');
}

/** Whether the orders of a send that was never answered with ok may exist all the same. */
export function mayExist(story: SendStory): boolean {
  return story.attempts.some(({ outcome }) => outcome === 'ok' || outcome === 'unknown');
}
