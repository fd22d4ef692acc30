import type { Encoding } from '#billing';
import type { CarrierLog } from './carrier-log.js';
import type { InboundSink } from './inbound.js';

/**
 * One segment as it is billed and as it goes on the wire, or (if the carrier's unit is the message) the whole message.
 */
export interface OutboundSegment {
  /** E.164 digits without a plus sign. */
  readonly destination: string;
  readonly encoding: Encoding;
  /** The characters of this segment only, or of the whole message if the carrier takes messages. */
  readonly text: string;
  /** Set when the message has more than one segment (concatenation, 3GPP TS 23.040 section 9.2.3.24.1). */
  readonly part?: { readonly reference: number; readonly number: number; readonly total: number };
  /** As the handset shows it; undefined: the carrier's own sender. */
  readonly sender?: string | undefined;
  /** The claim says that the message goes whole, even if the carrier takes segments now. */
  readonly isWhole?: boolean;
  /** The wire format in which the message was begun, if the carrier now writes in another one. */
  readonly format?: string | undefined;
  /** How long the carrier may try; undefined: as its settings say, or as it does by itself. */
  readonly validitySeconds?: number | undefined;
  /** 16 bits; some carriers repeat it in receipts (SMPP 3.4 section 5.3.2.17). */
  readonly userMessageReference: number;
}

/** How a carrier writes messages. The claim of a message decides it, and every submit of the message obeys. */
export interface WireFormat {
  /** The unit of a submit: a segment, or a whole message that the carrier splits itself. */
  readonly unit: 'segment' | 'message';
  /**
   * Everything else that decides the octets of a text and how it is split, in the adapter's own words. Two formats are
   * the same if their texts are the same. The adapter can write in every format that it ever returned here.
   */
  readonly text: string;
}

/** The outcome of a submit. The carrier decides what its answer means; the caller only obeys. */
export type SubmitOutcome =
  /** The carrier took it. An empty id means that no receipt can ever be matched by id. */
  | { readonly kind: 'accepted'; readonly carrierMessageId: string }
  /** Never send it again; the carrier did not take it. */
  | { readonly kind: 'refused'; readonly code: string }
  /** Too fast, or the carrier's queue is full: the carrier did not take it. Send it again later; it is no attempt. */
  | { readonly kind: 'throttled'; readonly code: string }
  /** A temporary error: the carrier did not take it. Send it again later. */
  | { readonly kind: 'temporary'; readonly code: string }
  /** Certainly not written to the wire (the bind went down first). */
  | { readonly kind: 'not-sent'; readonly code: string }
  /** Written without an answer: the carrier may have it or not. */
  | { readonly kind: 'in-doubt'; readonly code: string };

/** A delivery receipt, normalised: the id is in the form in which submit responses of this carrier are stored. */
export interface CarrierReceipt {
  readonly carrierMessageId: string | undefined;
  readonly userMessageReference: number | undefined;
  /** Digits of the recipient's number. */
  readonly destination: string;
  /** `pending` is an intermediate notice (ENROUTE, ACCEPTD), which is not final. */
  readonly state: 'delivered' | 'undelivered' | 'pending';
  /** The carrier's own words, e.g. `DELIVRD` or `UNDELIV/034`; at most 40 characters. */
  readonly code: string;
  /** Only its text says that it is a receipt, so a person may have written it. It counts only for `destination`. */
  readonly isUnmarked?: boolean;
}

export type BindState = 'down' | 'connecting' | 'bound' | 'closing';

/** One connection of a carrier, as an operator sees it. */
export interface BindStatus {
  /** Its role, e.g. `transceiver`. */
  readonly role: string;
  readonly state: BindState;
  /** Undefined while it is not bound. */
  readonly boundSince: Date | undefined;
  /** Slots of its window that are taken: by submits that are about to be written, or unanswered. */
  readonly slotsInUse: number;
}

