import {
  addOperator,
  addToken,
  type Database,
  disableOperator,
  enableOperator,
  listOperators,
  listTokens,
  type NewPassword,
  type OperatorOverview,
  type OperatorRole,
  type OperatorToken,
  removeOperator,
  resetOperator,
  revokeToken,
  setOperatorRole,
} from '#persistence';

/** Somebody who operates the service. */
interface OperatorAnswer extends Omit<OperatorOverview, 'lastSignInAt' | 'lockedUntil'> {
  readonly lastSignInAt: Date | null;
  readonly lockedUntil: Date | null;
}

/** The same with a password for the next sign-in, which is shown once. */
interface OperatorWithPassword extends OperatorAnswer {
  readonly password: string;
}

/** What a program signs in with. */
interface TokenAnswer extends Omit<OperatorToken, 'lastUsedAt' | 'revokedAt'> {
  readonly lastUsedAt: Date | null;
  readonly revokedAt: Date | null;
}

/** The same with its text, which is shown once. */
interface NewTokenAnswer extends TokenAnswer {
  readonly token: string;
}

export async function operatorList(database: Database): Promise<{ readonly data: readonly OperatorAnswer[] }> {
  return { data: (await listOperators(database)).map(operatorAnswer) };
}

/** @throws OperatorError when the name is not valid or taken */
export async function operatorAdd(
  database: Database,
  { name, role }: { readonly name: string; readonly role: OperatorRole },
): Promise<OperatorWithPassword> {
  return withPassword(await addOperator(database, name, role));
}

/** @throws OperatorError when nobody has the name, or it is the last admin's */
export async function operatorRole(
  database: Database,
  { name, role }: { readonly name: string; readonly role: OperatorRole },
): Promise<OperatorAnswer> {
  return operatorAnswer(await setOperatorRole(database, name, role));
}

/** @throws OperatorError when nobody has the name */
export async function operatorReset(
  database: Database,
  { name }: { readonly name: string },
): Promise<OperatorWithPassword> {
  return withPassword(await resetOperator(database, name));
}

/** @throws OperatorError when nobody has the name, or it is the last admin's */
export async function operatorDisable(
  database: Database,
  { name }: { readonly name: string },
): Promise<OperatorAnswer> {
  return operatorAnswer(await disableOperator(database, name));
}

/** @throws OperatorError when nobody has the name */
export async function operatorEnable(database: Database, { name }: { readonly name: string }): Promise<OperatorAnswer> {
  return operatorAnswer(await enableOperator(database, name));
}

/** @throws OperatorError when nobody has the name, or it is the last admin's */
export function operatorRemove(database: Database, { name }: { readonly name: string }): Promise<void> {
  return removeOperator(database, name);
}

/** The newest first. */
export async function tokenList(database: Database): Promise<{ readonly data: readonly TokenAnswer[] }> {
  return { data: (await listTokens(database)).map(tokenAnswer) };
}

/**
 * Makes a token in the name of whoever the database acts for.
 *
 * @throws OperatorError when the name or the expiry is not valid
 */
export async function tokenAdd(
  database: Database,
  { name, role, expiresAt }: { readonly name: string; readonly role: OperatorRole; readonly expiresAt: string },
): Promise<NewTokenAnswer> {
  const madeBy = database.actor?.operator ?? 'unknown';
  const { token, ...made } = await addToken(database, { name, role, expiresAt: new Date(expiresAt) }, madeBy);
  return { ...tokenAnswer(made), token };
}

/** @throws OperatorError when there is no such token */
export async function tokenRevoke(database: Database, { tokenId }: { readonly tokenId: string }): Promise<TokenAnswer> {
  return tokenAnswer(await revokeToken(database, tokenId));
}

function withPassword({ operator, password }: NewPassword): OperatorWithPassword {
  return { ...operatorAnswer(operator), password };
}

function operatorAnswer(operator: OperatorOverview): OperatorAnswer {
  return { ...operator, lastSignInAt: operator.lastSignInAt ?? null, lockedUntil: operator.lockedUntil ?? null };
}

function tokenAnswer(token: OperatorToken): TokenAnswer {
  return { ...token, lastUsedAt: token.lastUsedAt ?? null, revokedAt: token.revokedAt ?? null };
}
