import { X509Certificate } from 'node:crypto';
import { SENDER_WORDS } from '#config/light';
import { callingCodeFault } from '../calling-code.js';
import { errorCodesFault } from './error-codes.js';
import { type CompleteSettings, SMPP_DEFAULTS, type SmppCarrierSettings } from './settings.js';
import { senderAddress } from './submit-sm.js';
import { tlsFault } from './tls.js';

/** The fault of a value; undefined if there is none. */
type Rule = (value: unknown) => string | undefined;

const DAY_SECONDS = 86_400;
/** The longest time that SMPP 3.4 section 7.1.1.2 can express without months. */
const VALIDITY_PERIOD_SECONDS_MAX = 30 * DAY_SECONDS;
const BINDS_MAX = 100;
const TIMER_MS_MAX = 3_600_000;

const wholeNumber =
  (min: number, max: number): Rule =>
  (value) =>
    Number.isInteger(value) && Number(value) >= min && Number(value) <= max
      ? undefined
      : `must be a whole number of ${min} to ${max}`;

const aboveZero: Rule = (value) => (Number(value) > 0 ? undefined : 'must be above 0');

const oneOf =
  (...values: string[]): Rule =>
  (value) =>
    values.includes(String(value)) ? undefined : `must be ${values.join(' or ')}`;

const ascii =
  (charactersMax: number): Rule =>
  (value) =>
    typeof value === 'string' && value.length <= charactersMax && /^[\x21-\x7e]*$/.test(value)
      ? undefined
      : `must be at most ${charactersMax} ASCII characters without spaces`;

const flag: Rule = (value) => (typeof value === 'boolean' ? undefined : 'must be true or false');
const typeOfNumber = wholeNumber(0, 0xff);
const numberingPlan = wholeNumber(0, 0xff);
const timer: Rule = (value) =>
  Number(value) > 0 && Number(value) <= TIMER_MS_MAX ? undefined : `must be above 0 and at most ${TIMER_MS_MAX} ms`;

const sender: Rule = (value) =>
  senderAddress(String(value)) === undefined ? `cannot work: a sender is ${SENDER_WORDS}` : undefined;

const certificate: Rule = (value) => {
  try {
    new X509Certificate(String(value));
    return undefined;
  } catch {
    return 'is not a PEM certificate';
  }
};

/** The rule of each single setting, for stored options and for an operator's input alike. */
export const SETTING_RULES = {
  port: wholeNumber(1, 65_535),
  windowSize: wholeNumber(1, 1_000_000),
  submitsPerSecond: aboveZero,
  binds: wholeNumber(0, BINDS_MAX),
  messageIdFormat: oneOf('as-is', 'hex-dec', 'dec-hex'),
  defaultAlphabet: oneOf('gsm0338', 'latin1'),
  bindMode: oneOf('transceiver', 'transmitter+receiver'),
  interfaceVersion: oneOf('3.3', '3.4'),
  // SMPP 3.4 section 4.1: C-octet strings of 13 and 41 octets.
  systemType: ascii(12),
  addressTon: typeOfNumber,
  addressNpi: numberingPlan,
  addressRange: ascii(40),
  sender,
  fixedSender: flag,
  sourceTon: typeOfNumber,
  sourceNpi: numberingPlan,
  destinationTon: typeOfNumber,
  destinationNpi: numberingPlan,
  // Section 5.2.11: a C-octet string of 6 octets.
  serviceType: ascii(5),
  dataCoding: wholeNumber(0, 0xff),
  concatenation: oneOf('udh8', 'udh16', 'sar', 'payload'),
  messagingMode: oneOf('default', 'datagram', 'forward', 'store-and-forward'),
  priority: wholeNumber(0, 3),
  registeredDelivery: wholeNumber(0, 0x1f),
  validityPeriodSeconds: wholeNumber(1, VALIDITY_PERIOD_SECONDS_MAX),
  errorCodes: errorCodesFault,
  callingCode: callingCodeFault,
  connectTimeoutMs: timer,
  responseTimeoutMs: timer,
  enquireLinkIntervalMs: timer,
  enquireLinkTimeoutMs: timer,
  reconnectMinMs: timer,
  reconnectMaxMs: timer,
  tlsCaPem: certificate,
  tlsCertificatePem: certificate,
  tlsInsecure: flag,
} as const satisfies { readonly [Name in keyof SmppCarrierSettings]?: Rule };

/**
 * Settings with every default filled in.
 *
 * @throws RangeError naming the setting that cannot work
 */
export function completeSettings(settings: SmppCarrierSettings): CompleteSettings {
  const complete: CompleteSettings = { ...SMPP_DEFAULTS, ...settings };
  for (const [name, rule] of Object.entries(SETTING_RULES)) {
    const value: unknown = complete[name as keyof typeof SETTING_RULES];
    const fault = value === undefined ? undefined : rule(value);
    if (fault !== undefined) throw new RangeError(`carrier ${settings.name}: ${name} ${fault}`);
  }
  const fault = togetherFault(complete) ?? tlsFault(complete);
  if (fault !== undefined) throw new RangeError(`carrier ${settings.name}: ${fault}`);
  return Object.freeze(complete);
}

/** Settings that are right alone and wrong together. */
function togetherFault({ interfaceVersion, concatenation }: CompleteSettings): string | undefined {
  const needsParameters = concatenation === 'sar' || concatenation === 'payload';
  if (interfaceVersion === '3.3' && needsParameters) {
    return `concatenation ${concatenation} needs optional parameters, which interfaceVersion 3.3 does not have`;
  }
  return undefined;
}
