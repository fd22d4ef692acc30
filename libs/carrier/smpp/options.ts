import { CALLING_CODE_MEANING, withoutPlus } from '../calling-code.js';
import type { CarrierOption } from '../carrier-options.js';
import { parseErrorCodes } from './error-codes.js';
import { SETTING_RULES } from './setting-rules.js';
import type { SmppCarrierSettings } from './settings.js';

/** Settings that are not options: the address, the account, and the settings of all protocols. */
type NoOption =
  | 'name'
  | 'host'
  | 'port'
  | 'systemId'
  | 'password'
  | 'tls'
  | 'binds'
  | 'windowSize'
  | 'submitsPerSecond'
  | 'messageIdFormat'
  | 'defaultAlphabet'
  | 'connectTimeoutMs'
  | 'enquireLinkTimeoutMs'
  | 'reconnectMinMs'
  | 'reconnectMaxMs';

type OptionName = Exclude<keyof SmppCarrierSettings, NoOption>;

/** The stored options of an SMPP carrier. */
export type SmppOptions = Partial<Pick<SmppCarrierSettings, OptionName>>;

/** Every option: the placeholder of its value, how its text is read, and what it means. */
const TABLE: Readonly<Record<OptionName, readonly [value: string, read: (text: string) => unknown, what: string]>> = {
  bindMode: ['<mode>', asIs, 'transceiver, or transmitter+receiver for two connections (default: transceiver)'],
  interfaceVersion: ['<version>', asIs, '3.4, or 3.3 for no optional parameters (default: 3.4)'],
  systemType: ['<text>', asIs, 'system_type of the bind, at most 12 characters (default: empty)'],
  addressTon: ['<number>', number, 'addr_ton of the bind, 0 to 255 (default: 0)'],
  addressNpi: ['<number>', number, 'addr_npi of the bind, 0 to 255 (default: 0)'],
  addressRange: ['<pattern>', asIs, 'address_range of the bind, at most 40 characters (default: empty)'],
  sender: ['<sender>', asIs, "sender of messages whose account has none (default: the service's)"],
  fixedSender: ['', flag, "the carrier's sender for all messages, whatever their account's"],
  sourceTon: ['<number>', number, 'source_addr_ton of every sender (default: from its form: 1, 3 or 5)'],
  sourceNpi: ['<number>', number, 'source_addr_npi of every sender (default: from its form: 1 or 0)'],
  destinationTon: ['<number>', number, 'dest_addr_ton (default: 1)'],
  destinationNpi: ['<number>', number, 'dest_addr_npi (default: 1)'],
  serviceType: ['<text>', asIs, 'service_type, at most 5 characters (default: empty)'],
  dataCoding: ['<number>', standardCoding, 'data_coding of standard text, e.g. 1, 3 or 0xF1 (default: 0)'],
  concatenation: ['<form>', asIs, 'how long messages are sent: udh8, udh16, sar or payload (default: udh8)'],
  messagingMode: ['<mode>', asIs, 'in esm_class: default, datagram, forward or store-and-forward (default: default)'],
  priority: ['<number>', number, 'priority_flag, 0 to 3 (default: 0)'],
  registeredDelivery: ['<number>', number, 'registered_delivery, 0 to 31; 0 asks for no receipts (default: 1)'],
  validityPeriodSeconds: ['<seconds>', number, "how long the carrier may try, up to 30 days (default: the carrier's)"],
  errorCodes: ['<table>', parseErrorCodes, 'what errors mean, e.g. 0x401=throttled,69=temporary,1025=refused'],
  callingCode: ['<code>', withoutPlus, CALLING_CODE_MEANING],
  responseTimeoutMs: ['<ms>', number, "how long a response may take (default: the service's)"],
  enquireLinkIntervalMs: ['<ms>', number, 'silence before the carrier is asked for a sign of life (default: 15000)'],
  tlsCaPem: ['<file>', asIs, "certificate authority to trust instead of the system's, as PEM"],
  tlsServerName: ['<name>', asIs, 'name that the certificate must be for (default: the host)'],
  tlsCertificatePem: ['<file>', asIs, 'our certificate, for carriers that ask for one, as PEM'],
  tlsKeyPem: ['<file>', asIs, 'its private key without a passphrase, as PEM'],
  tlsInsecure: ['', flag, 'any certificate will do: whoever sits in between reads password and messages'],
};

export const SMPP_OPTIONS: readonly CarrierOption[] = Object.entries(TABLE).map(
  ([name, [value, read, description]]): CarrierOption => ({
    name,
    value,
    description,
    parse: (text) => {
      const parsed = read(text);
      const rule: ((value: unknown) => string | undefined) | undefined =
        SETTING_RULES[name as keyof typeof SETTING_RULES];
      const fault = rule?.(parsed);
      if (fault !== undefined) throw new RangeError(fault);
      return parsed;
    },
  }),
);

function asIs(text: string): string {
  return text;
}

/** Decimal, or hexadecimal with 0x. Anything else is NaN, which no rule allows. */
function number(text: string): number {
  return /^([0-9]+|0x[0-9a-f]+)$/i.test(text) ? Number(text) : Number.NaN;
}

/** Standard text is one octet a character: under 8 a handset would read two of them as one character of UCS-2. */
function standardCoding(text: string): number {
  const coding = number(text);
  if (coding === 8)
    throw new RangeError('cannot be 8, which is UCS-2: it is of standard text, and extended text has 8');
  return coding;
}

function flag(): boolean {
  return true;
}
