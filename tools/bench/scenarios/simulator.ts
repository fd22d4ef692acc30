import type { Bench } from '../bench.js';
import type { Window } from '../figures.js';

/**
 * submit_sm with receipts, straight to the simulator on one bind with the carrier's window: what it takes has to be far above every
 * other figure, or those would be its own.
 */
export async function measureSimulator(bench: Bench): Promise<void> {
  await bench.service.stopWorker();
  const { warmupMs, windowMs, carrierWindow, windows: rounds } = bench.options;
  const job = { port: bench.service.simulatorPort, binds: 1, window: carrierWindow, warmupMs, windowMs };
  const windows: Window[] = [];
  const receipts: number[] = [];
  const microseconds: number[] = [];
  for (let round = 0; round < rounds; round++) {
    const { result, cores, elapsedMs } = await bench.watchCores(() => bench.generator.submit(job));
    const seconds = result.windowMs / 1_000;
    const { p50Ms, p99Ms, unexpected } = result;
    windows.push({ perSecond: result.answered / seconds, p50Ms, p99Ms, unexpected, cores });
    receipts.push((result.receipts ?? 0) / seconds);
    microseconds.push(((cores['carrier-simulator'] ?? Number.NaN) * elapsedMs * 1_000) / result.answeredInAll);
  }
  bench.add({
    id: 'simulator',
    title: 'submits taken by the simulator',
    unit: 'messages',
    windows,
    notes: { receiptsPerSecond: receipts, simulatorMicrosecondsPerMessage: microseconds },
  });
}
