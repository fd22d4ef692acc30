import type { Micros, OrderState } from '#billing';
import type { HeardEvents } from '../../harness/event-receiver.js';
import type { CarrierLog } from '../history/carrier-log.js';
import type { History } from '../history/history.js';

/** An order as the database has it after the run. */
export interface StoredOrder {
  readonly id: string;
  readonly account: string;
  /** Of the message, from its text. */
  readonly name: string;
  /** Empty: it was redacted. */
  readonly message: string;
  readonly segments: number;
  readonly price: Micros;
  readonly amount: Micros;
  readonly state: OrderState;
}

export interface StoredSegment {
  readonly orderId: string;
  readonly position: number;
  readonly state: string;
}

export interface StoredTransition {
  readonly orderId: string;
  readonly from: OrderState;
  readonly to: OrderState;
}

export interface StoredBatch {
  readonly id: string;
  readonly messages: number;
}

export interface StoredBalance {
  readonly account: string;
  readonly deposited: Micros;
  readonly reserved: Micros;
  readonly captured: Micros;
}

/** All that the checker judges by: what clients saw, what the carrier saw, and what the database says. */
export interface Evidence {
  readonly history: History;
  readonly carrier: CarrierLog;
  readonly orders: readonly StoredOrder[];
  readonly segments: readonly StoredSegment[];
  readonly transitions: readonly StoredTransition[];
  /** What the clients' receiver was told; undefined: nobody was told anything. */
  readonly heard: HeardEvents | undefined;
  readonly batches: readonly StoredBatch[];
  /** Carrier message ids of the receipts that wait for their segment. */
  readonly unmatched: ReadonlySet<string>;
  readonly balances: readonly StoredBalance[];
  /** Of each account, by id. */
  readonly deposited: ReadonlyMap<string, Micros>;
  /** What `smsctl ledger verify` found, undefined when all is clean. */
  readonly ledgerFault: string | undefined;
}

/** What the faults of this run excuse. */
export interface Bounds {
  /**
   * Segments that may have reached a handset twice: the windows that were in flight when workers or their links died.
   */
  readonly duplicatesMax: number;
  /** Attempts without an acceptance that clients may have seen; undefined: any number. */
  readonly clientErrorsMax?: number | undefined;
  /** Accounts that are meant to run out of money, to reach a cap, or to write to who has opted out: their last code. */
  readonly refusedFor?: ReadonlyMap<string, string>;
  /** How far the clock of a gateway was ahead: it may refuse a time to send that is not past by the others' clocks. */
  readonly clockAheadMs?: number;
  /** Whether the carrier sent receipts of all kinds, so that its log says where they lead. */
  readonly hasReceiptMix?: boolean | undefined;
}

export interface Violation {
  /** `I1` to `I14` as in docs/faults.md, or `client`. */
  readonly invariant: string;
  readonly says: string;
  /** The lines of the history, the carrier's log and the database that show it. */
  readonly lines: readonly string[];
}
