import { type Micros, parseMicros } from '#billing';
import { ApiError } from '../../shell/api/api-error.js';
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

/** What became of a row. */
export interface SentRow {
  readonly message: RowMessage;
  readonly messageId: string;
  readonly amount: Micros;
}

export type SendingStatus = 'ready' | 'sending' | 'waiting' | 'stopping' | 'stopped' | 'done';

/** A send as the page shows it; a new object for each change. */
export interface SendingState {
  readonly status: SendingStatus;
  /** Messages that are accepted and charged. */
  readonly sent: number;
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
}

/**
 * Sends a file in chunks, one after the other. Each chunk is accepted as a whole, at most once: its key makes the
 * service answer a repetition like the first time. So a send that was interrupted begins again with its first chunk.
 */
export class BatchSending {
  readonly sentRows: SentRow[] = [];
  private readonly leftOut: Set<number>;
  private readonly listeners = new Set<() => void>();
  private nextChunk = 0;
  private stop = new AbortController();
  private current: SendingState;

  constructor(
    readonly plan: BatchPlan,
    private readonly post: PostBatch,
    /** Replaced in tests. */
    private readonly wait?: RetryOptions['wait'],
  ) {
    this.leftOut = new Set(plan.leftOut);
    const all = plan.chunks.reduce((sum, chunk) => sum + this.kept(chunk).length, 0);
    this.current = {
      status: 'ready',
      sent: 0,
      charged: 0n,
      all,
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
    for (; this.nextChunk < this.plan.chunks.length; this.nextChunk += 1) {
      if (this.stop.signal.aborted) {
        this.change({ status: 'stopped' });
        return;
      }
      const messages = this.kept(this.plan.chunks[this.nextChunk] ?? []);
      if (messages.length === 0) continue;
      try {
        this.note(messages, await this.send(messages));
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
    const left = this.plan.chunks.slice(this.nextChunk).reduce((sum, chunk) => sum + this.kept(chunk).length, 0);
    this.change({ all: this.current.sent + left, refused: [], error: undefined });
  }

  private kept(chunk: Chunk): Chunk {
    return this.leftOut.size === 0 ? chunk : chunk.filter(({ row }) => !this.leftOut.has(row));
  }

  private send(messages: Chunk): Promise<BatchAnswer> {
    const body = { ...this.plan.options, messages: messages.map(entryOf) };
    const key = `${this.plan.id}-${this.nextChunk + 1}`;
    return retrying(
      () => {
        if (this.current.status === 'waiting') this.change({ status: 'sending', nextTryAt: undefined });
        return this.post(body, key);
      },
      {
        signal: this.stop.signal,
        waiting: (error, waitMs) => this.change({ status: 'waiting', error, nextTryAt: Date.now() + waitMs }),
        ...(this.wait && { wait: this.wait }),
      },
    );
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

  private change(change: Partial<SendingState>): void {
    this.current = { ...this.current, ...change };
    for (const listener of this.listeners) listener();
  }
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
