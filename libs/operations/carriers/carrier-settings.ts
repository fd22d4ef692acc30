import { type CarrierChange, type CarrierSettings, OperatorError, type StoredCarrier } from '#persistence';
import { readEndpoint } from './carrier-endpoint.js';

/** The settings of a carrier as operators write them; null: back to what holds when nothing is said. */
export interface CarrierWishes {
  /** `smpp://USER@HOST:PORT`, `smpps://`, `https://`; with or without `:PASSWORD`. */
  readonly url?: string | undefined;
  readonly password?: string | undefined;
  readonly window?: number | undefined;
  readonly tps?: number | null | undefined;
  readonly binds?: number | null | undefined;
  readonly messageId?: CarrierSettings['messageIdFormat'] | undefined;
  readonly alphabet?: CarrierSettings['defaultAlphabet'] | undefined;
  readonly inDoubt?: CarrierSettings['inDoubtPolicy'] | undefined;
  readonly simulator?: boolean | undefined;
  /** Options of the protocol by name: a text, true for an option without a value, null to remove it. */
  readonly options?: Readonly<Record<string, string | boolean | null>> | undefined;
}

export const CARRIER_DEFAULTS = {
  protocol: 'smpp',
  windowSize: 10,
  submitsPerSecond: undefined,
  messageIdFormat: 'as-is',
  defaultAlphabet: 'gsm0338',
  inDoubtPolicy: 'resend',
  bindCount: undefined,
  options: {},
} as const;

/**
 * The stored settings that an operator's wishes give; what is not wished for is missing.
 *
 * @param before the carrier as it is; undefined: it is new
 * @throws OperatorError naming what is wrong
 */
export async function readWishes(
  wishes: CarrierWishes,
  before: StoredCarrier | undefined,
): Promise<Partial<CarrierSettings> & Pick<CarrierChange, 'simulator'>> {
  const endpoint = wishes.url === undefined ? undefined : await readEndpoint(wishes.url);
  const protocol = endpoint?.protocol ?? before?.protocol ?? 'smpp';
  if (before !== undefined && protocol !== before.protocol) {
    throw new OperatorError(`${before.name} is reached by ${before.protocol}: add another carrier for ${protocol}`);
  }
  if (wishes.password !== undefined && endpoint !== undefined && endpoint.password !== '') {
    throw new OperatorError('the password is given twice: in the URL, and beside it');
  }
  const { password: inUrl, ...place } = endpoint ?? {};
  const secret = wishes.password ?? (inUrl === '' && before !== undefined ? undefined : inUrl);
  return {
    ...place,
    ...(wishes.window !== undefined && { windowSize: wishes.window }),
    ...(wishes.tps !== undefined && { submitsPerSecond: wishes.tps ?? undefined }),
    ...(wishes.binds !== undefined && { bindCount: wishes.binds ?? undefined }),
    ...(wishes.messageId !== undefined && { messageIdFormat: wishes.messageId }),
    ...(wishes.alphabet !== undefined && { defaultAlphabet: wishes.alphabet }),
    ...(wishes.inDoubt !== undefined && { inDoubtPolicy: wishes.inDoubt }),
    ...(wishes.simulator !== undefined && { simulator: wishes.simulator }),
    ...(secret !== undefined && { password: secret }),
    options: await changedOptions(
      { ...standingOptions(before, endpoint), ...endpoint?.options },
      wishes.options ?? {},
      protocol,
    ),
  };
}

/** A URL has a path or none, so the path before it goes. */
function standingOptions(before: StoredCarrier | undefined, endpoint: object | undefined): CarrierSettings['options'] {
  const { pathPrefix: _path, ...others } = before?.options ?? {};
  return (endpoint === undefined ? before?.options : others) ?? {};
}

async function changedOptions(
  before: Readonly<Record<string, unknown>>,
  wishes: NonNullable<CarrierWishes['options']>,
  protocol: CarrierSettings['protocol'],
): Promise<Readonly<Record<string, unknown>>> {
  const { CARRIER_OPTIONS } = await import('#carrier');
  const changed: Record<string, unknown> = { ...before };
  for (const [name, wish] of Object.entries(wishes)) {
    const option = CARRIER_OPTIONS[protocol].find((known) => known.name === name);
    if (option === undefined)
      throw new OperatorError(`there is no option ${name} of carriers that are reached by ${protocol}`);
    if (wish === null || wish === false) delete changed[name];
    else changed[name] = option.value === '' ? true : parsed(name, () => option.parse(String(wish)));
  }
  return changed;
}

function parsed(name: string, parse: () => unknown): unknown {
  try {
    return parse();
  } catch (error) {
    if (error instanceof RangeError) throw new OperatorError(`the option ${name}: ${error.message}`);
    throw error;
  }
}
