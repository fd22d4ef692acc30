import { type Command, Option } from 'commander';
import type { CarrierOption } from '#carrier';
import type { CarrierWishes } from '#operations';
import { MESSAGE_ID_FORMATS, OperatorError } from '#persistence';
import { count } from './arguments.js';
import { readSource } from './read-source.js';

export type ProtocolOptions = Readonly<Record<string, readonly CarrierOption[]>>;

/** The settings of every carrier, as flags; a missing flag changes nothing. */
interface CommonFlags {
  url?: string;
  window?: number;
  tps?: number;
  binds?: number;
  messageId?: CarrierWishes['messageId'];
  alphabet?: CarrierWishes['alphabet'];
  inDoubt?: CarrierWishes['inDoubt'];
  passwordFile?: string;
  simulator?: boolean;
}

/** Every flag by the name that commander gives it. */
export type CarrierFlags = CommonFlags & Readonly<Record<string, unknown>>;

/** The variable for a password, so that it does not appear in a list of processes. */
const PASSWORD_VARIABLE = 'CARRIER_PASSWORD';

/** What `--unset` returns to its default, beside the options of the protocol. */
const UNSETTABLE: Readonly<Record<string, CarrierWishes>> = {
  tps: { tps: null },
  binds: { binds: null },
  simulator: { simulator: false },
};

/** Every carrier has a value of these. */
const WITH_VALUE: readonly string[] = ['url', 'window', 'message-id', 'alphabet', 'in-doubt', 'password-file'];

/** Adds a flag for each setting of a carrier and for each option of each protocol. */
export function addCarrierFlags(command: Command, protocols: ProtocolOptions): Command {
  command
    .option('--window <n>', 'submits of each bind that may be unanswered (default: 10)', count)
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
  const named = new Map<string, { readonly flag: string; readonly protocolsOf: Map<string, string[]> }>();
  for (const [protocol, options] of Object.entries(protocols)) {
    for (const { name, value, description } of options) {
      const flag = `--${flagOf(name)}${value === '' ? '' : ` ${value}`}`;
      const { protocolsOf } = named.get(name) ?? { protocolsOf: new Map<string, string[]>() };
      protocolsOf.set(description, [...(protocolsOf.get(description) ?? []), protocol]);
      named.set(name, { flag, protocolsOf });
    }
  }
  for (const { flag, protocolsOf } of named.values()) {
    command.option(flag, [...protocolsOf].map(([description, of]) => `${of.join(', ')}: ${description}`).join('; '));
  }
  return command;
}

/**
 * What the flags ask for.
 *
 * @param unset the flags whose settings go back to their defaults
 * @throws OperatorError naming the flag that is wrong
 */
export async function readCarrierFlags(
  { url, flags, unset = [] }: { readonly url?: string | undefined; flags: CarrierFlags; unset?: readonly string[] },
  protocols: ProtocolOptions,
  environment: Readonly<Record<string, string | undefined>>,
): Promise<CarrierWishes> {
  const { window, tps, binds, messageId, alphabet, inDoubt, simulator } = flags;
  const password = await readPassword(flags.passwordFile, environment);
  if (password !== undefined && url !== undefined && /:\/\/[^:@/]*:[^@]+@/.test(url)) {
    throw new OperatorError('the password is given twice: in the URL, and by --password-file or CARRIER_PASSWORD');
  }
  const options: Record<string, string | boolean | null> = await readOptions(flags, protocols);
  let wishes: CarrierWishes = { url, password, window, tps, binds, messageId, alphabet, inDoubt, simulator };
  for (const given of unset) {
    const flag = given.replace(/^--/, '');
    const [option] = optionsOf(flag, protocols);
    if (Object.keys(flags).some((name) => flagOf(name) === flag))
      throw new OperatorError(`--${flag} is given, and --unset ${flag} as well: give one of them`);
    if (option !== undefined) options[option.name] = null;
    else if (Object.hasOwn(UNSETTABLE, flag)) wishes = { ...wishes, ...UNSETTABLE[flag] };
    else if (WITH_VALUE.includes(flag)) throw new OperatorError(`--${flag} cannot be unset: give it another value`);
    else throw new OperatorError(`--unset ${flag}: a carrier has no option of this name`);
  }
  return { ...wishes, ...(Object.keys(options).length > 0 && { options }) };
}

/** `systemType` as `system-type`. */
export function flagOf(name: string): string {
  return name.replaceAll(/[A-Z]+(?![a-z])|[A-Z]/g, (capitals) => `-${capitals.toLowerCase()}`);
}

/**
 * The options of protocols among the flags; the service checks whether they are of the carrier's protocol. A file is
 * read here, because the service may run on another machine.
 */
async function readOptions(flags: CarrierFlags, protocols: ProtocolOptions): Promise<Record<string, string | boolean>> {
  const options: Record<string, string | boolean> = {};
  for (const [key, given] of Object.entries(flags)) {
    const flag = flagOf(key);
    const known = optionsOf(flag, protocols);
    const [option] = known;
    if (option === undefined) continue;
    const value = option.value === '<file>' ? await readSource(String(given)) : String(given);
    if (option.value !== '') checkOption(flag, known, value);
    options[option.name] = option.value === '' || value;
  }
  return options;
}

function optionsOf(flag: string, protocols: ProtocolOptions): CarrierOption[] {
  return Object.values(protocols)
    .flat()
    .filter(({ name }) => flagOf(name) === flag);
}

/** A value that no protocol takes is told with its flag. */
function checkOption(flag: string, options: readonly CarrierOption[], value: string): void {
  const faults = options.flatMap((option) => {
    try {
      option.parse(value);
      return [];
    } catch (error) {
      if (error instanceof RangeError) return [error.message];
      throw error;
    }
  });
  if (faults.length === options.length) throw new OperatorError(`--${flag}: ${faults[0]}`);
}

async function readPassword(
  file: string | undefined,
  environment: Readonly<Record<string, string | undefined>>,
): Promise<string | undefined> {
  if (file === undefined) return environment[PASSWORD_VARIABLE];
  // A file from an editor ends with a line break, which is not part of the password.
  const password = (await readSource(file)).replace(/\r?\n$/, '');
  if (password === '') throw new OperatorError(`--password-file: ${file} has no password`);
  return password;
}
