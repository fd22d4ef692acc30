import { type Micros, parseMicros } from '#billing';
import { ApiError } from '../../shell/api/api-error.js';
import { isTooLarge } from '../sending/ask-prices.js';
import { type RetryOptions, retrying } from '../sending/retry.js';
import type { RowMessage } from './check-rows.js';
import { type Chunk, entryOf } from './cut-chunks.js';

/** What is asked of all messages of a send. */
export interface BatchOptions {
  readonly sender?: string;
  /** ISO 8601. */
  readonly sendAt?: string;
  readonly tag?: string;
}

export interface BatchBody extends BatchOptions {
  readonly messages: readonly { readonly recipient: string; readonly message: string }[];
}

export interface BatchAnswer {
  readonly balanceDeduction: string;
  readonly orderSummary: readonly { readonly messageId: string; readonly amount: number }[];
}

/** `POST /v1/message/send-batch`. */
export type PostBatch = (body: BatchBody, idempotencyKey: string) => Promise<BatchAnswer>;

/** A row that was accepted. */
export interface SentRow {
  readonly message: RowMessage;
  readonly messageId: string;
  readonly amount: Micros;
}

/** A chunk, or a part of one, that is still to be sent. */
interface Part {
  readonly messages: Chunk;
  readonly key: string;
}

/** Not signed in, not allowed, too often. */
const REFUSED_BEFORE: ReadonlySet<number> = new Set([401, 403, 429]);

export type SendingStatus = 'ready' | 'sending' | 'waiting' | 'stopping' | 'stopped' | 'done';

/** A send as the page shows it; a new object for each change. */
export interface SendingState {
  readonly status: SendingStatus;
  /** Messages that are accepted and charged. */
  readonly sent: number;
  /** Without those that the service says no more of than that they were accepted before. */
  readonly charged: Micros;
  readonly all: number;
  /** Why it stopped or waits; undefined: because somebody asked. */
  readonly error: ApiError | undefined;
  /** When it is tried again, if it waits. */
  readonly nextTryAt: number | undefined;
  /** Rows of the chunk that was refused, which can be left out. */
  readonly refused: readonly RefusedRow[];
}

export interface RefusedRow {
  readonly row: number;
  readonly recipient: string;
  readonly code: string;
  readonly detail: string;
}

interface BatchPlan {
  /** Of this send: with the number of a chunk it is the chunk's Idempotency-Key. */
  readonly id: string;
  readonly chunks: readonly Chunk[];
  readonly options: BatchOptions;
  /** Rows that were left out after the chunks were cut; those keep their keys. */
  readonly leftOut: Iterable<number>;
  /** It was begun before, and nobody knows how far it came. */
  readonly isResumed?: boolean;
}

/**
 * Sends a file in chunks, one after the other. Each chunk is accepted as a whole, at most once: its key makes the
 * service answer a repetition like the first time. So a send that was interrupted begins again with its first chunk.
 * If the service takes smaller requests by then, a chunk is cut in the same way each time it is sent.
 */
export class BatchSending {
  readonly sentRows: SentRow[] = [];
  /** Rows that were accepted before the service took smaller requests only: it does not tell their ids again. */
  readonly earlierRows: RowMessage[] = [];
  private readonly leftOut: Set<number>;
  private readonly listeners = new Set<() => void>();
  private parts: readonly Part[];
  /** The first part got no answer when it was last sent. */
  private isInDoubt = false;
  private stop = new AbortController();
  private current: SendingState;

  constructor(
    readonly plan: BatchPlan,
    private readonly post: PostBatch,
    /** Replaced in tests. */
    private readonly wait?: RetryOptions['wait'],
  ) {
    this.leftOut = new Set(plan.leftOut);
    this.parts = plan.chunks.map((messages, index) => ({ messages, key: `${plan.id}-${index + 1}` }));
    this.current = {
      status: 'ready',
      sent: 0,
      charged: 0n,
      all: this.left,
      error: undefined,
      nextTryAt: undefined,
      refused: [],
    };
  }

  get state(): SendingState {
    return this.current;
  }

  /** Rows that were left out after the chunks were cut. */
  get leftOutRows(): readonly number[] {
    return [...this.leftOut];
  }

  /** Rows that the service may have accepted, although no answer says so. */
  get doubtfulRows(): readonly number[] {
    const parts = this.plan.isResumed ? this.parts : this.isInDoubt ? this.parts.slice(0, 1) : [];
    return parts.flatMap(({ messages }) => this.kept(messages).map(({ row }) => row));
  }

  /** @returns a function that ends the subscription */
  subscribe = (listener: () => void): (() => void) => {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  };

  /** Sends until everything is sent, it is stopped, or a chunk is refused; then it may be called again. */
  async run(): Promise<void> {
    if (['sending', 'waiting', 'stopping', 'done'].includes(this.current.status)) return;
    this.stop = new AbortController();
    this.change({ status: 'sending', error: undefined, refused: [] });
    for (let [part] = this.parts; part !== undefined; [part] = this.parts) {
      if (this.stop.signal.aborted) {
        this.change({ status: 'stopped' });
        return;
      }
      const messages = this.kept(part.messages);
      try {
        const cut = messages.length === 0 ? [] : await this.sendPart(part, messages);
        this.parts = [...cut, ...this.parts.slice(1)];
      } catch (error) {
        const isAsked = this.stop.signal.aborted && !(error instanceof ApiError);
        this.change({
          status: 'stopped',
          error: isAsked ? undefined : asApiError(error),
          nextTryAt: undefined,
          refused: refusedRows(error, messages),
        });
        return;
      }
    }
    this.change({ status: 'done' });
  }

