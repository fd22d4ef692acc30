import type { CarrierReceipt, DeliveryKind, ReceiptSink } from '../carrier.js';
import type { CarrierLog } from '../carrier-log.js';
import { type DeliverSm, decodeDataSm, decodeDeliverSm, MalformedBodyError } from './deliver-sm.js';
import type { MessageIdFormat } from './message-id.js';
import { COMMAND, type Pdu } from './pdu.js';
import { parseReceipt } from './receipt.js';
import { STATUS } from './smpp-status.js';

export interface DeliveryDependencies {
  readonly onReceipt: ReceiptSink;
  readonly sparseLog: CarrierLog;
  readonly onDelivery?: ((kind: DeliveryKind) => void) | undefined;
}

/**
 * Receives deliver_sm and data_sm, and answers each with the status that makes the carrier forget it or send it again.
 */
export class Deliveries {
  /** Receipts that the sink has not stored yet. */
  outstanding = 0;

  constructor(
    private readonly carrier: string,
    private readonly messageIdFormat: MessageIdFormat,
    private readonly dependencies: DeliveryDependencies,
  ) {}

  /**
   * Calls `answer` exactly once: with ESME_ROK after the receipt is stored, or with ESME_RX_T_APPN if storing failed,
   * so that the carrier sends it again. Receipts do not wait for each other: the sink gathers them.
   */
  receive(pdu: Pdu, answer: (status: number) => void): void {
    const deliver = this.decode(pdu);
    const receipt = deliver === undefined ? undefined : parseReceipt(deliver, this.messageIdFormat);
    if (deliver?.isOversized) this.noteOversized();
    if (deliver === undefined) {
      // After a temporary error the carrier would send the same octets for ever.
      this.noteUnreadable('a delivery cannot be read');
      answer(STATUS.rejectedByApplication);
    } else if (receipt === undefined) {
      this.dependencies.onDelivery?.('mobile-originated');
      this.dependencies.sparseLog.info(
        { carrier: this.carrier },
        'a message from a handset was acknowledged and dropped',
      );
      answer(STATUS.ok);
    } else if (!namesAMessage(receipt)) {
      this.noteUnreadable('a receipt names no message');
      answer(STATUS.ok);
    } else {
      this.dependencies.onDelivery?.('receipt');
      this.outstanding += 1;
      void this.store(receipt, answer);
    }
  }

  private async store(receipt: CarrierReceipt, answer: (status: number) => void): Promise<void> {
    let status: number = STATUS.ok;
    try {
      await this.dependencies.onReceipt(receipt);
    } catch (error) {
      const fields = { carrier: this.carrier, err: error };
      this.dependencies.sparseLog.error(fields, 'a receipt was not stored; the carrier keeps it');
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
