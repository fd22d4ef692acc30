import { type ClaimedOrder, type Intent, type Queryable, type SubmitResult, writeDispatch } from '#persistence';

const NOTHING = { claims: [], intents: [], results: [] };
const OWNER = { workerId: 'worker-1', leaseSeconds: 60, inDoubtWaitSeconds: 30 };

interface ClaimOwner {
  readonly workerId: string;
  readonly carrierId: number;
  readonly leaseSeconds: number;
  readonly whole?: boolean;
  readonly format?: string | undefined;
}

/** Claims orders, as a write of a worker that has no intents and no answers. */
export async function claimOrders(
  database: Queryable,
  ids: readonly string[],
  { carrierId, whole = false, format, ...owner }: ClaimOwner,
): Promise<readonly ClaimedOrder[]> {
  const claims = ids.map((id) => ({ id, carrierId, whole, format }));
  return (await writeDispatch(database, { ...NOTHING, claims }, { ...OWNER, ...owner })).claimed;
}

/** Records segments as submitting; one that comes back false must not be submitted. */
export async function recordIntents(database: Queryable, intents: readonly Intent[]): Promise<boolean[]> {
  const { intended } = await writeDispatch(database, { ...NOTHING, intents }, OWNER);
  const nameOf = ({ id, position }: Pick<Intent, 'id' | 'position'>) => `${id}/${position}`;
  const names = new Set(intended.map(nameOf));
  return intents.map((intent) => names.has(nameOf(intent)));
}

/** Records answers, and gives the orders that they moved. */
export async function recordSubmits(database: Queryable, results: readonly SubmitResult[], inDoubtWaitSeconds: number) {
  const { moves } = await writeDispatch(database, { ...NOTHING, results }, { ...OWNER, inDoubtWaitSeconds });
  return moves.map(({ id, state }) => ({ id, state }));
}
