import type { Encoding } from '#billing';
import type { CarrierLog } from './carrier-log.js';

/**
 * One segment as it is billed and as it goes on the wire, or (for a carrier whose unit is the message) the whole
 * message.
 */
export interface OutboundSegment {
  /** E.164 digits without a plus sign. */
  readonly destination: string;
  readonly encoding: Encoding;
  /** The characters of this segment only; of the message, where the carrier takes messages. */
  readonly text: string;
  /** Set when the message has more than one segment (concatenation, 3GPP TS 23.040 section 9.2.3.24.1). */
  readonly part?: { readonly reference: number; readonly number: number; readonly total: number };
  /** As the handset shows it; undefined: the carrier's own sender. */
  readonly sender?: string | undefined;
  /** The message was claimed to go whole, even where the carrier takes segments by now. */
  readonly isWhole?: boolean;
  /** The carrier's wire format with which the message was begun, where the carrier writes in another one now. */
  readonly format?: string | undefined;
  /** 16 bits; comes back in receipts where the carrier echoes it (SMPP 3.4 section 5.3.2.17). */
  readonly userMessageReference: number;
}

/**
 * How a carrier writes messages. The claim of a message decides it, and everything that is written of the message
 * obeys.
 */
export interface WireFormat {
  /** What one submit carries: a segment, or a whole message that the carrier cuts itself. */
  readonly unit: 'segment' | 'message';
  /**
   * Whatever else decides the octets of a text and how it is cut, in the adapter's own words. Two formats are the same
   * when their texts are; the adapter can write in every format that it has ever told.
   */
  readonly text: string;
}

/** What became of a submit. The carrier says what it means; the caller only obeys. */
export type SubmitOutcome =
  /** The carrier took it. An empty id means that no receipt can ever be matched by id. */
  | { readonly kind: 'accepted'; readonly carrierMessageId: string }
  /** Never to be tried again; nothing left. */
  | { readonly kind: 'refused'; readonly code: string }
  /** Too fast or its queue is full: the carrier did not take it; try again later, no attempt is burnt. */
  | { readonly kind: 'throttled'; readonly code: string }
  /** A passing error: the carrier did not take it; try again later. */
  | { readonly kind: 'temporary'; readonly code: string }
  /** Surely never written to the wire (the bind went down first). */
  | { readonly kind: 'not-sent'; readonly code: string }
  /** Written, but no answer came: the carrier may or may not have it. */
  | { readonly kind: 'in-doubt'; readonly code: string };

/** A delivery receipt, normalised: the id is in the form in which submit responses of this carrier are stored. */
export interface CarrierReceipt {
  readonly carrierMessageId: string | undefined;
  readonly userMessageReference: number | undefined;
  /** Digits of the number that the message went to. */
  readonly destination: string;
  /** `pending` is an intermediate notice (ENROUTE, ACCEPTD): it settles nothing. */
  readonly state: 'delivered' | 'undelivered' | 'pending';
  /** The carrier's own words, e.g. `DELIVRD` or `UNDELIV/034`; at most 40 characters. */
  readonly code: string;
}

export type BindState = 'down' | 'connecting' | 'bound' | 'closing';

/** One connection of a carrier, as an operator sees it. */
export interface BindStatus {
  /** What goes over it, e.g. `transceiver`. */
  readonly role: string;
  readonly state: BindState;
  /** Undefined while it is not bound. */
  readonly boundSince: Date | undefined;
}

/**
 * Tells of a response that came after its deadline, when the submit had been called in doubt. At most once for a
 * submit.
 */
export type LateOutcome = (outcome: SubmitOutcome) => void;

/** A window slot of one bind, taken before a submit and given back by it (or by `release` when unused). */
export interface SubmitSlot {
  /** Writes one PDU and waits for its response or its deadline. Never rejects. Frees the slot. */
  submit(segment: OutboundSegment, onLate?: LateOutcome): Promise<SubmitOutcome>;
  /** Gives an unused slot back. */
  release(): void;
  /** Another slot on the same bind, so that all segments of a message go the same way; undefined once it is down. */
  another(): Promise<SubmitSlot | undefined>;
}

/** One carrier that messages can be handed to; an adapter per protocol implements it. */
export abstract class Carrier {
  abstract readonly name: string;
  /** How it writes messages that are claimed now. Never changes: a carrier with other settings is another object. */
  abstract readonly wireFormat: WireFormat;
  /** The best of its binds. */
  abstract readonly state: BindState;

  /** Every connection, those that are being let go included; empty for a carrier without lasting connections. */
  get bindStates(): readonly BindStatus[] {
    return [];
  }

  /**
   * Holds this many binds from now on, for workers that share a carrier's binds; 0 is none. Missing ones are connected;
   * of surplus ones each finishes its outstanding responses first. Resolves when the surplus ones are gone, at the
   * latest a response timeout and two seconds later. A carrier without lasting connections has nothing to do.
   *
   * @throws RangeError when the count is not a whole number of 0 or more
   */
  async setBinds(_count: number): Promise<void> {}

  /** Connects and keeps connecting until closed. */
  abstract start(): void;
  /**
   * Up to `max` free slots, at once and without waiting, as the window, the rate and the back-off allow now.
   * Empty when the carrier is down, throttled or its window is full.
   */
  abstract takeSlots(max: number): SubmitSlot[];
  /**
   * Changes the pace at once, for workers that share a carrier's rate; undefined lifts it.
   *
   * @throws RangeError when the rate is not above 0
   */
  abstract setSubmitsPerSecond(submitsPerSecond: number | undefined): void;
  /** Resolves when slots may have become free, the bind came up, or after `timeoutMs`. */
  abstract slotsChanged(timeoutMs: number): Promise<void>;
  /** Stops new submits, waits for outstanding responses up to the bound, unbinds and closes. */
  abstract close(graceMs: number): Promise<void>;
}

/**
 * What a carrier sent by itself. `unreadable` ones name no message that a receipt could be for; `oversized` is counted
 * beside one of the others, of what has a field that is longer than its protocol allows.
 */
export type DeliveryKind = 'receipt' | 'mobile-originated' | 'unreadable' | 'oversized';

/** Stores receipts durably; the adapter acknowledges them to the carrier only after it has resolved. */
export type ReceiptSink = (receipt: CarrierReceipt) => Promise<void>;

/** What every adapter needs from the outside. */
export interface CarrierDependencies {
  readonly onReceipt: ReceiptSink;
  readonly log: CarrierLog;
  /** A clock in milliseconds that never goes back; `performance.now` unless given. */
  readonly now?: () => number;
  readonly random?: () => number;
  readonly onStateChange?: (state: BindState) => void;
  /** Each time that a connection goes down or does not come up: why, in plain English and without secrets. */
  readonly onFault?: (reason: string) => void;
  /** Each submit that left or could not: how long its response took, and what became of it. */
  readonly onSubmit?: (latencyMs: number, kind: SubmitOutcome['kind']) => void;
  readonly onDelivery?: (kind: DeliveryKind) => void;
}
