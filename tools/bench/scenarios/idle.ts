import type { Bench } from '../bench.js';
import { drain, jobOf, singles } from './loads.js';

/** Far enough apart that each request finds a service with nothing to do. */
const EVERY_MS = 20;
const DRAIN_TIMEOUT_MS = 60_000;

/** How long a single send takes when nobody else sends: one connection, a request every 20 ms, everything running. */
export async function measureIdle(bench: Bench): Promise<void> {
  bench.service.startWorker();
  const load = singles(bench, bench.accounts.idle);
  const job = { ...jobOf(load), connections: 1, everyMs: EVERY_MS };
  const spacing = `one every ${EVERY_MS} ms`;
  await bench.inTurns([
    {
      figure: { id: 'echo-idle', title: `echo of single sends, ${spacing}`, unit: 'messages' },
      measure: () => bench.measure({ ...job, port: bench.echoPort }, 'paced'),
    },
    {
      figure: { id: 'idle', title: `single sends accepted, ${spacing}`, unit: 'messages' },
      measure: async () => {
        const { window, result } = await bench.measure(job, 'paced');
        bench.countAccepted(load.accounts, result.answeredInAll);
        await drain(bench, DRAIN_TIMEOUT_MS);
        return { window };
      },
    },
  ]);
}
