import { lineForm } from '#billing';
import { isNetwork } from '#config/light';
import { OperatorError } from '../operators/operator-error.js';

/** What a key may do: send and quote; read the account; manage the keys of the account. */
export const KEY_SCOPES = ['send', 'read', 'manage'] as const;
export type KeyScope = (typeof KEY_SCOPES)[number];

/** What a key may do, from where and until when. */
export interface KeySettings {
  /** For people; empty if nobody gave one. */
  readonly name: string;
  readonly scopes: readonly KeyScope[];
  /** Addresses and networks from which it may be used; none: from anywhere. */
  readonly networks: readonly string[];
  /** undefined: never. */
  readonly expiresAt: Date | undefined;
}

export const KEY_NAME_LENGTH_MAX = 100;
export const KEY_NETWORKS_MAX = 50;

const LIST = new Intl.ListFormat('en-GB');
const NAME = lineForm(1, KEY_NAME_LENGTH_MAX);

/** The fault of a name, for people; undefined if there is none. */
export function keyNameProblem(name: unknown): string | undefined {
  const isName = typeof name === 'string' && NAME.test(name) && name.trim() !== '';
  return isName ? undefined : `must have 1 to ${KEY_NAME_LENGTH_MAX} printable characters`;
}

/** The fault of a list of scopes, for people; undefined if there is none. */
export function keyScopesProblem(scopes: unknown): string | undefined {
  const isList = Array.isArray(scopes) && scopes.length > 0 && scopes.every((scope) => KEY_SCOPES.includes(scope));
  return isList ? undefined : `must be a list of at least one of ${LIST.format(KEY_SCOPES)}`;
}

/** The fault of a list of networks, for people; undefined if there is none. */
export function keyNetworksProblem(networks: unknown): string | undefined {
  const form = `must be a list of at most ${KEY_NETWORKS_MAX} IP addresses and networks like 192.0.2.0/24`;
  if (!Array.isArray(networks) || networks.length > KEY_NETWORKS_MAX) return form;
  const wrong: unknown = networks.find((one) => typeof one !== 'string' || !isNetwork(one));
  return wrong === undefined ? undefined : `${form}; not ${JSON.stringify(wrong)?.slice(0, 64)}`;
}

/** @throws OperatorError when a setting is not valid */
export function checkedKeySettings(settings: KeySettings): KeySettings {
  const { name, scopes, networks, expiresAt } = settings;
  const [problem] = [
    name === '' ? undefined : told('the name', keyNameProblem(name)),
    told('the scopes', keyScopesProblem(scopes)),
    told('the networks', keyNetworksProblem(networks)),
    expiresAt === undefined || expiresAt.getTime() > Date.now()
      ? undefined
      : 'the time at which a key expires lies in the future',
  ].filter((one) => one !== undefined);
  if (problem !== undefined) throw new OperatorError(problem);
  return { name: name.trim(), scopes: KEY_SCOPES.filter((scope) => scopes.includes(scope)), networks, expiresAt };
}

function told(what: string, problem: string | undefined): string | undefined {
  return problem === undefined ? undefined : `${what} ${problem}`;
}
