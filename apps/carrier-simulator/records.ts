import type { Address, MessageState } from './pdu-fields.js';
import type { ReceiptTruth } from './receipt-mix.js';
import type { RecordFile } from './record-file.js';
import type { Concatenation } from './text-decoding.js';

/** One received submit_sm, and its treatment. */
export interface SubmitRecord {
  readonly kind: 'submit';
  /** Milliseconds since 1970, as in every record. */
  readonly atMs: number;
  readonly bind: number;
  readonly systemId: string;
  readonly sequence: number;
  readonly source: Address;
  readonly destination: Address;
  /** Undefined for binary codings. */
  readonly text: string | undefined;
  /** User data with its header, in hexadecimal. */
  readonly octets: string;
  readonly concatenation: Concatenation | undefined;
  readonly isPayload: boolean;
  readonly dataCoding: number;
  readonly esmClass: number;
  readonly registeredDelivery: number;
  readonly validityPeriod: string;
  readonly userMessageReference: number | undefined;
  /** command_status of the response; undefined when none is sent. */
  readonly status: number | undefined;
  /** Whether the message counts as sent to the handset, answered or not. */
  readonly isTaken: boolean;
  /** The carrier's id of the message, also if the response does not have it; undefined if it was not taken. */
  readonly messageId: string | undefined;
  /** The state to which its receipts will lead; undefined if it was not taken. */
  readonly truth: ReceiptTruth | undefined;
}

/** One deliver_sm with a receipt; a repeated try is a record of its own. */
export interface ReceiptRecord {
  readonly kind: 'receipt';
  readonly atMs: number;
  readonly bind: number;
  readonly systemId: string;
  readonly sequence: number;
  /** The id of the submit_sm that it is for. */
  readonly messageId: string;
  /** The id that the receipt is about, as the response writes it; a foreign id if the receipt is for one. */
  readonly aboutId: string;
  /** The same id, as the receipt writes it. */
  readonly receiptId: string;
  readonly destination: string;
  readonly state: MessageState;
  readonly text: string;
  readonly userMessageReference: number | undefined;
  readonly attempt: number;
  /** command_status of deliver_sm_resp; undefined until it comes. */
  acknowledgedStatus: number | undefined;
}

/** One delivery of a message of a handset, or of a part of it; a repeated try is a record of its own. */
export interface InboundRecord {
  readonly kind: 'inbound';
  readonly atMs: number;
  /** 0: posted to the inbound address of a client of the HTTP message API. */
  readonly bind: number;
  readonly sequence: number;
  /** Counts the messages from 1. */
  readonly number: number;
  readonly from: string;
  readonly to: string;
  /** Of the whole message. */
  readonly text: string;
  readonly part: number;
  readonly parts: number;
  readonly attempt: number;
}

/** Every other thing that happens on a connection. */
export interface SessionRecord {
  readonly kind: 'bind' | 'pdu' | 'malformed' | 'closed' | 'acknowledgement';
  readonly atMs: number;
  readonly bind: number;
  readonly systemId: string;
  /** Name of the bind mode, of the PDU, or of the fault. */
  readonly what: string;
  readonly sequence?: number;
  readonly status?: number;
  readonly messageId?: string;
}

export type SimulatorRecord = SubmitRecord | ReceiptRecord | InboundRecord | SessionRecord;

const KEPT_PER_KIND = 100_000;

/**
 * What the carrier received and did, in order: the evidence of tests. Keeps at least the newest 100,000 of each list.
 */
export class Records {
  readonly submits: SubmitRecord[] = [];
  readonly receipts: ReceiptRecord[] = [];
  readonly inbound: InboundRecord[] = [];
  readonly events: SessionRecord[] = [];
  private readonly waiting = new Set<() => void>();

  constructor(
    private readonly isKept: boolean,
    private readonly file: RecordFile | undefined,
  ) {}

  /** Whether records are kept; if not, callers need not build them. */
  get isOn(): boolean {
    return this.isKept || this.file !== undefined;
  }

  add(record: SimulatorRecord): void {
    this.file?.append(record);
    if (!this.isKept) return;
    if (record.kind === 'submit') keep(this.submits, record);
    else if (record.kind === 'receipt') keep(this.receipts, record);
    else if (record.kind === 'inbound') keep(this.inbound, record);
    else keep(this.events, record);
    this.wake();
  }

  acknowledge(receipt: ReceiptRecord, bind: number, status: number): void {
    receipt.acknowledgedStatus = status;
    const { systemId, sequence, messageId } = receipt;
    this.add({
      kind: 'acknowledgement',
      atMs: Date.now(),
      bind,
      systemId,
      what: 'deliver_sm_resp',
      sequence,
      status,
      messageId,
    });
  }

  /** The answer to a delivery of a handset's message; `messageId` is `inbound`, its number and its part. */
  acknowledgeInbound(
    { number, part }: Pick<InboundRecord, 'number' | 'part'>,
    { id: bind, systemId }: { readonly id: number; readonly systemId: string },
    sequence: number,
    status: number,
  ): void {
    const what = 'deliver_sm_resp';
    const messageId = `inbound-${number}-${part}`;
    this.add({ kind: 'acknowledgement', atMs: Date.now(), bind, systemId, what, sequence, status, messageId });
  }

  /**
   * Waits until the records show a fact, and checks after each new record.
   *
   * @throws Error when the fact does not show within the time
   */
  until(fact: (records: Records) => boolean, withinMs = 60_000): Promise<void> {
    return new Promise((resolve, reject) => {
      const check = () => {
        if (!fact(this)) return;
        clearTimeout(timer);
        this.waiting.delete(check);
        resolve();
      };
      const timer = setTimeout(() => {
        this.waiting.delete(check);
        reject(new Error(`not seen within ${withinMs} ms: ${fact.toString()}`));
      }, withinMs);
      this.waiting.add(check);
      check();
    });
  }

  clear(): void {
    for (const list of [this.submits, this.receipts, this.inbound, this.events]) list.length = 0;
  }

  private wake(): void {
    for (const check of this.waiting) check();
  }
}

function keep<Item>(list: Item[], item: Item): void {
  list.push(item);
  // One splice in 100,000 is cheaper than a shift on each record.
  if (list.length >= 2 * KEPT_PER_KIND) list.splice(0, KEPT_PER_KIND);
}
