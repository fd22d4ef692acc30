import {
  brokenGuard,
  exceededLimits,
  isViolation,
  type MessageQuote,
  parseRecipient,
  quoteMessage,
  smartText,
  type Tariff,
  violationsOf,
} from '#billing';
import type { KeyHolder } from '#persistence';
import { type FieldFault, problemOf } from '../http/problem.js';
import { Slices } from '../http/slices.js';
import type { Routing } from '../routes/route-book.js';
import type { SendEntry } from './messages.dto.js';
import { isSender } from './send-options.dto.js';
import type { Submission } from './submission.js';

/** The same text for every number: the client knows which number it is. */
const NO_ROUTE = {
  field: 'recipient',
  code: 'no_route',
  detail: 'No carrier of this service takes messages to this destination.',
} as const satisfies FieldFault;

/** How far ahead a message may be scheduled. */
const SEND_AT_DAYS_MAX = 30;

/** What the messages of a request are priced and judged by. */
export interface Rules {
  readonly account: KeyHolder;
  readonly tariff: Tariff;
  readonly routing: Routing;
  /** The time of the request. */
  readonly nowMs: number;
}

/**
 * Checks and prices every draft, and checks that a route serves its destination, in the same way for a send and for a
 * quote. Where a draft asks for smart encoding, it changes the draft's text. It prices a single draft at once, and a
 * batch in slices, so that the gateway serves other requests meanwhile.
 *
 * @throws Problem that names every fault of the request: of its shape, of its texts and numbers, and of its
 * destinations
 */
export function priceDrafts(submission: Submission, rules: Rules): MessageQuote[] | Promise<MessageQuote[]> {
  if (submission.isBatch) return priceBatch(submission, rules);
  const { drafts, faults } = submission;
  const [draft] = drafts;
  const quote = faults.length > 0 || draft === undefined ? undefined : priced(draft, rules);
  if (quote !== undefined) return [quote];
  throw problemOf([...faults, ...drafts.flatMap((one) => faultsOf(one, rules))]);
}

async function priceBatch({ drafts, faults }: Submission, rules: Rules): Promise<MessageQuote[]> {
  const slices = new Slices();
  const quotes: MessageQuote[] = [];
  for (const draft of faults.length > 0 ? [] : drafts) {
    const quote = priced(draft, rules);
    if (quote === undefined) break;
    quotes.push(quote);
    if (slices.isOver) await slices.pause();
  }
  if (faults.length === 0 && quotes.length === drafts.length) return quotes;
  // A second pass over all drafts, for every rule: a refused request may cost more than an accepted one.
  const broken: FieldFault[] = [];
  for (const [arrayPosition, draft] of drafts.entries()) {
    for (const fault of faultsOf(draft, rules)) broken.push({ ...fault, arrayPosition });
    if (slices.isOver) await slices.pause();
  }
  throw problemOf([...faults, ...broken]);
}

/** Undefined when it breaks a rule. */
function priced(draft: SendEntry, rules: Rules): MessageQuote | undefined {
  if (draft.smartEncoding === true) encodeSmartly(draft);
  const quote = quoteMessage(draft, rules.tariff);
  if (isViolation(quote) || !rules.routing.serves(quote.destination)) return undefined;
  if (rules.account.guards !== undefined && brokenGuard(rules.account.guards, quote) !== undefined) return undefined;
  return hasLimits(draft) && limitFaults(draft, quote, rules).length > 0 ? undefined : quote;
}

function encodeSmartly(draft: SendEntry): void {
  if (draft.replacements !== undefined) return;
  const { text, replacements } = smartText(draft.message);
  Object.assign(draft, { message: text, replacements });
}

/** Every rule that a draft breaks; if its shape has faults, it may be anything. */
function faultsOf(draft: SendEntry | null, rules: Rules): FieldFault[] {
  if (draft?.smartEncoding === true && typeof draft.message === 'string') encodeSmartly(draft);
  const strings = stringsOf(draft);
  const broken = [...violationsOf(strings, rules.tariff), ...routeFaults(strings, rules.routing)];
  if (
    draft &&
    broken.length === 0 &&
    (hasLimits(draft) || rules.account.guards !== undefined) &&
    strings.recipient !== undefined &&
    strings.message !== undefined
  ) {
    const quote = quoteMessage({ recipient: strings.recipient, message: strings.message }, rules.tariff);
    if (!isViolation(quote)) return limitFaults(draft, quote, rules);
  }
  return broken.map(({ field, code, detail }) => ({ field, code, detail }));
}

/** Whether a draft has a time, a limit or a sender, which are judged when its text and its number are in order. */
function hasLimits({ sendAtTime, maxPriceMicros, maxSegments, sender }: SendEntry): boolean {
  return (sendAtTime ?? maxPriceMicros ?? maxSegments ?? sender) !== undefined;
}

function limitFaults(draft: SendEntry, quote: MessageQuote, { account, nowMs }: Rules): FieldFault[] {
  const { sendAtTime, maxPriceMicros: maxPrice, sender } = draft;
  // Every other value is a fault of the shape already.
  const isCount = Number.isInteger(draft.maxSegments) && Number(draft.maxSegments) > 0;
  const maxSegments = isCount ? draft.maxSegments : undefined;
  const faults: FieldFault[] = [...exceededLimits(quote, { maxPrice, maxSegments })];
  const broken = account.guards && brokenGuard(account.guards, quote);
  if (broken !== undefined) faults.push(broken);
  const aheadMs = sendAtTime === undefined ? undefined : sendAtTime.getTime() - nowMs;
  if (aheadMs !== undefined && (aheadMs <= 0 || aheadMs > SEND_AT_DAYS_MAX * 86_400_000)) {
    const when = aheadMs <= 0 ? 'has passed' : `is more than ${SEND_AT_DAYS_MAX} days ahead`;
    faults.push({ field: 'sendAt', code: 'send_at_invalid', detail: `sendAt ${when}.` });
  }
  if (isSender(sender) && !account.senders.includes(sender)) {
    faults.push({
      field: 'sender',
      code: 'sender_not_allowed',
      detail: 'The operator has not allowed this account to use this sender.',
    });
  }
  return faults;
}

function routeFaults({ recipient }: { recipient?: string }, routing: Routing): readonly FieldFault[] {
  const destination = recipient === undefined ? undefined : parseRecipient(recipient);
  return destination === undefined || routing.serves(destination) ? [] : [NO_ROUTE];
}

/** The fields of a draft that are strings; other values are faults of the shape already. */
function stringsOf(draft: unknown): { recipient?: string; message?: string } {
  const { recipient, message } = (draft ?? {}) as { recipient?: unknown; message?: unknown };
  return {
    ...(typeof recipient === 'string' && { recipient }),
    ...(typeof message === 'string' && { message }),
  };
}
