import type { Bench } from '../bench.js';
import type { Window } from '../figures.js';
import { drain } from './drain.js';

const CREATED = 201;
/** Far enough apart that each request finds a service with nothing to do. */
const EVERY_MS = 20;
const DRAIN_TIMEOUT_MS = 60_000;

/** How long a single send takes when nobody else sends: one connection, a request every 20 ms, everything running. */
export async function measureIdle(bench: Bench): Promise<void> {
  bench.service.startWorker();
  const account = bench.accounts.idle;
  const request = { kind: 'send', apiKey: account.apiKey } as const;
  const job = { connections: 1, request, expectedStatus: CREATED, everyMs: EVERY_MS };
  const echo: Window[] = [];
  const idle: Window[] = [];
  for (let round = 0; round < bench.options.windows; round++) {
    echo.push((await bench.measure({ ...job, port: bench.service.echoPort }, 'paced')).window);
    const { window, result } = await bench.measure({ ...job, port: bench.service.port }, 'paced');
    bench.countAccepted(account, result.answeredInAll);
    idle.push(window);
    await drain(bench, account, 0, DRAIN_TIMEOUT_MS);
  }
  const spacing = `one every ${EVERY_MS} ms`;
  bench.add({ id: 'echo-idle', title: `echo of single sends, ${spacing}`, unit: 'messages', windows: echo });
  bench.add({ id: 'idle', title: `single sends accepted, ${spacing}`, unit: 'messages', windows: idle });
}
