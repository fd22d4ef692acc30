import { GUARD_NAMES, type GuardName, type GuardSettings, parseRecipient } from '#billing';
import {
  ALL_ACCOUNTS,
  clearGuards,
  type Database,
  findAccount,
  findGuards,
  findSuppression,
  type GuardChange,
  type GuardOverview,
  type GuardSimulation,
  listGuards,
  listSuppressions,
  OperatorError,
  SUPPRESSION_REASON_LENGTH_MAX,
  type Suppressed,
  type Suppression,
  setGuards,
  simulateGuards,
  suppress,
  unsuppress,
} from '#persistence';
import { type Page, type Paging, pageBy } from './wire.js';

/** A simulation reads every message of its days. */
export const SIMULATION_TIMEOUT_MS = 120_000;

/** `all` in place of an account: those that have none of their own. */
interface OfGuards {
  readonly accountId: string;
}

/** The guards of an account, and those for all, which hold where it has none of its own. */
interface GuardAnswer {
  readonly accountId: string;
  readonly name: string | null;
  readonly currency: string | null;
  readonly own: GuardSettings;
  readonly forAll: GuardSettings;
}

export async function guardList(database: Database): Promise<readonly GuardAnswer[]> {
  return (await listGuards(database)).map(guardAnswer);
}

export async function guardShow(database: Database, { accountId }: OfGuards): Promise<GuardAnswer> {
  return guardAnswer(await findGuards(database, idOf(accountId)));
}

export async function guardSet(
  database: Database,
  { accountId, ...change }: OfGuards & GuardChange,
): Promise<GuardAnswer> {
  return guardAnswer(await setGuards(database, idOf(accountId), change));
}

/** @throws OperatorError when a guard has no such name */
export async function guardClear(
  database: Database,
  { accountId, guards }: OfGuards & { readonly guards?: string | undefined },
): Promise<GuardAnswer> {
  return guardAnswer(await clearGuards(database, idOf(accountId), guards === undefined ? [] : namesOf(guards)));
}

/** What the guards of an account, with a change of them, would have refused in the last days. */
export function guardSimulate(
  database: Database,
  { accountId, days, ...change }: OfGuards & GuardChange & { readonly days: number },
): Promise<readonly GuardSimulation[]> {
  return simulateGuards(database, idOf(accountId), days, change);
}

interface OfNumber {
  readonly accountId: string;
  readonly number: string;
}

/** @throws OperatorError when the number or the reason is none, or there is no such account */
export async function suppressionAdd(
  database: Database,
  { accountId, number, reason }: OfNumber & { readonly reason?: string | undefined },
): Promise<Suppressed> {
  const { length } = reason ?? '-';
  if (length < 1 || length > SUPPRESSION_REASON_LENGTH_MAX)
    throw new OperatorError(`a reason has 1 to ${SUPPRESSION_REASON_LENGTH_MAX} characters`);
  return suppress(database, accountId, digitsOf(number), { source: 'operator', reason });
}

/** @throws OperatorError when the number is none, or there is no such account */
export async function suppressionRemove(
  database: Database,
  { accountId, number }: OfNumber,
): Promise<{ readonly isRemoved: boolean }> {
  return { isRemoved: await unsuppress(database, accountId, digitsOf(number), 'operator') };
}

interface SuppressionAnswer extends Omit<Suppression, 'reason'> {
  readonly reason: string | null;
}

/** The newest first; with a number only its entry, if it has one. */
export async function suppressionList(
  database: Database,
  { accountId, number, ...paging }: Paging & { accountId: string; number?: string | undefined },
): Promise<Page<SuppressionAnswer>> {
  await findAccount(database, accountId);
  if (number !== undefined) {
    const found = await findSuppression(database, accountId, digitsOf(number));
    return { data: found === undefined ? [] : [suppressionAnswer(found)], next: null };
  }
  return pageBy(
    paging,
    (limit, after) => listSuppressions(database, accountId, limit, after),
    ({ place }) => place,
    ({ place: _place, ...entry }) => suppressionAnswer(entry),
  );
}

function idOf(accountId: string): string {
  return accountId === 'all' ? ALL_ACCOUNTS : accountId;
}

function namesOf(text: string): GuardName[] {
  return text.split(',').map((word) => {
    const name = GUARD_NAMES.find((one) => one === word.trim());
    if (name === undefined) throw new OperatorError(`there is no guard ${word}; there are ${GUARD_NAMES.join(', ')}`);
    return name;
  });
}

function digitsOf(number: string): string {
  const digits = parseRecipient(number);
  if (digits === undefined)
    throw new OperatorError('the number is not an international phone number of 7 to 15 digits');
  return digits;
}

function guardAnswer({ accountId, name, currency, own, forAll }: GuardOverview): GuardAnswer {
  return {
    accountId: accountId === ALL_ACCOUNTS ? 'all' : accountId,
    name: name ?? null,
    currency: currency ?? null,
    own,
    forAll,
  };
}

function suppressionAnswer({ reason, ...entry }: Suppression): SuppressionAnswer {
  return { ...entry, reason: reason ?? null };
}
