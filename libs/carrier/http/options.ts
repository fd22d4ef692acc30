import { SENDER_FORM, SENDER_WORDS } from '#config/light';
import { CALLING_CODE_MEANING, callingCodeFault, withoutPlus } from '../calling-code.js';
import type { CarrierOption } from '../carrier-options.js';
import { readCallbackBase } from './callback-url.js';
import { ERROR_KINDS } from './error-codes.js';
import { type HttpCarrierSettings, isCertificate, isPathPrefix, VALIDITY_PERIOD_SECONDS_MAX } from './settings.js';

/** The stored options of an HTTP carrier. */
export type HttpOptions = Partial<
  Pick<
    HttpCarrierSettings,
    | 'callbackUrl'
    | 'sender'
    | 'messagingServiceSid'
    | 'pathPrefix'
    | 'requestTimeoutMs'
    | 'connectTimeoutMs'
    | 'validityPeriodSeconds'
    | 'errorCodes'
    | 'callingCode'
    | 'tlsCaPem'
  >
>;

export const HTTP_OPTIONS: readonly (CarrierOption & { readonly name: keyof HttpOptions })[] = [
  {
    name: 'callbackUrl',
    value: '<url>',
    description:
      'where the provider reaches this gateway from outside, e.g. https://sms.example.org; without it no receipts come (default: none)',
    parse: (text) => {
      const url = readCallbackBase(text);
      if (url === undefined) throw new RangeError('an http:// or https:// URL without user, password and query');
      return url;
    },
  },
  {
    name: 'sender',
    value: '<sender>',
    description: 'From of messages whose account has no sender (default: SENDER)',
    parse: matching(SENDER_FORM, SENDER_WORDS),
  },
  {
    name: 'messagingServiceSid',
    value: '<sid>',
    description: 'lets the provider choose the sender of messages whose account has none (default: none)',
    parse: matching(/^[\x21-\x7e]{1,64}$/, 'at most 64 ASCII characters without spaces'),
  },
  {
    name: 'pathPrefix',
    value: '<path>',
    description: 'what stands before /2010-04-01 in the path, e.g. /api (default: empty)',
    parse: (text) => {
      if (!isPathPrefix(text)) throw new RangeError('a path with a leading slash and without a trailing one');
      return text;
    },
  },
  {
    name: 'requestTimeoutMs',
    value: '<ms>',
    description: 'how long an answer may take before the message is in doubt (default: SUBMIT_TIMEOUT_MS)',
    parse: whole(100, 300_000),
  },
  {
    name: 'connectTimeoutMs',
    value: '<ms>',
    description: 'how long connecting may take, TLS included (default: 10000)',
    parse: whole(100, 60_000),
  },
  {
    name: 'validityPeriodSeconds',
    value: '<s>',
    description: 'how long the provider may hold a message before it gives up (default: its own, 10 hours)',
    parse: whole(1, VALIDITY_PERIOD_SECONDS_MAX),
  },
  {
    name: 'errorCodes',
    value: '<code=kind,...>',
    description: `what error codes or HTTP statuses mean, e.g. 21610=refused,503=in-doubt; kinds: ${ERROR_KINDS.join(', ')}`,
    parse: readErrorCodes,
  },
  {
    name: 'callingCode',
    value: '<code>',
    description: CALLING_CODE_MEANING,
    parse: (text) => {
      const code = withoutPlus(text);
      const fault = callingCodeFault(code);
      if (fault !== undefined) throw new RangeError(fault);
      return code;
    },
  },
  {
    name: 'tlsCaPem',
    value: '<file>',
    description: "certificate authority to trust instead of the system's, as PEM",
    parse: (text) => {
      if (!isCertificate(text)) throw new RangeError('a certificate as PEM text');
      return text;
    },
  },
];

function matching(pattern: RegExp, rule: string): (text: string) => string {
  return (text) => {
    if (!pattern.test(text)) throw new RangeError(rule);
    return text;
  };
}

function whole(min: number, max: number): (text: string) => number {
  return (text) => {
    const number = Number(text);
    if (!/^\d+$/.test(text) || number < min || number > max) throw new RangeError(`a whole number, ${min} to ${max}`);
    return number;
  };
}

function readErrorCodes(text: string): Record<string, string> {
  const codes: Record<string, string> = {};
  for (const pair of text.split(',')) {
    const [, code, kind] = /^(\d{3}|\d{5})=([a-z-]+)$/.exec(pair.trim()) ?? [];
    if (code === undefined || !ERROR_KINDS.some((known) => known === kind)) {
      throw new RangeError(`pairs code=kind with commas between; kinds: ${ERROR_KINDS.join(', ')}`);
    }
    if (Object.hasOwn(codes, code)) throw new RangeError(`each code once: ${code} is given twice`);
    codes[code] = kind ?? '';
  }
  return codes;
}
