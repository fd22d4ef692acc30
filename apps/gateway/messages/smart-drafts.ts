import { smartText } from '#billing';
import type { SendEntry } from './messages.dto.js';
import type { AcceptedOrder, Submission } from './submission.js';

/** Replaces the text of a draft by its smart one, once, and notes what was replaced. */
export function encodeSmartly(draft: SendEntry): void {
  if (draft.replacements !== undefined) return;
  const { text, replacements } = smartText(draft.message);
  Object.assign(draft, { message: text, replacements });
}

/** The orders with what was replaced in the texts of their drafts. */
export function withReplacements(orders: readonly AcceptedOrder[], { drafts }: Submission): readonly AcceptedOrder[] {
  if (!drafts.some(({ smartEncoding }) => smartEncoding)) return orders;
  return orders.map((order, index) => ({ ...order, replacements: drafts[index]?.replacements }));
}
