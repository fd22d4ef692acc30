import type { CarrierReceipt, DeliveryKind } from '../carrier.js';
import { decodeDelivery } from './deliver-sm.js';
import { InboundDeliveries } from './inbound-deliveries.js';
import type { Pdu } from './pdu.js';
import { parseReceipt } from './receipt.js';
import type { SessionDependencies } from './session-dependencies.js';
import { STATUS } from './smpp-status.js';

/**
 * Receives deliver_sm and data_sm, and answers each with the status that makes the carrier forget it or send it again.
 */
export class Deliveries {
  /** Receipts and messages that the sinks have not stored yet. */
  outstanding = 0;
  private readonly inbound: InboundDeliveries;

  constructor(private readonly dependencies: SessionDependencies) {
    this.inbound = new InboundDeliveries(dependencies.settings.defaultAlphabet, dependencies);
  }

  /**
   * Calls `answer` exactly once: with ESME_ROK after the receipt or the message is stored, or with ESME_RX_T_APPN if
   * storing failed, so that the carrier sends it again. They do not wait for each other: the sinks gather them.
   */
  receive(pdu: Pdu, answer: (status: number) => void): void {
    const { settings, onReceipt, onDelivery } = this.dependencies;
    const deliver = decodeDelivery(pdu);
    const receipt = deliver && parseReceipt(deliver, settings.messageIdFormat);
    if (deliver?.isOversized) this.note('oversized', 'a delivery has a field that is longer than SMPP allows');
    if (deliver === undefined) {
      // After a temporary error the carrier would send the same octets for ever.
      this.note('unreadable', 'a delivery cannot be read');
      answer(STATUS.rejectedByApplication);
    } else if (receipt === undefined) {
      onDelivery?.('mobile-originated');
      void this.store(() => this.inbound.receive(deliver, pdu.body), 'a message from a handset', answer);
    } else if (!namesAMessage(receipt)) {
      this.note('unreadable', 'a receipt names no message');
      answer(STATUS.ok);
    } else {
      onDelivery?.('receipt');
      void this.store(() => onReceipt(receipt), 'a receipt', answer);
    }
  }

  private async store(work: () => Promise<void>, what: string, answer: (status: number) => void): Promise<void> {
    this.outstanding += 1;
    let status: number = STATUS.ok;
    try {
      await work();
    } catch (error) {
      const { settings, sparseLog } = this.dependencies;
      sparseLog.error({ carrier: settings.name, err: error }, `${what} was not stored; the carrier keeps it`);
      status = STATUS.temporaryApplicationError;
    }
    this.outstanding -= 1;
    answer(status);
  }

  private note(kind: DeliveryKind, message: string): void {
    const { settings, sparseLog, onDelivery } = this.dependencies;
    onDelivery?.(kind);
    sparseLog.warn({ carrier: settings.name }, message);
  }
}

/** A reference identifies a message only together with the recipient's number. */
function namesAMessage({ carrierMessageId, userMessageReference, destination }: CarrierReceipt): boolean {
  return carrierMessageId !== undefined || (userMessageReference !== undefined && destination !== '');
}
