import type { PooledCarrier } from './pooled-carrier.js';

/** Submits a second for this worker: its part of what the carrier's contract allows all workers. */
export function workerRate({ stored, bindsHeld }: PooledCarrier, liveWorkers: number): number | undefined {
  const { submitsPerSecond, bindCount } = stored;
  if (submitsPerSecond === undefined) return undefined;
  if (bindCount === undefined) return submitsPerSecond / liveWorkers;
  return (submitsPerSecond * Math.max(1, Math.min(bindsHeld, bindCount))) / bindCount;
}
