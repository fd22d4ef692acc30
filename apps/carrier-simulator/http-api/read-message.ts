import type { Submit } from '../read-submit.js';
import { type ApiError, INVALID_TO } from './api-error.js';

/** A message in a request to the API. */
export interface MessageRequest {
  /** With its plus sign. */
  readonly to: string;
  readonly from: string | undefined;
  readonly messagingServiceSid: string | undefined;
  readonly body: string;
  readonly statusCallback: URL | undefined;
  readonly validityPeriod: string;
}

const BODY_CHARACTERS_MAX = 1_600;
const VALIDITY_SECONDS_MAX = 36_000;
const UCS2 = 8;
const ALPHANUMERIC = 5;
const INTERNATIONAL = 1;

/** The message of a form, or the first rule that it breaks, in the words of the provider's dictionary. */
export function readMessage(form: URLSearchParams): MessageRequest | ApiError {
  const refuse = (code: number, message: string): ApiError => ({ status: 400, code, message });
  const to = form.get('To') ?? '';
  const from = form.get('From') ?? undefined;
  const messagingServiceSid = form.get('MessagingServiceSid') ?? undefined;
  const body = form.get('Body') ?? '';
  const callback = form.get('StatusCallback');
  const validityPeriod = form.get('ValidityPeriod') ?? '';
  if (to === '') return refuse(21604, "A 'To' phone number is required");
  if (!/^\+[1-9]\d{6,14}$/.test(to)) return INVALID_TO;
  if (from === undefined && messagingServiceSid === undefined)
    return refuse(21603, "A 'From' phone number is required");
  if (from !== undefined && !isSender(from)) return refuse(21212, "Invalid 'From' Phone Number");
  if (body === '') return refuse(21602, 'Message body is required');
  if ([...body].length > BODY_CHARACTERS_MAX) return refuse(21617, 'The body exceeds the 1600 character limit');
  if (callback !== null && !isHttpUrl(callback)) return refuse(21609, 'Invalid StatusCallback URL');
  if (validityPeriod !== '' && !isValidity(validityPeriod)) return refuse(20001, 'Invalid ValidityPeriod');
  const statusCallback = callback === null ? undefined : new URL(callback);
  return { to, from, messagingServiceSid, body, statusCallback, validityPeriod };
}

/** The same message as an SMPP submit, for the rules and the records that both sides share. */
export function asSubmit(message: MessageRequest, sequence: number): Submit {
  const from = message.from ?? message.messagingServiceSid ?? '';
  const isNumber = /^\+?\d+$/.test(from);
  const reference = message.statusCallback?.searchParams.get('ref') ?? '';
  return {
    sequence,
    source: { ton: isNumber ? INTERNATIONAL : ALPHANUMERIC, npi: isNumber ? 1 : 0, value: from.slice(0, 11) },
    destination: { ton: INTERNATIONAL, npi: 1, value: message.to.slice(1) },
    esmClass: 0,
    registeredDelivery: message.statusCallback === undefined ? 0 : 1,
    dataCoding: UCS2,
    validityPeriod: '',
    userData: Buffer.from(message.body, 'utf16le').swap16(),
    isPayload: true,
    userMessageReference: /^\d{1,5}$/.test(reference) ? Number(reference) : undefined,
    sar: undefined,
  };
}

function isSender(from: string): boolean {
  return /^(\+[1-9]\d{6,14}|\d{3,8}|(?=.*[A-Za-z])[A-Za-z0-9 ._-]{1,11})$/.test(from);
}

function isHttpUrl(text: string): boolean {
  return URL.canParse(text) && /^https?:\/\//i.test(text);
}

function isValidity(text: string): boolean {
  return /^\d{1,5}$/.test(text) && Number(text) >= 1 && Number(text) <= VALIDITY_SECONDS_MAX;
}
