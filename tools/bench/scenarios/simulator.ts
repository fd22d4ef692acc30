import type { Bench } from '../bench.js';

/**
 * submit_sm with receipts, straight to the simulator on one bind with the carrier's window: what it takes has to be far
 * above every other figure, or those would be its own.
 */
export async function measureSimulator(bench: Bench): Promise<void> {
  await bench.service.stopWorker();
  const { warmupMs, windowMs, carrierWindow } = bench.options;
  const job = { port: bench.service.simulatorPort, window: carrierWindow, warmupMs, windowMs };
  await bench.inTurns([
    {
      figure: { id: 'simulator', title: 'submits taken by the simulator', unit: 'messages' },
      measure: async () => {
        const { result, cores, elapsedMs } = await bench.watchCores(() => bench.generator.submit(job));
        const seconds = result.windowMs / 1_000;
        const busyUs = (cores['carrier-simulator'] ?? Number.NaN) * elapsedMs * 1_000;
        return {
          window: { ...result, perSecond: result.answered / seconds, cores },
          notes: {
            receiptsPerSecond: (result.receipts ?? 0) / seconds,
            simulatorMicrosecondsPerMessage: busyUs / result.answeredInAll,
          },
        };
      },
    },
  ]);
}
