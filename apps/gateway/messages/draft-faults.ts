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
import type { RouteTable } from '#carrier';
import type { KeyHolder } from '#persistence';
import type { FieldFault } from '../http/problem.js';
import type { Slices } from '../http/slices.js';
import type { SendEntry } from './messages.dto.js';
import { isSender } from './send-options.dto.js';

/** What the messages of a request are priced and judged by. */
export interface Rules {
  readonly account: KeyHolder;
  readonly tariff: Tariff;
  readonly routes: RouteTable;
  /** The time of the request. */
  readonly nowMs: number;
}

/** The same text for every number: the client knows which number it is. */
const NO_ROUTE = {
  field: 'recipient',
  code: 'no_route',
  detail: 'No carrier of this service takes messages to this destination.',
} as const satisfies FieldFault;

/** How far ahead a message may be scheduled. */
const SEND_AT_DAYS_MAX = 30;

/** Replaces the text of a draft by its smart one, once, and notes what was replaced. */
export function encodeSmartly(draft: SendEntry): void {
  if (draft.replacements !== undefined) return;
  const { text, replacements } = smartText(draft.message);
  Object.assign(draft, { message: text, replacements });
}

/** Every rule that any draft breaks. A refused request may cost more than an accepted one, which stops at the first. */
export async function allFaultsOf(
  drafts: readonly SendEntry[],
  isBatch: boolean,
  rules: Rules,
  slices: Slices,
): Promise<FieldFault[]> {
  const broken: FieldFault[] = [];
  for (const [arrayPosition, draft] of drafts.entries()) {
    for (const fault of faultsOf(draft, rules)) broken.push(isBatch ? { ...fault, arrayPosition } : fault);
    if (slices.isOver) await slices.pause();
  }
  return broken;
}

/** If the shape of the draft has faults, it may be anything. */
function faultsOf(draft: SendEntry | null, rules: Rules): FieldFault[] {
  if (draft?.smartEncoding === true && typeof draft.message === 'string') encodeSmartly(draft);
  const strings = stringsOf(draft);
  const broken = [...violationsOf(strings, rules.tariff), ...routeFaults(strings, rules.routes)];
  if (
    draft &&
    broken.length === 0 &&
    hasLimits(draft, rules) &&
    strings.recipient !== undefined &&
    strings.message !== undefined
  ) {
    const quote = quoteMessage({ recipient: strings.recipient, message: strings.message }, rules.tariff);
    if (!isViolation(quote)) return limitFaults(draft, quote, rules);
  }
  return broken.map(({ field, code, detail }) => ({ field, code, detail }));
}

/**
 * Whether a draft has a time, a limit or a sender, or its account has guards: these are judged when its text and its
 * number are in order.
 */
export function hasLimits({ sendAtTime, maxPriceMicros, maxSegments, sender }: SendEntry, { account }: Rules): boolean {
  return (sendAtTime ?? maxPriceMicros ?? maxSegments ?? sender ?? account.guards) !== undefined;
}

/** The limits, the guard and the sender that a draft of this price breaks. */
export function limitFaults(draft: SendEntry, quote: MessageQuote, { account, nowMs }: Rules): FieldFault[] {
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

function routeFaults({ recipient }: { recipient?: string }, routes: RouteTable): readonly FieldFault[] {
  const destination = recipient === undefined ? undefined : parseRecipient(recipient);
  return destination === undefined || routes.serves(destination) ? [] : [NO_ROUTE];
}

/** The fields of a draft that are strings; other values are faults of the shape already. */
function stringsOf(draft: unknown): { recipient?: string; message?: string } {
  const { recipient, message } = (draft ?? {}) as { recipient?: unknown; message?: unknown };
  return {
    ...(typeof recipient === 'string' && { recipient }),
    ...(typeof message === 'string' && { message }),
  };
}
