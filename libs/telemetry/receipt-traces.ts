import type { Logger } from './logger.js';
import type { MessageTraces } from './message-traces.js';

/** Receipts that are looked up together, after the time below; a busy second may leave some out. */
const TOGETHER_MAX = 10_000;
const LOOK_UP_EVERY_MS = 1_000;

/** A receipt that is stored. */
export interface StoredReceipt {
  readonly carrierMessageId: string | undefined;
  readonly state: string;
  readonly code: string;
}

interface ReceiptCarrier {
  readonly carrierId: number;
  readonly name: string;
}

interface Noted extends StoredReceipt {
  readonly carrier: ReceiptCarrier;
  readonly startMs: number;
  readonly endMs: number;
}

/** Segments by the carrier's message ids, of messages whose ids end below the threshold. */
export type FindSegments = (
  carrierId: number,
  carrierMessageIds: readonly string[],
  threshold: string,
) => Promise<readonly { readonly messageId: string; readonly position: number; readonly carrierMessageId: string }[]>;

/**
 * Adds the span `receipt` to the traces of sampled messages. A receipt names no message of ours, so this asks the
 * database once a second which of the receipts are of sampled messages: that costs the way of a receipt nothing, and
 * finds those as well that came before the response to their submit.
 */
export class ReceiptTraces {
  private noted: Noted[] = [];
  private timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly traces: MessageTraces,
    private readonly find: FindSegments,
    private readonly log: Logger,
  ) {}

  /** @param tookMs how long it took to store it */
  note(carrier: ReceiptCarrier, { carrierMessageId, state, code }: StoredReceipt, tookMs: number): void {
    if (!this.traces.isOn || carrierMessageId === undefined || this.noted.length >= TOGETHER_MAX) return;
    const endMs = Date.now();
    this.noted.push({ carrier, carrierMessageId, state, code, startMs: endMs - Math.round(tookMs), endMs });
    this.timer ??= setTimeout(() => void this.addSpans(), LOOK_UP_EVERY_MS).unref();
  }

  /** Nest calls it when the process stops. */
  onApplicationShutdown(): Promise<void> {
    return this.addSpans();
  }

  /** Adds the spans of all receipts until now. Never rejects. */
  private async addSpans(): Promise<void> {
    clearTimeout(this.timer);
    this.timer = undefined;
    const noted = this.noted;
    this.noted = [];
    try {
      for (const carrierId of new Set(noted.map(({ carrier }) => carrier.carrierId))) {
        const receipts = noted.filter(({ carrier }) => carrier.carrierId === carrierId);
        const ids = receipts.flatMap(({ carrierMessageId }) => carrierMessageId ?? []);
        const found = await this.find(carrierId, [...new Set(ids)], this.traces.threshold);
        const byId = new Map(found.map((segment) => [segment.carrierMessageId, segment]));
        for (const receipt of receipts) {
          const segment = byId.get(receipt.carrierMessageId ?? '');
          if (segment !== undefined) this.traces.add(segment.messageId, spanOf(receipt, segment));
        }
      }
    } catch (error) {
      this.log.warn({ err: error, receipts: noted.length }, 'receipts are missing in traces');
    }
  }
}

function spanOf({ carrier, state, code, startMs, endMs }: Noted, segment: { messageId: string; position: number }) {
  return {
    name: 'receipt',
    kind: 'consumer',
    startMs,
    endMs,
    attributes: {
      ...messagingAttributes('settle', segment.messageId, carrier.name),
      'heliograph.segment': segment.position,
      'heliograph.state': state,
      'heliograph.carrier_code': code,
    },
  } as const;
}

/** The attributes that the conventions of OpenTelemetry ask of spans about messages. */
export function messagingAttributes(
  operation: 'send' | 'process' | 'settle',
  messageId: string,
  destination?: string,
): Record<string, string> {
  return {
    'messaging.system.name': 'heliograph',
    'messaging.operation.type': operation,
    'messaging.message.id': messageId,
    ...(destination !== undefined && { 'messaging.destination.name': destination }),
  };
}
