import type { Bench } from '../bench.js';
import { jobOf, singles } from './loads.js';

/** The echo under both generators: a generator whose ceiling is near a figure would be measuring itself. */
export async function compareGenerators(bench: Bench): Promise<void> {
  const job = { ...jobOf(singles(bench, bench.accounts.single)), port: bench.echoPort };
  const unit = 'requests';
  await bench.inTurns([
    { figure: { id: 'generator-own', title: 'echo, own generator', unit }, measure: () => bench.measure(job) },
    {
      figure: { id: 'generator-autocannon', title: 'echo, autocannon', unit, yardstick: 'generator-own' },
      measure: () => bench.measure(job, 'autocannon'),
    },
  ]);
}

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
