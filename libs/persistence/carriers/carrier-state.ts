import type { LiveProcess } from '../database/heartbeat.js';
import type { StoredCarrier } from './carrier-settings.js';

/** The state of a carrier, from the heartbeats of the live workers. */
export interface CarrierState {
  /** `unused`: no live worker has it. `excluded`: a simulator that takes nothing beside the real carriers. */
  readonly state: 'bound' | 'throttled' | 'down' | 'paused' | 'excluded' | 'unused';
  readonly workersBound: number;
  readonly workers: number;
  /** Connections that are up, and how many there should be. */
  readonly bindsUp: number;
  readonly bindsWanted: number;
  /** Jobs on its own queue, of up to 50 messages each; undefined if no live worker could ask the queue. */
  readonly waitingJobs: number | undefined;
  /** Why a connection to it last ended or failed, over all live workers. */
  readonly lastError: CarrierError | undefined;
  /** Segments a second that it has lately taken from all workers together. */
  readonly segmentsPerSecond: number;
  /** Jobs of its queue a second that all workers together have lately ended. */
  readonly jobsPerSecond: number;
}

export interface CarrierError {
  readonly reason: string;
  readonly at: Date;
}

/** The part of a worker's heartbeat about carriers. */
interface ReportedCarrier {
  readonly name: string;
  readonly state: string;
  readonly readiness?: string;
  readonly bindsHeld?: number | null;
  readonly waitingJobs?: number | null;
  readonly lastError?: { readonly reason: string; readonly at: string } | null;
  readonly pace?: number;
  /** Not from a worker of an earlier version. */
  readonly jobPace?: number;
  readonly binds?: readonly Omit<WorkerBind, 'worker'>[];
}

/** A bind, as its worker reports it. */
interface WorkerBind {
  readonly worker: string;
  readonly role: string;
  readonly state: string;
  readonly boundSince: string | null;
  /** Slots of its window that are taken; undefined from a worker of an earlier version. */
  readonly slotsInUse?: number;
}

export function carrierState(carrier: StoredCarrier, workers: readonly LiveProcess[]): CarrierState {
  const reports = workers.flatMap((worker) => reportsOf(worker, carrier.name));
  const bound = reports.filter((report) => report.state === 'bound');
  const isExcluded = carrier.simulator && reports.some(({ readiness }) => readiness === 'excluded');
  const areAllThrottled = bound.length > 0 && bound.every(({ readiness }) => readiness === 'throttled');
  const state = bound.length > 0 ? (areAllThrottled ? 'throttled' : 'bound') : reports.length > 0 ? 'down' : 'unused';
  return {
    state: carrier.paused ? 'paused' : isExcluded ? 'excluded' : state,
    workersBound: bound.length,
    workers: workers.length,
    bindsUp: reports.reduce((sum, report) => sum + bindsUp(report), 0),
    bindsWanted: carrier.bindCount ?? workers.length,
    waitingJobs: reports.find(({ waitingJobs }) => typeof waitingJobs === 'number')?.waitingJobs ?? undefined,
    lastError: lastErrorOf(reports),
    segmentsPerSecond: reports.reduce((sum, { pace = 0 }) => sum + pace, 0),
    jobsPerSecond: tenths(reports.reduce((sum, { jobPace = 0 }) => sum + jobPace, 0)),
  };
}

function lastErrorOf(reports: readonly ReportedCarrier[]): CarrierError | undefined {
  const errors = reports.flatMap(({ lastError }) =>
    lastError ? [{ reason: lastError.reason, at: new Date(lastError.at) }] : [],
  );
  return errors.sort((a, b) => b.at.getTime() - a.at.getTime())[0];
}

/** The carriers in sum: `up` if every carrier that should take messages can, `down` if none can. */
export function carriersInSum(
  carriers: readonly StoredCarrier[],
  workers: readonly LiveProcess[],
): 'up' | 'partly' | 'down' | 'none' {
  const states = carriers
    .map((carrier) => carrierState(carrier, workers).state)
    .filter((state) => state !== 'paused' && state !== 'excluded');
  if (states.length === 0) return 'none';
  const up = states.filter((state) => state === 'bound' || state === 'throttled').length;
  if (up === 0) return 'down';
  return up === states.length ? 'up' : 'partly';
}

/** The binds of a carrier, worker by worker. */
export function workerBinds(name: string, workers: readonly LiveProcess[]): WorkerBind[] {
  return workers.flatMap((worker) =>
    reportsOf(worker, name).flatMap(({ state, binds, bindsHeld }) => {
      if (binds !== undefined && binds.length > 0) return binds.map((bind) => ({ worker: worker.processId, ...bind }));
      // A carrier without a list of binds has one connection, or none because other workers have them all.
      const role = bindsHeld === 0 ? 'none' : 'connection';
      return [{ worker: worker.processId, role, state: bindsHeld === 0 ? 'held by others' : state, boundSince: null }];
    }),
  );
}

function bindsUp({ state, binds }: ReportedCarrier): number {
  // The receiver of a pair submits nothing, so it does not count.
  const submitting = binds?.filter(({ role }) => role !== 'receiver') ?? [];
  if (submitting.length > 0) return submitting.filter((bind) => bind.state === 'bound').length;
  return state === 'bound' ? 1 : 0;
}

/**
 * Whether the queues gave a worker no answer in time when it last reported. Workers of 0.2.0, which report no
 * `jobPace`, do not tell.
 */
export function lacksQueues(worker: LiveProcess): boolean {
  const reports = reportedCarriers(worker);
  return reports.length > 0 && reports.every((report) => report.waitingJobs === null && report.jobPace !== undefined);
}

function reportsOf(worker: LiveProcess, name: string): ReportedCarrier[] {
  return reportedCarriers(worker).filter((report) => report.name === name);
}

/** What a worker said of its carriers in its last heartbeat. */
export function reportedCarriers({ details }: LiveProcess): ReportedCarrier[] {
  return Array.isArray(details.carriers) ? (details.carriers as ReportedCarrier[]) : [];
}

/** Sums of tenths are not always tenths. */
function tenths(value: number): number {
  return Math.round(value * 10) / 10;
}