/**
 * Called with a response that came after its deadline, when the submit was in doubt already; at most once for a submit.
 */
export type LateOutcome = (outcome: SubmitOutcome) => void;

/**
 * A window slot of one bind, taken before a submit. Its owner gives it back when it has the outcome, and records this
 * no later than what takes the slot. So no more submits than the window has slots have an outcome that nobody knows.
 */
export interface SubmitSlot {
  /** How its connection writes messages. */
  readonly format: WireFormat;
  /** Writes one PDU and waits for its response or its deadline. Never rejects. */
  submit(segment: OutboundSegment, onLate?: LateOutcome): Promise<SubmitOutcome>;
  /** Gives the slot back, used or not; a second call does nothing. */
  release(): void;
  /** Another slot on the same bind, so that all segments of a message use one bind; undefined if the bind is down. */
  another(): Promise<SubmitSlot | undefined>;
}

/** One carrier that messages can be handed to; an adapter per protocol implements it. */
export abstract class Carrier {
  abstract readonly name: string;
  /** How it writes messages that are claimed now. Never changes: a carrier with other settings is another object. */
  abstract readonly wireFormat: WireFormat;
  /** The best of its binds. */
  abstract readonly state: BindState;

  /** Every connection, also those that are being closed; empty for a carrier without lasting connections. */
  get bindStates(): readonly BindStatus[] {
    return [];
  }

  /**
   * Holds this many binds from now on (0: none), for workers that share a carrier's binds. Connects missing binds; a
   * surplus bind first waits for its outstanding responses. Resolves when the surplus binds are closed, at most a
   * response timeout and two seconds later. A carrier without lasting connections does nothing.
   *
   * @throws RangeError when the count is not a whole number of 0 or more
   */
  async setBinds(_count: number): Promise<void> {}

  /** Connects and keeps connecting until closed. */
  abstract start(): void;
  /**
   * Up to `max` free slots, at once and without waiting, as the window, the rate and the back-off allow now. Empty when
   * the carrier is down, throttled or its window is full. If it gives fewer, `onSlotsFree` is called once there are
   * some.
   */
  abstract takeSlots(max: number): SubmitSlot[];
  /**
   * Changes the pace at once, for workers that share a carrier's rate; undefined lifts it.
   *
   * @throws RangeError when the rate is not above 0
   */
  abstract setSubmitsPerSecond(submitsPerSecond: number | undefined): void;
  /**
   * Stops new submits, waits for outstanding responses up to the bound, unbinds and closes. A second call can only
   * shorten the wait.
   */
  abstract close(graceMs: number): Promise<void>;
}

/**
 * What a carrier sent without a request. `unreadable`: it names no message, so it cannot be matched. `oversized` is
 * counted in addition to another kind, if a field is longer than the protocol allows.
 */
export type DeliveryKind = 'receipt' | 'mobile-originated' | 'unreadable' | 'oversized';

/** Stores receipts durably; the adapter acknowledges them to the carrier only after it has resolved. */
export type ReceiptSink = (receipt: CarrierReceipt) => Promise<void>;

/** The dependencies of every adapter. */
export interface CarrierDependencies {
  readonly onReceipt: ReceiptSink;
  readonly onInbound: InboundSink;
  readonly log: CarrierLog;
  /** A clock in milliseconds that never goes back; `performance.now` unless given. */
  readonly now?: () => number;
  readonly random?: () => number;
  readonly onStateChange?: (state: BindState) => void;
  /** Called once slots are free after `takeSlots` gave fewer than it was asked for. */
  readonly onSlotsFree?: () => void;
  /** Called each time a connection goes down or fails: the reason, in plain English and without secrets. */
  readonly onFault?: (reason: string) => void;
  /** Called for each submit: how long its response took, and its outcome. */
  readonly onSubmit?: (latencyMs: number, kind: SubmitOutcome['kind']) => void;
  readonly onDelivery?: (kind: DeliveryKind) => void;
}
