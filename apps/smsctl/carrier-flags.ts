import { type Command, Option } from 'commander';
import type { CarrierOption } from '#carrier';
import type { CarrierChange, CarrierSettings, StoredCarrier } from '#persistence';
import { MESSAGE_ID_FORMATS, OperatorError } from '#persistence';
import { count } from './arguments.js';
import { readEndpoint } from './carrier-endpoint.js';
import { readSource } from './read-source.js';

type Protocol = CarrierSettings['protocol'];
/** The options of the carriers of each protocol. */
export type ProtocolOptions = Readonly<Record<Protocol, readonly CarrierOption[]>>;

/** The settings of every carrier, as flags; a missing flag changes nothing. */
interface CommonFlags {
  url?: string;
  window?: number;
  tps?: number;
  binds?: number;
  messageId?: CarrierSettings['messageIdFormat'];
  alphabet?: CarrierSettings['defaultAlphabet'];
  inDoubt?: CarrierSettings['inDoubtPolicy'];
  passwordFile?: string;
  simulator?: boolean;
}

/** Every flag by the name that commander gives it. */
export type CarrierFlags = CommonFlags & Readonly<Record<string, unknown>>;

/** The variable for a password, so that it does not appear in a list of processes. */
export const PASSWORD_VARIABLE = 'CARRIER_PASSWORD';

/** Settings that `--unset` returns to their defaults, beside the options of the protocol. */
const UNSETTABLE: Readonly<Record<string, CarrierChange>> = {
  tps: { submitsPerSecond: undefined },
  binds: { bindCount: undefined },
  simulator: { simulator: false },
};

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

/** Adds a flag for each setting of a carrier and for each option of each protocol. */
export function addCarrierFlags(command: Command, protocols: ProtocolOptions): Command {
  command
    .option('--window <n>', 'submits that may wait for their response on each bind (default: 10)', count)
    .option('--tps <n>', 'submits a second, over all workers (default: no limit)', count)
    .option('--binds <n>', 'binds of all workers together (default: one for each worker)', count)
    .addOption(
      new Option(
        '--message-id <form>',
        'how ids in receipts differ from those in submit responses (default: as-is)',
      ).choices(MESSAGE_ID_FORMATS),
    )
    .addOption(
      new Option('--alphabet <name>', 'what data_coding 0 means to it (default: gsm0338)').choices([
        'gsm0338',
        'latin1',
      ]),
    )
    .addOption(
      new Option(
        '--in-doubt <policy>',
        'a segment without answer or receipt: send it again, or leave it unknown (default: resend)',
      ).choices(['resend', 'hold']),
    )
    .option('--simulator', 'it reaches nobody: beside real carriers it takes only messages of routes that name it')
    .option('--password-file <file>', `file with the password, - for standard input (default: ${PASSWORD_VARIABLE})`);
  const taken = new Set<string>();
  for (const [protocol, options] of Object.entries(protocols)) {
    for (const { name, value, description } of options) {
      if (taken.has(name)) continue;
      taken.add(name);
      command.option(`--${flagOf(name)}${value === '' ? '' : ` ${value}`}`, `${protocol}: ${description}`);
    }
  }
  return command;
}

/**
 * The settings that the flags and the URL give.
 *
 * @param before the carrier as it is; undefined: it is new
 * @throws OperatorError naming the flag that is wrong
 */
export async function readCarrierFlags(
  url: string | undefined,
  flags: CarrierFlags,
  protocols: ProtocolOptions,
  environment: Readonly<Record<string, string | undefined>>,
  before: StoredCarrier | undefined,
): Promise<Partial<CarrierSettings> & Pick<CarrierChange, 'simulator'>> {
  const endpoint = url === undefined ? undefined : await readEndpoint(url);
  const protocol = endpoint?.protocol ?? before?.protocol ?? 'smpp';
  if (before !== undefined && protocol !== before.protocol) {
    throw new OperatorError(`${before.name} is reached by ${before.protocol}: add another carrier for ${protocol}`);
  }
  const password = await readPassword(flags.passwordFile, environment);
  if (password !== undefined && endpoint !== undefined && endpoint.password !== '') {
    throw new OperatorError('the password is given twice: in the URL, and by --password-file or CARRIER_PASSWORD');
  }
  const said = definedOf({
    windowSize: flags.window,
    submitsPerSecond: flags.tps,
    bindCount: flags.binds,
    messageIdFormat: flags.messageId,
    defaultAlphabet: flags.alphabet,
    inDoubtPolicy: flags.inDoubt,
    simulator: flags.simulator,
  });
  const options = { ...before?.options, ...endpoint?.options, ...readOptions(flags, protocol, protocols) };
  const { password: inUrl, ...place } = endpoint ?? {};
  const secret = password ?? (inUrl === '' && before !== undefined ? undefined : inUrl);
  return { ...place, ...said, ...(secret !== undefined && { password: secret }), options };
}

/**
 * The change that returns settings to their defaults.
 *
 * @throws OperatorError naming the flag that has no default
 */
export function unsetFlags(
  names: readonly string[],
  carrier: StoredCarrier,
  protocols: ProtocolOptions,
): CarrierChange {
  let change: CarrierChange = {};
  const options: Record<string, unknown> = { ...carrier.options };
  for (const given of names) {
    const flag = given.replace(/^--/, '');
    const option = protocols[carrier.protocol].find(({ name }) => flagOf(name) === flag);
    if (option !== undefined) delete options[option.name];
    else if (Object.hasOwn(UNSETTABLE, flag)) change = { ...change, ...UNSETTABLE[flag] };
    else throw new OperatorError(`--${flag} cannot be unset: give it another value`);
  }
  return { ...change, options };
}

/** `systemType` as `system-type`. */
export function flagOf(name: string): string {
  return name.replaceAll(/[A-Z]+(?![a-z])|[A-Z]/g, (capitals) => `-${capitals.toLowerCase()}`);
}

function readOptions(
  flags: CarrierFlags,
  protocol: Protocol,
  protocols: ProtocolOptions,
): Readonly<Record<string, unknown>> {
  const known = new Map(protocols[protocol].map((option) => [flagOf(option.name), option]));
  const others = Object.values(protocols).flat();
  const read: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(flags)) {
    const flag = flagOf(key);
    const option = known.get(flag);
    if (option !== undefined) read[option.name] = readOption(flag, option, value);
    else if (others.some(({ name }) => flagOf(name) === flag)) {
      throw new OperatorError(`--${flag} is not for carriers that are reached by ${protocol}`);
    }
  }
  return read;
}

function readOption(flag: string, option: CarrierOption, value: unknown): unknown {
  if (option.value === '') return true;
  try {
    return option.parse(String(value));
  } catch (error) {
    if (error instanceof RangeError) throw new OperatorError(`--${flag}: ${error.message}`);
    throw error;
  }
}

async function readPassword(
  file: string | undefined,
  environment: Readonly<Record<string, string | undefined>>,
): Promise<string | undefined> {
  if (file === undefined) return environment[PASSWORD_VARIABLE];
  // A file from an editor ends with a line break, which is not part of the password.
  return (await readSource(file)).replace(/\r?\n$/, '');
}

/** Only the given values, so that the others stay as they are. */
function definedOf<Values extends object>(values: Values): Partial<Values> {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as Partial<Values>;
}
