import type { DefaultAlphabet } from './alphabet.js';
import type { Concatenation } from './concatenation.js';
import type { ErrorCodes } from './error-codes.js';
import type { MessageIdFormat } from './message-id.js';

/** One connection for both ways, or a pair for carriers that report only to a receiver. */
export type BindMode = 'transceiver' | 'transmitter+receiver';

/**
 * The messaging mode of esm_class (SMPP 3.4 section 5.2.12); `default` leaves it to the carrier and is nearly always
 * right.
 */
export type MessagingMode = 'default' | 'datagram' | 'forward' | 'store-and-forward';

/** What an operator says of an SMPP carrier. Left out means the default of `SMPP_DEFAULTS`. */
export interface SmppCarrierSettings {
  readonly name: string;
  readonly host: string;
  readonly port: number;
  readonly systemId: string;
  readonly password: string;
  readonly tls: boolean;

  /** Connections to hold; a pair counts as one. `setBinds` changes it. */
  readonly binds?: number;
  readonly bindMode?: BindMode;
  /** What the bind says; towards a carrier of 3.3 no optional parameters are written. */
  readonly interfaceVersion?: '3.3' | '3.4';
  readonly systemType?: string;
  readonly addressTon?: number;
  readonly addressNpi?: number;
  readonly addressRange?: string;

  /** Submits without a response yet, at most, of each bind. */
  readonly windowSize?: number;
  /** Submits a second, at most, over all binds; left out means as fast as the carrier takes them. */
  readonly submitsPerSecond?: number;

  /** Of messages that bring none. */
  readonly sender: string;
  /** Whether messages that bring a sender of their own get the carrier's all the same. */
  readonly fixedSender?: boolean;
  /** In place of the type of number that the form of a sender tells. */
  readonly sourceTon?: number;
  readonly sourceNpi?: number;
  readonly destinationTon?: number;
  readonly destinationNpi?: number;
  readonly serviceType?: string;
  /** The data_coding of standard text, whose octets `defaultAlphabet` decides. */
  readonly dataCoding?: number;
  readonly defaultAlphabet?: DefaultAlphabet;
  readonly concatenation?: Concatenation;
  readonly messagingMode?: MessagingMode;
  readonly priority?: number;
  readonly registeredDelivery?: number;
  /** How long the carrier may try, up to 30 days; left out means the carrier's own default. */
  readonly validityPeriodSeconds?: number;

  readonly messageIdFormat?: MessageIdFormat;
  readonly errorCodes?: ErrorCodes;

  readonly connectTimeoutMs?: number;
  readonly responseTimeoutMs?: number;
  /** Silence after which the carrier is asked for a sign of life. */
  readonly enquireLinkIntervalMs?: number;
  /** How long that sign may take before the connection counts as dead. */
  readonly enquireLinkTimeoutMs?: number;
  readonly reconnectMinMs?: number;
  readonly reconnectMaxMs?: number;

  /** PEM of the certificate authority to trust instead of the system's, for carriers with a private one. */
  readonly tlsCaPem?: string;
  /** The name that the certificate must be for, where it is not the host. */
  readonly tlsServerName?: string;
  /** PEM of our certificate and its key, for carriers that want to see one. */
  readonly tlsCertificatePem?: string;
  readonly tlsKeyPem?: string;
  /** Accepts any certificate: whoever sits in between reads the password and the messages. */
  readonly tlsInsecure?: boolean;
}

/** Settings that have a value when nobody gave one. */
export const SMPP_DEFAULTS = {
  binds: 1,
  bindMode: 'transceiver',
  interfaceVersion: '3.4',
  systemType: '',
  addressTon: 0,
  addressNpi: 0,
  // Whatever the account is allowed to receive.
  addressRange: '',
  windowSize: 10,
  fixedSender: false,
  destinationTon: 1,
  destinationNpi: 1,
  serviceType: '',
  dataCoding: 0,
  defaultAlphabet: 'gsm0338',
  concatenation: 'udh8',
  messagingMode: 'default',
  priority: 0,
  // A final receipt, on success and on failure (SMPP 3.4 section 5.2.17).
  registeredDelivery: 1,
  messageIdFormat: 'as-is',
  connectTimeoutMs: 10_000,
  responseTimeoutMs: 30_000,
  enquireLinkIntervalMs: 15_000,
  enquireLinkTimeoutMs: 5_000,
  reconnectMinMs: 1_000,
  reconnectMaxMs: 60_000,
  tlsInsecure: false,
} as const satisfies Partial<SmppCarrierSettings>;

export type CompleteSettings = SmppCarrierSettings & {
  readonly [Name in keyof typeof SMPP_DEFAULTS]-?: NonNullable<SmppCarrierSettings[Name]>;
};
