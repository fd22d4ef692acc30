import type { Bench } from '../bench.js';
import { drain, singles, toEcho } from './loads.js';

/** Far enough apart that each request finds a service with nothing to do. */
const EVERY_MS = 20;

/** How long a single send takes when nobody else sends: one connection, a request every 20 ms, everything running. */
export async function measureIdle(bench: Bench): Promise<void> {
  bench.service.startWorker();
  const load = { ...singles(bench, bench.accounts.idle), connections: 1 };
  const how = { mode: 'paced', everyMs: EVERY_MS } as const;
  const spacing = `one every ${EVERY_MS} ms`;
  await bench.inTurns([
    {
      id: 'echo-idle',
      title: `echo of single sends, ${spacing}`,
      measure: () => bench.measure(toEcho(bench, load), how),
    },
    {
      id: 'idle',
      title: `single sends accepted, ${spacing}`,
      measure: async () => {
        const window = await bench.measure(load, how);
        await drain(bench);
        return window;
      },
    },
  ]);
}
