import {
  type Database,
  type DispatchHold,
  findAccount,
  findHold,
  type HeldOrders,
  listHeldOrders,
  OperatorError,
  type Resolution,
  releaseHold,
  resolveHeldOrders,
  setHold,
  settleReceiptedOrders,
} from '#persistence';
import { checkPeriod, momentOf } from './wire.js';

/** To count or resolve held messages, the statement reads every open message. */
export const HOLD_TIMEOUT_MS = 120_000;
const IN_DOUBT_WAIT_SECONDS = 30;

/** The hold, and what it keeps back by account and state. */
type HoldAnswer =
  | { readonly isActive: false }
  | (DispatchHold & { readonly isActive: true; readonly messages: number; readonly held: readonly HeldOrders[] });

interface HoldResolved {
  readonly as: Resolution;
  readonly resolved: number;
  /** Messages with a receipt needed no decision. */
  readonly byReceipt: number;
  readonly left: number;
}

export async function holdShow(database: Database): Promise<HoldAnswer> {
  const active = await findHold(database);
  if (active === undefined) return { isActive: false };
  await settleReceiptedOrders(database, IN_DOUBT_WAIT_SECONDS);
  const held = await listHeldOrders(database);
  return { isActive: true, ...active, messages: countOf(held), held };
}

/** @param wanted `before`: of messages accepted before it; now if it is left out */
export function holdSet(
  database: Database,
  { reason, before }: { readonly reason: string; readonly before?: string | undefined },
): Promise<DispatchHold> {
  return setHold(database, reason, momentOf(before));
}

/**
 * @throws OperatorError when no hold is active, there is no such account, the carrier has to be named, or the period
 * ends before it begins
 */
export async function holdResolve(
  database: Database,
  wanted: {
    readonly as: Resolution;
    readonly account?: string | undefined;
    readonly from?: string | undefined;
    readonly to?: string | undefined;
    readonly state?: 'queued' | 'sending' | undefined;
    readonly carrier?: string | undefined;
  },
): Promise<HoldResolved> {
  const { as, account, from, to, state, carrier } = wanted;
  if (carrier !== undefined && as !== 'unknown')
    throw new OperatorError('a carrier can be given only with the decision `unknown`');
  checkPeriod(from, to);
  if (account !== undefined) await findAccount(database, account);
  const byReceipt = await settleReceiptedOrders(database, IN_DOUBT_WAIT_SECONDS);
  const selection = { accountId: account, from: momentOf(from), to: momentOf(to), state };
  const resolved = await resolveHeldOrders(database, as, selection, carrier);
  return { as, resolved, byReceipt, left: countOf(await listHeldOrders(database)) };
}

export async function holdRelease(database: Database): Promise<{ readonly released: number }> {
  return { released: await releaseHold(database) };
}

function countOf(held: readonly HeldOrders[]): number {
  return held.reduce((sum, { orders }) => sum + orders, 0);
}
