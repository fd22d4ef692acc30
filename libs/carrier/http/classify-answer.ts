import type { SubmitOutcome } from '../carrier.js';
import { type ErrorKind, kindOfError } from './error-codes.js';

/** An answer of the API, as much as was received. */
export interface ApiAnswer {
  readonly status: number;
  readonly retryAfter: string | undefined;
  /** Undefined when it broke off or was too large. */
  readonly body: string | undefined;
}

/** What an answer means for the message, and for the carrier. */
interface ClassifiedAnswer {
  readonly outcome: SubmitOutcome;
  /** `account`: only the operator can repair it. `server`: the server failed, perhaps for a moment. */
  readonly trouble?: 'account' | 'server';
  readonly retryAfterMs?: number;
}

/** The longest accepted Retry-After; a wrong clock or a typing error must not stop a carrier for a day. */
const RETRY_AFTER_MAX_MS = 600_000;
const ID_LENGTH_MAX = 64;

export function classifyAnswer(
  answer: ApiAnswer,
  from: { readonly isOwnSender: boolean; readonly errorCodes?: Readonly<Record<string, ErrorKind>> | undefined },
  nowEpochMs: number,
): ClassifiedAnswer {
  const { status } = answer;
  const fields = fieldsOf(answer.body);
  if (status >= 200 && status < 300) return { outcome: acceptance(fields) };
  const code = errorNumber(fields.code);
  const retryAfterMs = readRetryAfter(answer.retryAfter, nowEpochMs);
  const word = `HTTP_${code ?? status}`;
  const kind = kindOfError(status, code, retryAfterMs !== undefined, from.errorCodes);
  switch (kind) {
    case 'sender':
      // An account that chose a bad sender stops only itself; a bad sender of ours stops everybody.
      return from.isOwnSender ? { outcome: { kind: 'refused', code: word } } : accountTrouble(word);
    case 'account':
      return accountTrouble(word);
    case 'throttled':
      return { outcome: { kind, code: word }, ...(retryAfterMs !== undefined && { retryAfterMs }) };
    case 'in-doubt':
      return { outcome: { kind, code: word }, trouble: 'server' };
    default:
      return { outcome: { kind, code: word } };
  }
}

/** The message is right: it waits until the operator has repaired the account. */
function accountTrouble(code: string): ClassifiedAnswer {
  return { outcome: { kind: 'temporary', code }, trouble: 'account' };
}

/**
 * A 2xx took the message. An unreadable 2xx took it too, without an id: then only the reference of a callback can match
 * it.
 */
function acceptance(fields: Readonly<Record<string, unknown>>): SubmitOutcome {
  const { sid, status } = fields;
  if (status === 'failed' || status === 'undelivered' || status === 'canceled') {
    const code = errorNumber(fields.error_code);
    return { kind: 'refused', code: code === undefined ? `HTTP_${status.toUpperCase()}` : `HTTP_${code}` };
  }
  const isId = typeof sid === 'string' && sid.length <= ID_LENGTH_MAX && /^[\x21-\x7e]*$/.test(sid);
  return { kind: 'accepted', carrierMessageId: isId ? sid : '' };
}

function fieldsOf(body: string | undefined): Readonly<Record<string, unknown>> {
  if (body === undefined) return {};
  try {
    // RFC 8259 section 8.1: a byte order mark may be ignored.
    const value: unknown = JSON.parse(body.replace(/^\ufeff/, ''));
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}

/** Codes are numbers; some copies of the API write them as strings. */
function errorNumber(value: unknown): number | undefined {
  const number = typeof value === 'string' && /^\d{1,6}$/.test(value) ? Number(value) : value;
  return typeof number === 'number' && Number.isInteger(number) && number > 0 && number < 1_000_000
    ? number
    : undefined;
}

/** Seconds, or an HTTP date (RFC 9110 section 10.2.3). */
function readRetryAfter(text: string | undefined, nowEpochMs: number): number | undefined {
  if (text === undefined || text === '') return undefined;
  const ms = /^\d{1,9}$/.test(text) ? Number(text) * 1_000 : Date.parse(text) - nowEpochMs;
  return Number.isNaN(ms) ? undefined : Math.min(RETRY_AFTER_MAX_MS, Math.max(0, ms));
}
