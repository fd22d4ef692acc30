import type { OrderState } from '#billing';

/** An order to take for a carrier. */
export interface WantedClaim {
  readonly id: string;
  readonly carrierId: number;
  /** How the carrier writes now; the claim stores it. */
  readonly format?: string | undefined;
  /** The carrier takes a message whole: its first segment stands for all. */
  readonly whole: boolean;
}

/** An order that this worker owns until its lease ends. */
export interface ClaimedOrder {
  readonly id: string;
  /** Fences what an earlier owner still writes. */
  readonly epoch: number;
  readonly destination: string;
  /** The text as it is stored: maybe encrypted (`claimedText`). */
  readonly message: string;
  readonly segments: number;
  readonly concatenationReference: number | null;
  /** Segments (from 1) that no carrier has yet; the first one is already recorded as submitting. */
  readonly openPositions: readonly number[];
  /** The account's own sender; null: the carrier's, or the service's. */
  readonly sender: string | null;
  /** It goes in one piece, which the carrier cuts itself. */
  readonly whole: boolean;
  /** How it has to be written, where that is not how the claiming worker's carrier writes now. */
  readonly format: string | null;
  /** What is left of the validity that its client asked for; null: the carrier decides. */
  readonly validitySeconds: number | null;
  /** For how long it could have been sent, until its first claim; null of a later claim. */
  readonly waitedSeconds: number | null;
}

/** A further segment that is about to be written. */
export interface Intent {
  readonly id: string;
  readonly position: number;
  readonly epoch: number;
  readonly carrierId: number;
}

/** What the carrier answered to a submit, or that there was none. */
export interface SubmitResult {
  readonly id: string;
  readonly position: number;
  readonly epoch: number;
  /** `pending`: the carrier did not take it and it may be tried again. */
  readonly kind: 'accepted' | 'refused' | 'pending' | 'in_doubt';
  /** The carrier's message id where accepted, else its error code. */
  readonly answer: string;
  /** No further segment of this order will be submitted by this owner for now. */
  readonly done: boolean;
  readonly retryAfterMs: number;
}

export interface OrderMove {
  readonly id: string;
  readonly state: OrderState;
}

/** Who writes, and for how long what it claims and leaves in doubt is its own. */
export interface DispatchOwner {
  readonly workerId: string;
  readonly leaseSeconds: number;
  readonly inDoubtWaitSeconds: number;
}

/** What a worker writes at once about the orders that it dispatches. */
export interface DispatchWrite {
  readonly claims: readonly WantedClaim[];
  readonly intents: readonly Intent[];
  readonly results: readonly SubmitResult[];
}

export interface DispatchWritten {
  /** What is not here belongs to somebody else or is done. */
  readonly claimed: readonly ClaimedOrder[];
  /** What is not here must not be submitted. */
  readonly intended: readonly Pick<Intent, 'id' | 'position'>[];
  /** Orders whose row an answer changed. */
  readonly moves: readonly OrderMove[];
}
