// The sandbox of account 1001 is the account -1001 (ADR 37).

/** Whether an account is the sandbox of another one: its messages are tests, and its money is not real. */
export function isSandbox(accountId: string): boolean {
  return accountId.startsWith('-');
}

/** The number of the sandbox of an account; of a sandbox, its own. */
export function sandboxOf(accountId: string): string {
  return isSandbox(accountId) ? accountId : `-${accountId}`;
}

/** The account of a sandbox; of every other account, its own number. */
export function ownerOf(accountId: string): string {
  return isSandbox(accountId) ? accountId.slice(1) : accountId;
}

/** The accounts whose keys somebody with a key of this account may manage: a test key manages test keys only. */
export function managedAccounts(accountId: string): readonly string[] {
  return isSandbox(accountId) ? [accountId] : [accountId, sandboxOf(accountId)];
}
