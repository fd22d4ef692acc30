import type { BindState } from '#carrier';
import type { PooledCarrier } from './pooled-carrier.js';

/** A worker's report on one carrier, in its heartbeat. */
export interface ReportedCarrier {
  readonly name: string;
  readonly state: BindState;
  readonly paused: boolean;
  /** Why the worker cannot connect to it at all; null if it can. */
  readonly fault: string | null;
  /** The latest reason why a connection ended or failed. */
  readonly lastError: { readonly reason: string; readonly at: string } | null;
  /** Its readiness, as the router sees it. */
  readonly readiness: string;
  /** Binds that this worker may have; null if each worker has its own. */
  readonly bindsHeld: number | null;
  /** Jobs that wait on its queue; null where the queue cannot be asked. */
  readonly waitingJobs: number | null;
  /** Segments a second that it has lately taken from this worker. */
  readonly pace: number;
  /** Jobs of its queue a second that this worker has lately ended. */
  readonly jobPace: number;
  readonly binds: readonly {
    readonly role: string;
    readonly state: BindState;
    readonly boundSince: string | null;
    readonly slotsInUse: number;
  }[];
}

export function reportOf(pooled: PooledCarrier, waitingJobs: number | undefined): ReportedCarrier {
  return {
    name: pooled.stored.name,
    state: pooled.state,
    paused: pooled.stored.paused,
    fault: pooled.fault ?? null,
    lastError: pooled.lastError ? { reason: pooled.lastError.reason, at: pooled.lastError.at.toISOString() } : null,
    readiness: pooled.readiness,
    bindsHeld: pooled.isShared ? pooled.bindsHeld : null,
    waitingJobs: waitingJobs ?? null,
    pace: Math.round(pooled.pace.perSecond),
    jobPace: Math.round(pooled.jobPace.perSecond * 10) / 10,
    binds: (pooled.carrier?.bindStates ?? []).map(({ role, state, boundSince, slotsInUse }) => ({
      role,
      state,
      boundSince: boundSince?.toISOString() ?? null,
      slotsInUse,
    })),
  };
}
