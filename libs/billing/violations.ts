import { NO_RATE, RECIPIENT_INVALID, type Violation } from './errors.js';
import { findPrice, type MessageRequest, measureText, parseRecipient, type Tariff } from './pricing.js';

/** Every rule that the given fields of a message break, at most one for each; none when `quoteMessage` prices it. */
export function violationsOf({ recipient, message }: Partial<MessageRequest>, tariff: Tariff): Violation[] {
  const violations: Violation[] = [];
  if (recipient !== undefined) {
    const destination = parseRecipient(recipient);
    if (destination === undefined) violations.push(RECIPIENT_INVALID);
    else if (findPrice(tariff, destination) === undefined) violations.push(NO_RATE);
  }
  const text = message === undefined ? undefined : measureText(message);
  if (text !== undefined && 'code' in text) violations.push(text);
  return violations;
}
