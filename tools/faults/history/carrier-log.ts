import { readJsonLines } from './history.js';

/** In the folder of a run. */
export const CARRIER_LOG = 'carrier.jsonl';

/** A segment that the simulated carrier took, answered or not. */
export interface TakenSegment {
  readonly atMs: number;
  readonly bind: number;
  /** Name of the message, from its text; undefined when the text holds none. */
  readonly name: string | undefined;
  /** From 1; 1 for a message in one piece. */
  readonly position: number;
  /** Of how many segments it says that it is one; undefined for one that stands alone. */
  readonly total: number | undefined;
  /** By what handsets join it to the others, e.g. `udh8 77`; empty for one that stands alone. */
  readonly joinedBy: string;
  readonly text: string;
  readonly carrierMessageId: string;
  /** The state to which its receipts lead after all have come. */
  readonly truth: string;
}

/** A receipt that was acknowledged with ESME_ROK: from then on it is the service's. */
interface AcknowledgedReceipt {
  /** Of the segment that it is for, as the response said it, and as the receipt wrote it. */
  readonly carrierMessageId: string;
  readonly receiptId: string;
  readonly state: string;
}

export interface CarrierLog {
  readonly taken: readonly TakenSegment[];
  readonly acknowledged: readonly AcknowledgedReceipt[];
  /** Of receipts for messages that nobody submitted. */
  readonly foreignIds: ReadonlySet<string>;
}

/** The lines of the simulator's log that matter here, with the fields that matter: docs/simulator.md has all. */
export type CarrierLine =
  | {
      readonly kind: 'submit';
      readonly atMs: number;
      readonly bind: number;
      readonly text?: string;
      readonly concatenation?: {
        readonly part: number;
        readonly total: number;
        readonly by: string;
        readonly reference: number;
      };
      readonly isTaken: boolean;
      readonly messageId?: string;
      readonly truth?: string;
    }
  | {
      readonly kind: 'receipt';
      readonly bind: number;
      readonly sequence: number;
      readonly messageId: string;
      /** The id that the receipt is for: another one than messageId if it is foreign. */
      readonly aboutId?: string;
      readonly receiptId: string;
      readonly state: string;
    }
  | {
      readonly kind: 'acknowledgement';
      readonly bind: number;
      readonly sequence: number;
      readonly status: number;
    }
  | { readonly kind: 'bind' | 'pdu' | 'malformed' | 'closed' };

const TOKEN = /<([a-z]\d+\.\d+)>/;
const ESME_ROK = 0;

/** The name of the message that a segment belongs to: every segment repeats it whole at least once. */
export function nameIn(text: string): string | undefined {
  return TOKEN.exec(text)?.[1];
}

export class CarrierLogBuilder {
  private readonly taken: TakenSegment[] = [];
  private readonly acknowledged: AcknowledgedReceipt[] = [];
  private readonly foreignIds = new Set<string>();
  private readonly unacknowledged = new Map<string, AcknowledgedReceipt>();

  add(line: CarrierLine): void {
    if (line.kind === 'submit') {
      const { atMs, bind, text = '', concatenation: of } = line;
      if (!line.isTaken) return;
      this.taken.push({
        atMs,
        bind,
        name: nameIn(text),
        position: of?.part ?? 1,
        total: of?.total,
        joinedBy: of === undefined ? '' : `${of.by} ${of.reference}`,
        text,
        carrierMessageId: line.messageId ?? '',
        truth: line.truth ?? 'unsettled',
      });
    } else if (line.kind === 'receipt') {
      const { messageId: carrierMessageId, aboutId = carrierMessageId, receiptId, state } = line;
      if (aboutId !== carrierMessageId) this.foreignIds.add(aboutId);
      this.unacknowledged.set(`${line.bind}:${line.sequence}`, { carrierMessageId, receiptId, state });
    } else if (line.kind === 'acknowledgement') {
      const place = `${line.bind}:${line.sequence}`;
      const receipt = this.unacknowledged.get(place);
      this.unacknowledged.delete(place);
      if (receipt !== undefined && line.status === ESME_ROK) this.acknowledged.push(receipt);
    }
  }

  build(): CarrierLog {
    return { taken: this.taken, acknowledged: this.acknowledged, foreignIds: this.foreignIds };
  }
}

export async function readCarrierLog(file: string): Promise<CarrierLog> {
  const builder = new CarrierLogBuilder();
  for await (const line of readJsonLines<CarrierLine>(file)) builder.add(line);
  return builder.build();
}
