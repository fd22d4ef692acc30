import type { Queryable } from '../database/database.js';

/** Who may count the messages of an hour by itself. */
export interface VelocityShare {
  /** The hour, and the time of the answer, by the database's clock, in milliseconds since 1970. */
  readonly hourMs: number;
  readonly nowMs: number;
  /** Gateways that have equal shares of the half of each limit. */
  readonly holders: number;
  /** Whether this gateway is one of them. */
  readonly holds: boolean;
}

/** Asks for a share of this hour, and of the next one when that is near. */
export async function shareVelocity(database: Queryable, gatewayId: string): Promise<VelocityShare> {
  const [row] = await database.query<VelocityShare>(
    `select hour_ms as "hourMs", now_ms as "nowMs", holders, holds from share_velocity($1)`,
    [gatewayId],
  );
  if (row === undefined) throw new Error('unreachable: a function has a result');
  return row;
}
