import { X509Certificate } from 'node:crypto';
import { callingCodeFault } from '../calling-code.js';
import type { ErrorKind } from './error-codes.js';

/** The settings of an HTTP carrier. A missing one has the default of `HTTP_DEFAULTS`. */
export interface HttpCarrierSettings {
  readonly name: string;
  readonly host: string;
  readonly port: number;
  readonly tls: boolean;
  /** PEM of the certificate authority to trust, in place of the system's. */
  readonly tlsCaPem?: string;
  /** The path before `/2010-04-01`: empty, or with a leading and without a trailing slash. */
  readonly pathPrefix?: string;
  /** Account SID. */
  readonly systemId: string;
  /** Auth token: the password of requests and the key of the callbacks' signatures. */
  readonly password: string;
  /** The sender of messages that have none: an E.164 number, a short code, or letters and digits. */
  readonly sender: string;
  /** Lets the provider choose the sender of messages that have none; `sender` is then not used. */
  readonly messagingServiceSid?: string;
  /** The address at which the provider reaches this gateway; without it no receipt ever comes. */
  readonly callbackUrl?: string;
  /** The most requests that are unanswered. */
  readonly windowSize?: number;
  /** Requests a second, at most; left out means as fast as the provider takes them. */
  readonly submitsPerSecond?: number;
  /** How long the provider may hold a message before it gives up; left out means its own default. */
  readonly validityPeriodSeconds?: number;
  /** What the provider's error codes or HTTP statuses mean, if it differs from the table in `error-codes.ts`. */
  readonly errorCodes?: Readonly<Record<string, ErrorKind>>;
  /** The calling code of the country that national numbers of handsets belong to; what reads callbacks uses it. */
  readonly callingCode?: string;
  readonly connectTimeoutMs?: number;
  /** From the moment that the request is written to the end of its answer. */
  readonly requestTimeoutMs?: number;
  /** The default of `requestTimeoutMs`, from the setting for all carriers. */
  readonly responseTimeoutMs?: number;
  readonly retryMinMs?: number;
  readonly retryMaxMs?: number;
}

/** Settings with a default. */
const HTTP_DEFAULTS = {
  pathPrefix: '',
  windowSize: 10,
  connectTimeoutMs: 10_000,
  responseTimeoutMs: 30_000,
  retryMinMs: 1_000,
  retryMaxMs: 60_000,
} as const satisfies Partial<HttpCarrierSettings>;

/** The provider keeps a message for 10 hours at most. */
export const VALIDITY_PERIOD_SECONDS_MAX = 36_000;

export type CompleteHttpSettings = HttpCarrierSettings & {
  readonly [Name in keyof typeof HTTP_DEFAULTS | 'requestTimeoutMs']-?: NonNullable<HttpCarrierSettings[Name]>;
};

const POSITIVE = [
  'windowSize',
  'submitsPerSecond',
  'connectTimeoutMs',
  'requestTimeoutMs',
  'retryMinMs',
  'retryMaxMs',
  'validityPeriodSeconds',
] as const satisfies readonly (keyof HttpCarrierSettings)[];

/**
 * Settings with every default filled in.
 *
 * @throws RangeError naming the setting that cannot work
 */
export function completeHttpSettings(settings: HttpCarrierSettings): CompleteHttpSettings {
  const given = { ...HTTP_DEFAULTS, ...settings };
  const complete = { ...given, requestTimeoutMs: given.requestTimeoutMs ?? given.responseTimeoutMs };
  const fault = (rule: string) => new RangeError(`carrier ${settings.name}: ${rule}`);
  for (const name of POSITIVE) {
    const value = complete[name];
    if (value !== undefined && !(value > 0)) throw fault(`${name} must be above 0`);
  }
  if (!Number.isInteger(complete.windowSize)) throw fault('windowSize must be whole');
  if (!Number.isInteger(complete.port) || complete.port < 1 || complete.port > 65_535) {
    throw fault('port must be 1 to 65535');
  }
  if ((complete.validityPeriodSeconds ?? 0) > VALIDITY_PERIOD_SECONDS_MAX) {
    throw fault(`validityPeriodSeconds must be at most ${VALIDITY_PERIOD_SECONDS_MAX}`);
  }
  if (!isPathPrefix(complete.pathPrefix)) throw fault('pathPrefix must be a path without a trailing slash');
  const codeFault = complete.callingCode === undefined ? undefined : callingCodeFault(complete.callingCode);
  if (codeFault !== undefined) throw fault(`callingCode ${codeFault}`);
  if (!isCertificate(complete.tlsCaPem)) throw fault('tlsCaPem is not a PEM certificate');
  return Object.freeze(complete);
}

export function isPathPrefix(text: string): boolean {
  return /^(\/[A-Za-z0-9._~!$&'()*+,;=:@%-]+)*$/.test(text);
}

/** A broken certificate would fail every connection, so it is reported once, at the start. */
export function isCertificate(pem: string | undefined): boolean {
  if (pem === undefined) return true;
  try {
    new X509Certificate(pem);
    return true;
  } catch {
    return false;
  }
}
