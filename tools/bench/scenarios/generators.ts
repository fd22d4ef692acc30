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
