import { randomUUID } from 'node:crypto';
import type { CarrierReceipt, DeliveryKind, ReceiptSink } from '../carrier.js';
import type { CarrierLog } from '../carrier-log.js';
import type { InboundSink } from '../inbound.js';
import { type DeliverSm, decodeDataSm, decodeDeliverSm, MalformedBodyError } from './deliver-sm.js';
import { type ReadInbound, readInbound } from './inbound-part.js';
import { COMMAND, type Pdu } from './pdu.js';
import { parseReceipt } from './receipt.js';
import type { CompleteSettings } from './settings.js';
import { STATUS } from './smpp-status.js';

/** No carrier delivers the same again sooner than this without an answer; most wait 10 s or more, some 2 s. */
const PROMPT_ANSWER_MS = 1_000;
/** Messages that are remembered because the carrier may deliver them again. */
const DOUBTFUL_MAX = 1_000;

export interface DeliveryDependencies {
  readonly onReceipt: ReceiptSink;
  readonly onInbound: InboundSink;
  readonly sparseLog: CarrierLog;
  readonly now: () => number;
  readonly onDelivery?: ((kind: DeliveryKind) => void) | undefined;
}

/**
 * Receives deliver_sm and data_sm, and answers each with the status that makes the carrier forget it or send it again.
 */
export class Deliveries {
  /** Receipts and messages that the sinks have not stored yet. */
  outstanding = 0;
  private readonly connection = randomUUID();
  private readonly carrier: string;
  /** Fingerprints of messages that this connection may bring again: their answers were late, or asked for it. */
  private readonly doubtful = new Set<string>();

  constructor(
    private readonly settings: Pick<CompleteSettings, 'name' | 'messageIdFormat' | 'defaultAlphabet'>,
    private readonly dependencies: DeliveryDependencies,
  ) {
    this.carrier = settings.name;
  }

  /**
   * Calls `answer` exactly once: with ESME_ROK after the receipt or the message is stored, or with ESME_RX_T_APPN if
   * storing failed, so that the carrier sends it again. They do not wait for each other: the sinks gather them.
   */
  receive(pdu: Pdu, answer: (status: number) => void): void {
    const deliver = this.decode(pdu);
    const receipt = deliver === undefined ? undefined : parseReceipt(deliver, this.settings.messageIdFormat);
    if (deliver?.isOversized) this.noteOversized();
    if (deliver === undefined) {
      // After a temporary error the carrier would send the same octets for ever.
      this.noteUnreadable('a delivery cannot be read');
      answer(STATUS.rejectedByApplication);
    } else if (receipt === undefined) {
      this.dependencies.onDelivery?.('mobile-originated');
      this.takeInbound(readInbound(deliver, pdu.body, this.settings.defaultAlphabet), answer);
    } else if (!namesAMessage(receipt)) {
      this.noteUnreadable('a receipt names no message');
      answer(STATUS.ok);
    } else {
      this.dependencies.onDelivery?.('receipt');
      void this.store(() => this.dependencies.onReceipt(receipt), 'a receipt', answer);
    }
  }

  private takeInbound(read: ReadInbound, answer: (status: number) => void): void {
    const { connection, doubtful } = this;
    const key = read.fingerprint.toString('base64');
    const mayRepeat = doubtful.has(key);
    doubtful.add(key);
    if (doubtful.size > DOUBTFUL_MAX) doubtful.delete(doubtful.values().next().value ?? '');
    const startMs = this.dependencies.now();
    const store = () => this.dependencies.onInbound({ ...read, isNumbered: false, connection, mayRepeat });
    void this.store(store, 'a message from a handset', (status) => {
      // After a prompt answer the same octets are another message: a person may write the same word twice.
      if (status === STATUS.ok && this.dependencies.now() - startMs < PROMPT_ANSWER_MS) doubtful.delete(key);
      answer(status);
    });
  }

  private async store(work: () => Promise<void>, what: string, answer: (status: number) => void): Promise<void> {
    this.outstanding += 1;
    let status: number = STATUS.ok;
    try {
      await work();
    } catch (error) {
      const fields = { carrier: this.carrier, err: error };
      this.dependencies.sparseLog.error(fields, `${what} was not stored; the carrier keeps it`);
      status = STATUS.temporaryApplicationError;
    }
    this.outstanding -= 1;
    answer(status);
  }

  private decode({ command, body }: Pdu): DeliverSm | undefined {
    try {
      return command === COMMAND.dataSm ? decodeDataSm(body) : decodeDeliverSm(body);
    } catch (error) {
      if (error instanceof MalformedBodyError) return undefined;
      throw error;
    }
  }

  private noteOversized(): void {
    this.dependencies.onDelivery?.('oversized');
    this.dependencies.sparseLog.warn(
      { carrier: this.carrier },
      'a delivery has a field that is longer than SMPP allows',
    );
  }

  private noteUnreadable(message: string): void {
    this.dependencies.onDelivery?.('unreadable');
    this.dependencies.sparseLog.warn({ carrier: this.carrier }, message);
  }
}

/** A reference identifies a message only together with the recipient's number. */
function namesAMessage({ carrierMessageId, userMessageReference, destination }: CarrierReceipt): boolean {
  return carrierMessageId !== undefined || (userMessageReference !== undefined && destination !== '');
}
