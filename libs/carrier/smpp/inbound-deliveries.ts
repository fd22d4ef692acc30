import { createHash, randomUUID } from 'node:crypto';
import { numberFromCarrier } from '#billing';
import { type InboundPart, type InboundPlace, type InboundSink, inboundPlace } from '../inbound.js';
import { type DeliverSm, unsigned } from './deliver-sm.js';
import { inboundText } from './inbound-text.js';
import { ESM_CLASS_UDHI, TLV } from './pdu.js';
import type { CompleteSettings } from './settings.js';

/** No carrier delivers the same again sooner than this without an answer; most wait 10 s or more, some 2 s. */
const PROMPT_ANSWER_MS = 1_000;
/** Messages that are remembered because the carrier may deliver them again. */
const DOUBTFUL_MAX = 1_000;
const ELEMENT_CONCATENATED = 0x00;
const ELEMENT_CONCATENATED_16 = 0x08;

/** The settings that say how a message is read. */
type InboundSettings = Pick<CompleteSettings, 'defaultAlphabet' | 'callingCode'>;

/** The messages from handsets that one connection brings. */
export class InboundDeliveries {
  private readonly connection = randomUUID();
  /** From when on this connection may bring a message again, by its fingerprint: its answer is late, or asks for it. */
  private readonly doubtfulFromMs = new Map<string, number>();

  constructor(
    private readonly settings: InboundSettings,
    private readonly dependencies: { readonly onInbound: InboundSink; readonly now: () => number },
  ) {}

  /**
   * Resolves when the message is stored.
   *
   * @param body of the PDU
   */
  async receive(deliver: DeliverSm, body: Buffer): Promise<void> {
    const { connection } = this;
    const { onInbound, now } = this.dependencies;
    const read = readInbound(deliver, body, this.settings);
    const key = read.fingerprint.toString('base64');
    const startMs = now();
    const lateMs = startMs + PROMPT_ANSWER_MS;
    const fromMs = this.doubtfulFromMs.get(key);
    const mayRepeat = fromMs !== undefined && startMs >= fromMs;
    if (fromMs === undefined) this.doubt(key, lateMs);
    try {
      await onInbound({ ...read, isNumbered: false, connection, mayRepeat });
    } catch (error) {
      this.doubt(key, startMs);
      throw error;
    }
    const doubtedFromMs = this.doubtfulFromMs.get(key) ?? lateMs;
    if (now() >= lateMs) this.doubt(key, Math.min(doubtedFromMs, lateMs));
    // After a prompt answer the same octets are another message: a person may write the same word twice. But an alike
    // one that came before may still wait for its answer.
    else if (mayRepeat || doubtedFromMs === lateMs) this.doubtfulFromMs.delete(key);
  }

  private doubt(key: string, fromMs: number): void {
    this.doubtfulFromMs.set(key, fromMs);
    if (this.doubtfulFromMs.size > DOUBTFUL_MAX) {
      this.doubtfulFromMs.delete(this.doubtfulFromMs.keys().next().value ?? '');
    }
  }
}

/** What a deliver_sm or data_sm that is no receipt says. */
type ReadInbound = Pick<InboundPart, 'source' | 'destination' | 'text' | 'part' | 'fingerprint'>;

/**
 * Reads a message from a handset. SMPP has no id for it, so its fingerprint is of all its octets: a carrier that sends
 * it again sends the same ones, with another sequence_number only.
 *
 * @param body of the PDU
 */
function readInbound(deliver: DeliverSm, body: Buffer, settings: InboundSettings): ReadInbound {
  const { header, octets } = splitHeader(deliver);
  return {
    source: numberFromCarrier(deliver.sourceAddress, settings.callingCode, deliver.sourceTon),
    destination: numberFromCarrier(deliver.destinationAddress, settings.callingCode, deliver.destinationTon),
    text: inboundText(octets, deliver.dataCoding, settings.defaultAlphabet),
    part: placeInHeader(header) ?? placeInParameters(deliver),
    fingerprint: createHash('sha256').update(body).digest(),
  };
}

/** The header without its length, and what follows it; no header if the length is wrong. */
function splitHeader({ esmClass, message }: DeliverSm): { readonly header: Buffer; readonly octets: Buffer } {
  const octets = (esmClass & ESM_CLASS_UDHI) === 0 ? undefined : message[0];
  if (octets === undefined || octets >= message.length) return { header: Buffer.alloc(0), octets: message };
  return { header: message.subarray(1, octets + 1), octets: message.subarray(octets + 1) };
}

/** 3GPP TS 23.040 section 9.2.3.24: elements of an id, a length and so many octets. */
function placeInHeader(header: Buffer): InboundPlace | undefined {
  for (let at = 0; at + 2 <= header.length; at += 2 + (header[at + 1] ?? 0)) {
    const element = header[at];
    const data = header.subarray(at + 2, at + 2 + (header[at + 1] ?? 0));
    const [first = 0, second = 0, third = 0, fourth = 0] = data;
    if (element === ELEMENT_CONCATENATED && data.length === 3) return inboundPlace(first, second, third);
    if (element === ELEMENT_CONCATENATED_16 && data.length === 4) {
      return inboundPlace(first * 256 + second, third, fourth);
    }
  }
  return undefined;
}

function placeInParameters({ parameters }: DeliverSm): InboundPlace | undefined {
  const reference = unsigned(parameters.get(TLV.sarMsgRefNum), 2);
  const total = unsigned(parameters.get(TLV.sarTotalSegments), 1);
  const number = unsigned(parameters.get(TLV.sarSegmentSeqnum), 1);
  if (reference === undefined || total === undefined || number === undefined) return undefined;
  return inboundPlace(reference, total, number);
}