  /** Stops before the next chunk; a chunk that is on its way is waited for. */
  pause(): void {
    if (this.current.status !== 'sending' && this.current.status !== 'waiting') return;
    this.change({ status: 'stopping', nextTryAt: undefined });
    this.stop.abort();
  }

  /** Leaves rows out of what is still to be sent. */
  leaveOut(rows: Iterable<number>): void {
    for (const row of rows) this.leftOut.add(row);
    this.change({ all: this.current.sent + this.left, refused: [], error: undefined });
  }

  private get left(): number {
    return this.parts.reduce((sum, { messages }) => sum + this.kept(messages).length, 0);
  }

  private kept(chunk: Chunk): Chunk {
    return this.leftOut.size === 0 ? chunk : chunk.filter(({ row }) => !this.leftOut.has(row));
  }

  /**
   * @param messages of the part, without those that are left out
   * @returns what is still to be sent of it
   */
  private async sendPart(part: Part, messages: Chunk): Promise<readonly Part[]> {
    try {
      this.note(messages, await this.send(messages, part.key));
      return [];
    } catch (error) {
      const [first] = messages;
      if (first === undefined || messages.length === 1 || !isOfAnotherSize(error)) throw error;
      return this.sendFirst(part, first, error);
    }
  }

  /**
   * Sends one message with the key of the part: if the service has accepted the whole part with it before, it refuses
   * that; otherwise the rest, in halves with keys of their own, was never sent with this key.
   */
  private async sendFirst(part: Part, first: RowMessage, refusal: ApiError): Promise<readonly Part[]> {
    try {
      this.note([first], await this.send([first], part.key));
    } catch (error) {
      // Both are refused: the key is that of something else.
      if (!isKeyReused(error) || isKeyReused(refusal)) throw error;
      this.noteEarlier(this.kept(part.messages));
      return [];
    }
    const rest = part.messages.filter((message) => message !== first);
    const half = Math.ceil(rest.length / 2);
    return [
      { messages: rest.slice(0, half), key: `${part.key}.1` },
      { messages: rest.slice(half), key: `${part.key}.2` },
    ];
  }

  private send(messages: Chunk, key: string): Promise<BatchAnswer> {
    const body = { ...this.plan.options, messages: messages.map(entryOf) };
    return retrying(
      () => {
        if (this.current.status === 'waiting') this.change({ status: 'sending', nextTryAt: undefined });
        return this.postNoted(body, key);
      },
      {
        signal: this.stop.signal,
        waiting: (error, waitMs) => this.change({ status: 'waiting', error, nextTryAt: Date.now() + waitMs }),
        ...(this.wait && { wait: this.wait }),
      },
    );
  }

  /** Notes whether a request may have been accepted although no answer says so. */
  private async postNoted(body: BatchBody, key: string): Promise<BatchAnswer> {
    try {
      const accepted = await this.post(body, key);
      this.isInDoubt = false;
      return accepted;
    } catch (error) {
      // What is refused before its key is looked at says nothing of the try before.
      if (error instanceof ApiError && !REFUSED_BEFORE.has(error.status)) this.isInDoubt = error.isPassing;
      throw error;
    }
  }

  private note(messages: Chunk, { orderSummary, balanceDeduction }: BatchAnswer): void {
    for (const [index, message] of messages.entries()) {
      const order = orderSummary[index];
      if (order === undefined) continue;
      this.sentRows.push({ message, messageId: order.messageId, amount: parseMicros(String(order.amount)) });
    }
    this.change({
      sent: this.current.sent + messages.length,
      charged: this.current.charged + parseMicros(balanceDeduction),
      error: undefined,
      nextTryAt: undefined,
    });
  }

  private noteEarlier(messages: Chunk): void {
    this.earlierRows.push(...messages);
    this.change({ sent: this.current.sent + messages.length, error: undefined, nextTryAt: undefined });
  }

  private change(change: Partial<SendingState>): void {
    this.current = { ...this.current, ...change };
    for (const listener of this.listeners) listener();
  }
}

/** Whether the request is too large now, or the key is that of a part of it. */
function isOfAnotherSize(error: unknown): error is ApiError {
  return isTooLarge(error) || isKeyReused(error);
}

function isKeyReused(error: unknown): error is ApiError {
  return error instanceof ApiError && error.code === 'idempotency_key_reused';
}

function refusedRows(error: unknown, messages: Chunk): RefusedRow[] {
  const faults = error instanceof ApiError ? error.faults : [];
  return faults.flatMap(({ arrayPosition, code, detail }) => {
    const message = arrayPosition === undefined ? undefined : messages[arrayPosition];
    return message === undefined ? [] : [{ row: message.row, recipient: message.recipient, code, detail }];
  });
}

function asApiError(error: unknown): ApiError {
  return error instanceof ApiError ? error : new ApiError(0, 'unexpected', 'Error', String(error));
}
