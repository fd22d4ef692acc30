import { X509Certificate } from 'node:crypto';
import { senderAddress } from './address.js';
import type { DefaultAlphabet } from './alphabet.js';
import type { MessageIdFormat } from './message-id.js';
import { VALIDITY_PERIOD_SECONDS_MAX } from './submit-sm.js';

/** One connection for both ways, or one each for carriers that report only to a receiver. */
export type BindMode = 'transceiver' | 'transmitter+receiver';

/** What an operator says of an SMPP carrier. Left out means the default of `SMPP_DEFAULTS`. */
export interface SmppCarrierSettings {
  readonly name: string;
  readonly host: string;
  readonly port: number;
  readonly systemId: string;
  readonly password: string;
  readonly systemType?: string;
  readonly tls: boolean;
  /** PEM of the certificate authority to trust instead of the system's, for carriers with a private one. */
  readonly tlsCaPem?: string;
  /** Submits without a response yet, at most. */
  readonly windowSize?: number;
  /** Submits a second, at most; left out means as fast as the carrier takes them. */
  readonly submitsPerSecond?: number;
  readonly messageIdFormat?: MessageIdFormat;
  readonly defaultAlphabet?: DefaultAlphabet;
  readonly sender: string;
  /** How long the carrier may try, up to 30 days; left out means the carrier's own default. */
  readonly validityPeriodSeconds?: number;
  readonly bindMode?: BindMode;
  readonly connectTimeoutMs?: number;
  readonly responseTimeoutMs?: number;
  /** Silence after which the carrier is asked for a sign of life. */
  readonly enquireLinkIntervalMs?: number;
  /** How long that sign may take before the connection counts as dead. */
  readonly enquireLinkTimeoutMs?: number;
  readonly reconnectMinMs?: number;
  readonly reconnectMaxMs?: number;
}

/** Settings that have a value when nobody gave one. */
export const SMPP_DEFAULTS = {
  systemType: '',
  windowSize: 10,
  messageIdFormat: 'as-is',
  defaultAlphabet: 'gsm0338',
  bindMode: 'transceiver',
  connectTimeoutMs: 10_000,
  responseTimeoutMs: 30_000,
  enquireLinkIntervalMs: 15_000,
  enquireLinkTimeoutMs: 5_000,
  reconnectMinMs: 1_000,
  reconnectMaxMs: 60_000,
} as const satisfies Partial<SmppCarrierSettings>;

export type CompleteSettings = SmppCarrierSettings & {
  readonly [Name in keyof typeof SMPP_DEFAULTS]-?: NonNullable<SmppCarrierSettings[Name]>;
};

const POSITIVE = [
  'windowSize',
  'submitsPerSecond',
  'connectTimeoutMs',
  'responseTimeoutMs',
  'enquireLinkIntervalMs',
  'enquireLinkTimeoutMs',
  'reconnectMinMs',
  'reconnectMaxMs',
  'validityPeriodSeconds',
] as const satisfies readonly (keyof SmppCarrierSettings)[];

/**
 * Settings with every default filled in.
 *
 * @throws RangeError naming the setting that cannot work
 */
export function completeSettings(settings: SmppCarrierSettings): CompleteSettings {
  const complete: CompleteSettings = { ...SMPP_DEFAULTS, ...settings };
  for (const name of POSITIVE) {
    const value = complete[name];
    if (value !== undefined && !(value > 0)) throw new RangeError(`carrier ${settings.name}: ${name} must be above 0`);
  }
  if (!Number.isInteger(complete.windowSize))
    throw new RangeError(`carrier ${settings.name}: windowSize must be whole`);
  if ((complete.validityPeriodSeconds ?? 0) > VALIDITY_PERIOD_SECONDS_MAX) {
    throw new RangeError(`carrier ${settings.name}: validityPeriodSeconds must be at most 30 days`);
  }
  if (!Number.isInteger(complete.port) || complete.port < 1 || complete.port > 65_535) {
    throw new RangeError(`carrier ${settings.name}: port must be 1 to 65535`);
  }
  senderAddress(complete.sender);
  checkCertificate(complete);
  return Object.freeze(complete);
}

/** A broken certificate would throw at every attempt to connect; it is better said once, at the start. */
function checkCertificate({ name, tlsCaPem }: SmppCarrierSettings): void {
  if (tlsCaPem === undefined) return;
  try {
    new X509Certificate(tlsCaPem);
  } catch {
    throw new RangeError(`carrier ${name}: tlsCaPem is not a PEM certificate`);
  }
}
