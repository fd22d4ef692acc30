import type { Percentiles } from '../statistics.js';
import type { Dialect } from './dialects.js';

/**
 * What the load generator is asked to send over and over. Of several accounts the n-th sends 1/n of what the first
 * sends.
 */
export type RequestShape =
  | { readonly kind: 'send'; readonly apiKeys: readonly string[] }
  | { readonly kind: 'send-batch'; readonly apiKeys: readonly string[]; readonly entries: number }
  | { readonly kind: 'read'; readonly apiKeys: readonly string[]; readonly path: string }
  | { readonly kind: 'foreign'; readonly dialect: Dialect; readonly path: string };

/** One window of load after a warm-up on the same connections. */
export interface LoadJob {
  readonly port: number;
  readonly connections: number;
  readonly request: RequestShape;
  readonly expectedStatus: number;
  readonly warmupMs: number;
  readonly windowMs: number;
  /**
   * `closed`: each connection sends its next request when the last is answered.
   * `fed`: it also waits until the request was granted; the job has no window and lasts until it is told to stop.
   * `open`: requests are due at a fixed rate, whatever has been answered. One that finds no free connection waits for
   *   it, and its latency counts from the moment at which it was due.
   * `paced`: each connection sends at fixed times, `everyMs` apart, or when the last request is answered if that is
   *   later.
   * `autocannon`: closed, by autocannon, to compare the two generators.
   */
  readonly mode: 'closed' | 'fed' | 'open' | 'paced' | 'autocannon';
  readonly everyMs?: number;
  /** Of an open job. */
  readonly perSecond?: number;
  /**
   * Of a closed job: warm-up and window go on until so many answers have come, but for no longer than
   * WAIT_FOR_ANSWERS_MS more. On a machine that others keep busy, a short window would hold next to nothing.
   */
  readonly answersMin?: { readonly warmup: number; readonly window: number };
}

/**
 * Its percentiles: from the write of a request (of an open job: from when it was due) to the last byte of its response,
 * in the window.
 */
export interface LoadResult extends Percentiles {
  /** How long the window really was. */
  readonly windowMs: number;
  /** Expected responses that arrived within the window. */
  readonly answered: number;
  /** Expected responses of the whole job: warm-up and what was still under way at the end included. */
  readonly answeredInAll: number;
  /** Receipts that arrived within the window, where the load is submit_sm. */
  readonly receipts?: number;
  /** Everything else of the whole job, by status or error code. */
  readonly unexpected: Readonly<Record<string, number>>;
}

/** submit_sm on the wire of the simulator. */
export interface SubmitJob {
  readonly port: number;
  /** Unanswered submit_sm on the bind. */
  readonly window: number;
  readonly warmupMs: number;
  readonly windowMs: number;
}

export type FedJob = Omit<LoadJob, 'mode' | 'warmupMs' | 'windowMs'>;
