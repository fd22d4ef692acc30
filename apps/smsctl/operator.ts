import { isIPv4 } from 'node:net';
import { hostname, userInfo } from 'node:os';
import { shellWord } from '#config/light';
import type { OperatorActor } from '#persistence';
import type { Environment } from './locate-servers.js';

const COMMAND_LENGTH_MAX = 2_000;
/** Options whose values are not recorded: secrets, and texts of messages. */
const SECRET_OPTION =
  /^--text$|^--[a-z-]*(password|passphrase|secret|token|private)[a-z-]*$|^--(?:[a-z-]+-)?key(-pem)?$/;
/** The digits of a number of a recipient, as people write them: amounts and ids of accounts are shorter. */
const NUMBER = /^(?:\+|00)?\d{9,15}$/;
const AMOUNT = /^[-+]?\d+\.\d+$/;
/** An API key, or a program's token: what stands before its secret, and in it the id. */
const WHOLE_KEY = /^((?:hg_(?:test_)?|hgo_)([0-9a-z]{8})_).*/;
/** Options whose value is the name of a file, not its content. */
const FILE_OPTION = /-file$/;

/** The id of a key or a token. Whoever has found a leaked one has the whole of it. */
export function idOfKey(text: string): string {
  return WHOLE_KEY.exec(text)?.[2] ?? text;
}

/** The operator who runs this command, and from where: stored with each change that the command makes. */
export function operatorOf(environment: Environment, args: readonly string[]): OperatorActor {
  const sshClient = (environment.SSH_CONNECTION ?? environment.SSH_CLIENT)?.split(' ')[0];
  return {
    operator: personOf(environment),
    host: hostname(),
    ...(sshClient !== undefined && sshClient !== '' && { sshClient }),
    command: commandWithoutSecrets(args),
  };
}

/** The user of the operating system; under sudo also the user who called it. */
function personOf(environment: Environment): string {
  const user = systemUser(environment);
  const caller = environment.SUDO_USER;
  return caller === undefined || caller === '' || caller === user ? user : `${caller} (as ${user})`;
}

/** In a container a user may have a number and no name. */
function systemUser(environment: Environment): string {
  try {
    return userInfo().username;
  } catch {
    return environment.USER || environment.LOGNAME || `uid ${process.getuid?.() ?? 'unknown'}`;
  }
}

/** The command line without passwords in URLs or options, and without numbers of recipients. */
function commandWithoutSecrets(args: readonly string[]): string {
  const words = args.map((word, index) => {
    const [option = '', value] = word.startsWith('--') ? splitOnce(word) : ['', undefined];
    if (value !== undefined && isSecretOption(option)) return `${option}=***`;
    if (isSecretOption(args[index - 1] ?? '') && !word.startsWith('--')) return '***';
    if (value !== undefined && isNumber(value)) return `${option}=${value.slice(0, 5)}***`;
    return isNumber(word) ? `${word.slice(0, 5)}***` : withoutUrlSecrets(word.replace(WHOLE_KEY, '$1***'));
  });
  return ['smsctl', ...words.map(shellWord)].join(' ').slice(0, COMMAND_LENGTH_MAX);
}

function isNumber(word: string): boolean {
  return !AMOUNT.test(word) && !isIPv4(word) && NUMBER.test(word.replaceAll(/[ .()-]/g, ''));
}

function isSecretOption(option: string): boolean {
  return SECRET_OPTION.test(option) && !FILE_OPTION.test(option);
}

function withoutUrlSecrets(word: string): string {
  return word
    .replaceAll(/(:\/\/[^:@\s]*):\S*@/g, '$1:***@')
    .replaceAll(/([?&][^=&]*(?:password|secret|token|key)[^=&]*=)[^&]*/gi, '$1***');
}

function splitOnce(word: string): [string, string | undefined] {
  const at = word.indexOf('=');
  return at < 0 ? [word, undefined] : [word.slice(0, at), word.slice(at + 1)];
}
