import { useSession } from '../session/use-session.js';

/** Of whom this tab keeps things: an account and its sandbox have the same id, but other messages and other money. */
export function useTabKey(): string {
  const { accountId, test } = useSession();
  return test ? `${accountId}-test` : accountId;
}
