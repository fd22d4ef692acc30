import type { Bench } from '../bench.js';
import { singles, toEcho } from './loads.js';

/** The echo under both generators: a generator whose ceiling is near a figure would be measuring itself. */
export async function compareGenerators(bench: Bench): Promise<void> {
  const load = toEcho(bench, singles(bench, bench.accounts.single));
  const unit = 'requests';
  await bench.inTurns([
    { id: 'generator-own', title: 'echo, own generator', unit, measure: () => bench.measure(load) },
    {
      id: 'generator-autocannon',
      title: 'echo, autocannon',
      unit,
      yardstick: 'generator-own',
      measure: () => bench.measure(load, { mode: 'autocannon' }),
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
  const measure = async () => {
    const { result, cores, elapsedMs } = await bench.watchCores(() => bench.generator.submit(job));
    const seconds = result.windowMs / 1_000;
    const busyUs = (cores['carrier-simulator'] ?? Number.NaN) * elapsedMs * 1_000;
    const notes = {
      receiptsPerSecond: (result.receipts ?? 0) / seconds,
      simulatorMicrosecondsPerMessage: busyUs / result.answeredInAll,
    };
    return { ...result, perSecond: result.answered / seconds, cores, notes };
  };
  await bench.inTurns([{ id: 'simulator', title: 'submits taken by the simulator', measure }]);
}
