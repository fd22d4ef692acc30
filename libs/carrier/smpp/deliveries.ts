import type { CarrierReceipt, DeliveryKind } from '../carrier.js';
import { decodeDelivery } from './deliver-sm.js';
import { InboundDeliveries } from './inbound-deliveries.js';
import type { Pdu } from './pdu.js';
import { parseReceipt } from './receipt.js';
import type { SessionDependencies } from './session-dependencies.js';
import { STATUS } from './smpp-status.js';

/** Stores what deliver_sm and data_sm bring. */
export class Deliveries {
  private readonly inbound: InboundDeliveries;

  constructor(private readonly dependencies: SessionDependencies) {
    this.inbound = new InboundDeliveries(dependencies.settings, dependencies);
  }

  /**
   * Resolves, after the receipt or the message is stored, with the status of the response: it makes the carrier forget
   * the delivery, or send it again. Deliveries do not wait for each other: the sinks gather them.
   */
  async receive(pdu: Pdu): Promise<number> {
    const { settings, sparseLog, onReceipt, onDelivery } = this.dependencies;
    const deliver = decodeDelivery(pdu);
    if (deliver === undefined) {
      this.note('unreadable', 'a delivery cannot be read');
      return STATUS.rejectedByApplication; // After a temporary error the carrier would send the same octets for ever.
    }
    if (deliver.isOversized) this.note('oversized', 'a delivery has a field that is longer than SMPP allows');
    const receipt = parseReceipt(deliver, settings);
    if (receipt !== undefined && !namesAMessage(receipt)) {
      this.note('unreadable', 'a receipt names no message');
      return STATUS.ok;
    }
    onDelivery?.(receipt === undefined ? 'mobile-originated' : 'receipt');
    try {
      await (receipt === undefined ? this.inbound.receive(deliver, pdu.body) : onReceipt(receipt));
      return STATUS.ok;
    } catch (error) {
      const what = receipt === undefined ? 'a message from a handset' : 'a receipt';
      sparseLog.error({ carrier: settings.name, err: error }, `${what} was not stored; the carrier keeps it`);
      return STATUS.temporaryApplicationError;
    }
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
