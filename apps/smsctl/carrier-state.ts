import type { Heartbeat, StoredCarrier } from '#persistence';

/** How a carrier stands, by what the live workers say. */
export interface CarrierState {
  /** `unused`: no live worker has it. */
  readonly state: 'bound' | 'down' | 'paused' | 'unused';
  readonly workersBound: number;
  readonly workers: number;
}

/** The part of a worker's heartbeat that speaks of carriers. */
interface ReportedCarrier {
  readonly name: string;
  readonly state: string;
}

export function carrierState(carrier: StoredCarrier, workers: readonly Heartbeat[]): CarrierState {
  const reports = workers
    .flatMap((worker) => (Array.isArray(worker.details.carriers) ? (worker.details.carriers as ReportedCarrier[]) : []))
    .filter((report) => report.name === carrier.name);
  const workersBound = reports.filter((report) => report.state === 'bound').length;
  const state = workersBound > 0 ? 'bound' : reports.length > 0 ? 'down' : 'unused';
  return { state: carrier.paused ? 'paused' : state, workersBound, workers: workers.length };
}
