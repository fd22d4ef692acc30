import {
  type BindState,
  type CarrierReceipt,
  type DeliveryKind,
  type InboundPart,
  type LateOutcome,
  type OutboundSegment,
  SmppCarrier,
  type SmppCarrierDependencies,
  type SmppCarrierSettings,
  type SubmitOutcome,
  type SubmitSlot,
} from '#carrier';
import { FreeSlots } from './free-slots.js';
import type { ScriptedSmsc } from './scripted-smsc.js';
import { until } from './until.js';

export interface LogLine {
  readonly level: 'info' | 'warn' | 'error';
  readonly fields: object;
  readonly message: string;
}

/** A carrier under test with everything that it told the outside. */
export class TestCarrier {
  readonly logLines: LogLine[] = [];
  readonly receipts: CarrierReceipt[] = [];
  readonly inbound: InboundPart[] = [];
  readonly states: BindState[] = [];
  readonly submits: Array<{ latencyMs: number; kind: SubmitOutcome['kind'] }> = [];
  readonly deliveries: DeliveryKind[] = [];
  /** Why its binds were down. */
  readonly faults: string[] = [];
  /** Responses to what `submit` submitted that came after their deadlines. */
  lateResponses = 0;
  readonly carrier: SmppCarrier;
  readonly slots = new FreeSlots(() => this.carrier);

  constructor(
    smsc: { readonly port: number },
    settings: Partial<SmppCarrierSettings> = {},
    dependencies: Partial<SmppCarrierDependencies> = {},
  ) {
    const log = (level: LogLine['level']) => (fields: object, message: string) => {
      this.logLines.push({ level, fields, message });
    };
    this.carrier = new SmppCarrier(
      {
        name: 'test',
        host: '127.0.0.1',
        port: smsc.port,
        systemId: 'esme',
        password: 'secret-pw',
        tls: false,
        sender: 'Heliograph',
        reconnectMinMs: 10,
        reconnectMaxMs: 40,
        ...settings,
      },
      {
        log: { info: log('info'), warn: log('warn'), error: log('error') },
        onReceipt: async (receipt) => {
          this.receipts.push(receipt);
        },
        onInbound: async (part) => {
          this.inbound.push(part);
        },
        onStateChange: (state) => this.states.push(state),
        onSlotsFree: this.slots.tell,
        onSubmit: (latencyMs, kind) => this.submits.push({ latencyMs, kind }),
        onDelivery: (kind) => this.deliveries.push(kind),
        onFault: (reason) => this.faults.push(reason),
        ...dependencies,
      },
    );
  }

  static async bound(
    smsc: ScriptedSmsc | { readonly port: number },
    settings: Partial<SmppCarrierSettings> = {},
    dependencies: Partial<SmppCarrierDependencies> = {},
  ): Promise<TestCarrier> {
    const test = new TestCarrier(smsc, settings, dependencies);
    test.carrier.start();
    await test.untilBound();
    return test;
  }

  async untilBound(): Promise<void> {
    await until('the carrier is bound', () => this.carrier.state === 'bound');
  }

  async submit(segment: Partial<OutboundSegment> = {}): Promise<SubmitOutcome> {
    return submitOn(await this.slots.take(), segment, () => {
      this.lateResponses += 1;
    });
  }
}

/** Submits, and gives the slot back when the outcome is known. */
export async function submitOn(
  slot: SubmitSlot | undefined,
  segment: Partial<OutboundSegment> = {},
  onLate?: LateOutcome,
): Promise<SubmitOutcome> {
  if (slot === undefined) throw new Error('no slot');
  const outcome = await slot.submit(aSegment(segment), onLate);
  slot.release();
  return outcome;
}

export function aSegment(segment: Partial<OutboundSegment> = {}): OutboundSegment {
  return { destination: '46700100200', encoding: 'standard', text: 'Hello', userMessageReference: 7, ...segment };
}

/** Why binds went down, in order, as the log tells it. */
export function reasonsIn({ logLines }: TestCarrier): string[] {
  return logLines.flatMap(({ fields }) => ('reason' in fields ? [String(fields.reason)] : []));
}
