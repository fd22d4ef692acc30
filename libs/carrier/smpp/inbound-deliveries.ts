import { randomUUID } from 'node:crypto';
import type { InboundSink } from '../inbound.js';
import type { DeliverSm } from './deliver-sm.js';
import { readInbound } from './inbound-part.js';
import type { DefaultAlphabet } from './settings.js';

/** No carrier delivers the same again sooner than this without an answer; most wait 10 s or more, some 2 s. */
const PROMPT_ANSWER_MS = 1_000;
/** Messages that are remembered because the carrier may deliver them again. */
const DOUBTFUL_MAX = 1_000;

/** The messages from handsets that one connection brings. */
export class InboundDeliveries {
  private readonly connection = randomUUID();
  /** Fingerprints of messages that this connection may bring again: their answers were late, or asked for it. */
  private readonly doubtful = new Set<string>();

  constructor(
    private readonly alphabet: DefaultAlphabet,
    private readonly dependencies: { readonly onInbound: InboundSink; readonly now: () => number },
  ) {}

  /**
   * Resolves when the message is stored.
   *
   * @param body of the PDU
   */
  async receive(deliver: DeliverSm, body: Buffer): Promise<void> {
    const { connection, doubtful } = this;
    const { onInbound, now } = this.dependencies;
    const read = readInbound(deliver, body, this.alphabet);
    const key = read.fingerprint.toString('base64');
    const mayRepeat = doubtful.has(key);
    doubtful.add(key);
    if (doubtful.size > DOUBTFUL_MAX) doubtful.delete(doubtful.values().next().value ?? '');
    const startMs = now();
    await onInbound({ ...read, isNumbered: false, connection, mayRepeat });
    // After a prompt answer the same octets are another message: a person may write the same word twice.
    if (now() - startMs < PROMPT_ANSWER_MS) doubtful.delete(key);
  }
}
