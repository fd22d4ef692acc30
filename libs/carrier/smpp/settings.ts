import type { ErrorCodes } from './error-codes.js';
import type { MessageIdFormat } from './message-id.js';

/** The alphabet of `data_coding` 0 at this carrier (SMPP 3.4 section 5.2.19: "SMSC default alphabet"). */
export type DefaultAlphabet = 'gsm0338' | 'latin1';

/**
 * How the segments of a long message are joined: by a user data header with an 8-bit or a 16-bit reference, by the
 * sar_* parameters, or not at all, because the carrier gets the whole message in message_payload and splits it itself.
 */
export type Concatenation = 'udh8' | 'udh16' | 'sar' | 'payload';

/** One connection for both directions, or a pair for carriers that send receipts only to a receiver. */
export type BindMode = 'transceiver' | 'transmitter+receiver';

/**
 * The messaging mode of esm_class (SMPP 3.4 section 5.2.12); `default` leaves it to the carrier and is nearly always
 * right.
 */
export type MessagingMode = 'default' | 'datagram' | 'forward' | 'store-and-forward';

/** The settings of an SMPP carrier. A missing one has the default of `SMPP_DEFAULTS`. */
export interface SmppCarrierSettings {
  readonly name: string;
  readonly host: string;
  readonly port: number;
  readonly systemId: string;
  readonly password: string;
  readonly tls: boolean;

  /** Number of binds; a pair counts as one. `setBinds` changes it. */
  readonly binds?: number;
  readonly bindMode?: BindMode;
  /** The version in the bind; a carrier of 3.3 gets no optional parameters. */
  readonly interfaceVersion?: '3.3' | '3.4';
  readonly systemType?: string;
  readonly addressTon?: number;
  readonly addressNpi?: number;
  readonly addressRange?: string;

  /** The most submits of each bind that are unanswered. */
  readonly windowSize?: number;
  /** The most submits a second over all binds; without it, as fast as the carrier takes them. */
  readonly submitsPerSecond?: number;

  /** The sender of messages that have none. */
  readonly sender: string;
  /** Whether the carrier's sender also replaces the sender of messages that have one. */
  readonly fixedSender?: boolean;
  /** Replaces the type of number that follows from the form of a sender. */
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
  /** How long the carrier may try, up to 30 days; without it, the carrier's own default. */
  readonly validityPeriodSeconds?: number;

  readonly messageIdFormat?: MessageIdFormat;
  readonly errorCodes?: ErrorCodes;
  /** The calling code of the country that national numbers of handsets belong to. */
  readonly callingCode?: string;

  readonly connectTimeoutMs?: number;
  readonly responseTimeoutMs?: number;
  /** Silence after which the worker sends enquire_link. */
  readonly enquireLinkIntervalMs?: number;
  /** How long the answer may take before the connection counts as dead. */
  readonly enquireLinkTimeoutMs?: number;
  readonly reconnectMinMs?: number;
  readonly reconnectMaxMs?: number;

  /** PEM of the certificate authority to trust in place of the system's, for carriers with a private one. */
  readonly tlsCaPem?: string;
  /** The name that the certificate must have, if it is not the host. */
  readonly tlsServerName?: string;
  /** PEM of our certificate and its key, for carriers that require one. */
  readonly tlsCertificatePem?: string;
  readonly tlsKeyPem?: string;
  /** Accepts any certificate: somebody in between could read the password and the messages. */
  readonly tlsInsecure?: boolean;
}

/** Settings with a default. */
export const SMPP_DEFAULTS = {
  binds: 1,
  bindMode: 'transceiver',
  interfaceVersion: '3.4',
  systemType: '',
  addressTon: 0,
  addressNpi: 0,
  // All numbers that the account may receive for.
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
