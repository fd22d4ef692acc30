import type { Carrier, CarrierDependencies } from './carrier.js';
import type { CarrierOption } from './carrier-options.js';
import { HttpCarrier } from './http/http-carrier.js';
import { HTTP_OPTIONS, type HttpOptions } from './http/options.js';
import { SandboxCarrier } from './sandbox/sandbox-carrier.js';
import type { MessageIdFormat } from './smpp/message-id.js';
import { SMPP_OPTIONS, type SmppOptions } from './smpp/options.js';
import type { DefaultAlphabet } from './smpp/settings.js';
import { SmppCarrier } from './smpp/smpp-carrier.js';

/** A carrier as the operator has stored it. */
export interface CarrierRecord {
  readonly name: string;
  /** `sandbox`: the carrier of test mode, which reaches nobody. */
  readonly protocol: 'smpp' | 'http' | 'sandbox';
  readonly host: string;
  readonly port: number;
  readonly tls: boolean;
  readonly systemId: string;
  readonly password: string;
  readonly windowSize: number;
  readonly submitsPerSecond: number | undefined;
  readonly messageIdFormat: MessageIdFormat;
  readonly defaultAlphabet: DefaultAlphabet;
  readonly options: Readonly<Record<string, unknown>>;
}

/** The defaults of all carriers. */
interface CarrierDefaults {
  readonly sender: string;
  readonly responseTimeoutMs: number;
}

export const CARRIER_OPTIONS: Readonly<Record<CarrierRecord['protocol'], readonly CarrierOption[]>> = {
  smpp: SMPP_OPTIONS,
  http: HTTP_OPTIONS,
  sandbox: [],
};

/**
 * The carrier behind a record, not started yet.
 *
 * @throws RangeError naming the setting that cannot work
 */
export function createCarrier(
  record: CarrierRecord,
  defaults: CarrierDefaults,
  dependencies: CarrierDependencies,
): Carrier {
  const { protocol, options, submitsPerSecond, ...settings } = record;
  switch (protocol) {
    case 'smpp':
      return new SmppCarrier(
        {
          ...defaults,
          ...settings,
          ...(submitsPerSecond !== undefined && { submitsPerSecond }),
          ...(options as SmppOptions),
        },
        dependencies,
      );
    case 'http':
      return new HttpCarrier(
        {
          ...defaults,
          ...settings,
          ...(submitsPerSecond !== undefined && { submitsPerSecond }),
          ...(options as HttpOptions),
        },
        dependencies,
      );
    case 'sandbox':
      return new SandboxCarrier(
        { ...settings, ...(submitsPerSecond !== undefined && { submitsPerSecond }) },
        dependencies,
      );
    default:
      throw new RangeError(`carrier ${record.name}: the protocol ${protocol} is not known`);
  }
}
