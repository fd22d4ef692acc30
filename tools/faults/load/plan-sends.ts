import { SeededRandom } from '../../harness/seeded-random.js';
import type { PlannedMessage } from '../history/history.js';

/** One logical send before it is made: everything that the seed decides about it. */
export interface PlannedSend {
  readonly send: number;
  /** Index of the account, and of the gateway that is asked first. */
  readonly account: number;
  readonly gateway: number;
  readonly isBatch: boolean;
  readonly messages: readonly PlannedMessage[];
  /** Of the messages, in their order. */
  readonly texts: readonly string[];
  /** How long after the first attempt it is to be sent, when the client asks for a later time. */
  readonly sendInMs?: number | undefined;
  /** How long after its acceptance the client asks to cancel its first message, if ever. */
  readonly cancelInMs?: number | undefined;
}

const BATCH_SHARE = 0.08;
const BATCH_ENTRIES_MAX = 8;
const EXTENDED_SHARE = 0.15;
const SCHEDULED_SHARE = 0.1;
const SEND_IN_MS = [500, 6_000] as const;
/** Around the time of the claim, so that many cancels race with it. */
const CANCELED = { scheduled: { share: 0.5, marginMs: 500 }, other: { share: 0.05, marginMs: 60 } } as const;
/** Few enough that a number gets several messages of a run, as numbers do. */
const RECIPIENTS = 20_000;
const STANDARD = { single: 160, part: 153, filler: ' all is well' };
const EXTENDED = { single: 70, part: 63, filler: ' allt är väl' };

/** An endless row of sends that follows from the seed. */
export class SendPlan {
  private readonly random: SeededRandom;
  private readonly wishing: SeededRandom;
  private count = 0;

  constructor(
    seed: number,
    private readonly accounts: number,
    private readonly gateways: number,
    /** Whether some sends are to go out later, or are canceled. */
    private readonly hasWishes: boolean,
  ) {
    this.random = SeededRandom.of(seed, 'load');
    this.wishing = SeededRandom.of(seed, 'wishes');
  }

  next(): PlannedSend {
    const send = ++this.count;
    const { random } = this;
    const isBatch = random.chance(BATCH_SHARE);
    const entries = isBatch ? random.between(2, BATCH_ENTRIES_MAX) : 1;
    const drafts = Array.from({ length: entries }, (_, entry) => this.message(`s${send}.${entry}`));
    return {
      send,
      account: random.between(0, this.accounts - 1),
      gateway: random.between(0, this.gateways - 1),
      isBatch,
      messages: drafts.map(({ planned }) => planned),
      texts: drafts.map(({ text }) => text),
      ...this.wishes(),
    };
  }

  /** Draws from a stream of its own, so that the rest of the load stays the same for a seed. */
  private wishes(): Pick<PlannedSend, 'sendInMs' | 'cancelInMs'> {
    const { wishing } = this;
    if (!this.hasWishes) return {};
    const sendInMs = wishing.chance(SCHEDULED_SHARE) ? wishing.between(...SEND_IN_MS) : undefined;
    const { share, marginMs } = sendInMs === undefined ? CANCELED.other : CANCELED.scheduled;
    const cancelInMs = wishing.chance(share) ? wishing.between(0, (sendInMs ?? 0) + marginMs) : undefined;
    return { sendInMs, cancelInMs };
  }

  private message(name: string): { planned: PlannedMessage; text: string } {
    const draw = this.random.next();
    const segments = draw < 0.8 ? 1 : draw < 0.95 ? 2 : 3;
    const set = this.random.chance(EXTENDED_SHARE) ? EXTENDED : STANDARD;
    // No number of these ends in 999000NN, which the simulator treats in special ways.
    const recipient = `+491517${String(100_000 + this.random.between(0, RECIPIENTS - 1))}`;
    return { planned: { name, recipient, segments }, text: textOf(name, segments, set) };
  }
}

/** A text of exactly so many segments. A part is at least two units long, so that it holds the whole token. */
function textOf(name: string, segments: number, { single, part, filler }: typeof STANDARD): string {
  const unit = `<${name}>${filler}`;
  const length = segments === 1 ? Math.min(single, unit.length) : part * (segments - 1) + 2 * unit.length;
  return unit.repeat(Math.ceil(length / unit.length)).slice(0, length);
}
