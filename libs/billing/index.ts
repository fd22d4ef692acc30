export { boundsOfMonth, dayBefore, dayOf, isCalendarDay } from './calendar.js';
export { countryOf, isCallingCode, isCountry } from './countries.js';
export type { RuleCode, Violation } from './errors.js';
export { RuleViolation } from './errors.js';
export { countedKeys, GuardTrial, type TrialVerdict, type TriedMessage } from './guard-trial.js';
export {
  brokenGuard,
  checkedGuards,
  GUARD_NAMES,
  GuardError,
  type GuardName,
  type GuardSettings,
  type Guards,
  guardsOf,
  RANGE_DIGITS_DEFAULT,
} from './guards.js';
export { codePointTag } from './invalid-characters.js';
export type { Balances, JournalEntry, JournalKind } from './ledger.js';
export { adjustmentEntry, creditRemaining, JOURNAL_KINDS, journalEntry, totalConsumed } from './ledger.js';
export { exceededLimits } from './limits.js';
export { lineForm } from './line-form.js';
export type { Micros } from './money.js';
export {
  convertMicros,
  formatMicros,
  isCurrencyCode,
  MICROS_MAX,
  MICROS_MIN,
  MoneyError,
  parseMicros,
  parseRate,
} from './money.js';
export { numberFromCarrier } from './national-number.js';
export { OFFENDING_CHARACTERS_MAX, offendingCharacters, visitOffending } from './offending-characters.js';
export type { OrderReason } from './order-reason.js';
export { changeReason, ORDER_REASONS, orderEnd } from './order-reason.js';
export type { OrderState, Transition, TransitionActor } from './order-state.js';
export { isLegalTransition, ORDER_STATES, TRANSITIONS } from './order-state.js';
export type { MessageQuote, MessageRequest, Tariff } from './pricing.js';
export {
  findPrice,
  isViolation,
  parseRecipient,
  quoteMessage,
  RECIPIENT_LENGTH_MAX,
  RECIPIENT_PATTERN,
} from './pricing.js';
export type { Encoding } from './segments.js';
export {
  countSegments,
  EXTENDED_MESSAGE_MAX,
  EXTENDED_SEGMENT_MAX,
  EXTENDED_SINGLE_MAX,
  encodingOf,
  planSegments,
  SEGMENTS_MAX,
  STANDARD_MESSAGE_MAX,
  STANDARD_SEGMENT_MAX,
  STANDARD_SINGLE_MAX,
} from './segments.js';
export { type Replacement, type Substitute, smartText, substituteOf } from './smart-encoding.js';
export type { Rate } from './tariff.js';
export { buildTariff, TariffError } from './tariff.js';
export { parseTariffCsv } from './tariff-csv.js';
export { violationsOf } from './violations.js';
