import type { Bench } from '../bench.js';
import type { Window } from '../figures.js';
import { median } from '../statistics.js';
import { echoFigure, measureEcho } from './accept.js';
import { drain } from './drain.js';
import { type Allowance, beginFeeding } from './feeding.js';

const CREATED = 201;
const FIRST_DELIVERY_TIMEOUT_MS = 60_000;
const DRAIN_TIMEOUT_MS = 60_000;
/** The paced load, as a share of what the closed load has delivered: enough room to show latency without a queue. */
const PACED_SHARE = 0.5;

/**
 * From accepted to delivered. First as much as the service takes with a fixed number of messages under way (so the
 * backlog cannot grow), in turns with the echo while the machine is idle; then at half that pace, for the time that a
 * message takes when it has not to stand in a queue.
 */
export async function measureEndToEnd(bench: Bench): Promise<void> {
  bench.service.startWorker();
  await awaitFirstDelivery(bench);
  const echo: Window[] = [];
  const closed: Window[] = [];
  const { outstanding, windows } = bench.options;
  for (let round = 0; round < windows; round++) {
    echo.push(await measureEcho(bench, 'single'));
    closed.push(await feed(bench, (undelivered) => outstanding - undelivered));
  }
  bench.add(echoFigure('echo-e2e', 'single', echo));
  bench.add({
    id: 'e2e',
    title: `accepted to delivered, ${outstanding} under way`,
    unit: 'messages',
    windows: closed,
    yardstick: 'echo-e2e',
  });
  if (bench.options.isSmoke) return;
  const pace = Math.max(1, Math.round(PACED_SHARE * median(closed.map((window) => window.perSecond))));
  const paced: Window[] = [];
  for (let round = 0; round < windows; round++) {
    paced.push(await feed(bench, (_undelivered, granted, elapsedMs) => (pace * elapsedMs) / 1_000 - granted));
  }
  bench.add({
    id: 'e2e-paced',
    title: `accepted to delivered, fed ${pace} per second`,
    unit: 'messages',
    windows: paced,
    yardstick: 'echo-e2e',
  });
}

/** The worker has bound to the carrier when a first message comes through. */
export async function awaitFirstDelivery(bench: Bench): Promise<void> {
  startFed(bench, 1);
  bench.generator.grant(1);
  await drain(bench, bench.accounts.e2e, 1, FIRST_DELIVERY_TIMEOUT_MS);
  await stopFed(bench);
}

export async function feed(
  bench: Bench,
  allowance: Allowance,
  { warmupMs, windowMs }: { readonly warmupMs: number; readonly windowMs: number } = bench.options,
): Promise<Window> {
  const { connections } = bench.options;
  const { accountId } = bench.accounts.e2e;
  const acceptedBefore = await bench.database.acceptedOf(accountId);
  const feedFor = await beginFeeding(bench, () => startFed(bench, connections), allowance);
  const { result, cores } = await bench.watchCores(async () => {
    const least = bench.messagesMin('e2e');
    const { undelivered: undeliveredAtStart } = await feedFor(warmupMs, least.warmup);
    const from = await bench.database.now();
    const { undelivered: undeliveredAtEnd } = await feedFor(windowMs, least.window);
    const to = await bench.database.now();
    return { from, to, undeliveredAtStart, undeliveredAtEnd };
  });
  const unexpected = await stopFed(bench);
  await drain(bench, bench.accounts.e2e, acceptedBefore, DRAIN_TIMEOUT_MS);
  const { delivered, p50Ms, p99Ms } = await bench.database.deliveredBetween(accountId, result.from, result.to);
  const seconds = await bench.database.secondsBetween(result.from, result.to);
  return {
    perSecond: delivered / seconds,
    p50Ms,
    p99Ms,
    unexpected,
    cores,
    backlog: { start: result.undeliveredAtStart, end: result.undeliveredAtEnd },
  };
}

function startFed(bench: Bench, connections: number): void {
  const { apiKey } = bench.accounts.e2e;
  const request = { kind: 'send', apiKey } as const;
  bench.generator.startFed({ port: bench.service.port, connections, request, expectedStatus: CREATED });
}

async function stopFed(bench: Bench): Promise<Readonly<Record<string, number>>> {
  const { answeredInAll, unexpected } = await bench.generator.stopFed();
  bench.countAccepted(bench.accounts.e2e, answeredInAll);
  return unexpected;
}
