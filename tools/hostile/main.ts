import { readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { Command, Option } from 'commander';
import { wholeNumber } from '#config';
import { findRedisServer } from '../../scripts/redis/local-redis.js';
import { Teardown } from '../../scripts/supervisor/teardown.js';
import { createFixtures } from '../bench/fixtures.js';
import { startMeasured } from '../bench/start-bench.js';
import { namesOf } from '../harness/flags.js';
import { QUEUES } from '../harness/queue.js';
import { runTask } from '../harness/run-task.js';
import { ATTACKS } from './attacks.js';
import { type HostileResult, measureHostile } from './measure-hostile.js';

/**
 * Under attack the second tenant may wait this many times as long as beside the same generator when it strikes a sink.
 */
const SLOWER_MAX = 3;
const LOG_LINE_MAX = 4_096;
const GATEWAY_MEMORY_MAX_MB = 1_024;
const CARRIER_WINDOW = 50;
const WARM_UP_SECONDS = 10;
const RUN_TIMEOUT_MS = 3_600_000;

const KINDS = ATTACKS.map(({ name }) => name);

interface Flags {
  readonly seconds: number;
  readonly rate: number;
  readonly queue: readonly (typeof QUEUES)[number][];
  readonly kind: readonly string[];
}

const values = new Command('npm run hostile --')
  .description('Sends a gateway bad requests, and measures what a second tenant waits meanwhile.')
  .option('--seconds <n>', 'length of each half: idle, and attacked', wholeNumber(1, 3_600), 20)
  .option('--rate <n>', 'bad requests a second', wholeNumber(1, 20_000), 2_000)
  .addOption(
    new Option('--queue <back ends>', `comma-separated, of ${QUEUES.join(', ')}`)
      .argParser(namesOf(QUEUES))
      .default(findRedisServer() === undefined ? ['postgres'] : [...QUEUES], 'both with a redis-server on the PATH'),
  )
  .addOption(
    new Option('--kind <kinds>', `sends some kinds only; comma-separated, of ${KINDS.join(', ')}`)
      .argParser(namesOf(KINDS))
      .default([], 'all'),
  )
  .parse()
  .opts<Flags>();
await runTask('npm run hostile', RUN_TIMEOUT_MS, async (signal, say) => {
  let breaches = 0;
  for (const queue of QUEUES.filter((known) => values.queue.includes(known))) {
    const teardown = new Teardown();
    try {
      breaches += await run(queue, signal, teardown);
    } finally {
      await teardown.run((error) => say(String(error)));
    }
  }
  return breaches === 0;
});

async function run(queue: (typeof QUEUES)[number], signal: AbortSignal, teardown: Teardown): Promise<number> {
  // Every limit as an operator gets it.
  const service = await startMeasured({ queue, dir: tmpdir(), simulatorPort: 0 }, signal, teardown, {});
  await service.startApps(signal);
  const { hog, light } = await createFixtures(service, CARRIER_WINDOW, { many: 1, heard: 1 });
  service.startWorker();
  const result = await measureHostile({
    target: { port: service.port, operatorPort: service.operatorPort, apiKey: hog.apiKeys[0] ?? '' },
    tenantKey: light.apiKeys[0] ?? '',
    rate: values.rate,
    seconds: values.seconds,
    warmUpSeconds: WARM_UP_SECONDS,
    kinds: values.kind,
    pids: service.pids(),
    signal,
  });
  // An attack that ends a process of the service is told in the last words of that process.
  service.assertAlive();
  const [gateway] = service.gateways;
  const memoryMb = peakMemoryMb(gateway?.pid ?? 0);
  const log = gateway?.log().split('\n') ?? [];
  const found = breachesOf(result, memoryMb, log);
  print(queue, result, memoryMb, log.length, found);
  return found.length;
}

function breachesOf(result: HostileResult, memoryMb: number, log: readonly string[]): string[] {
  const slower = Object.entries(result.tenant)
    .filter(([, { idleP99, p99 }]) => !(p99 <= idleP99 * SLOWER_MAX))
    .map(([kind, { idleP99, p99 }]) => `${kind}: p99 of ${p99.toFixed(1)} ms, idle ${idleP99.toFixed(1)} ms`);
  const failed = Object.entries(result.tenantFailures).map(([what, count]) => `the second tenant: ${what} (${count})`);
  const others: readonly (readonly [boolean, string])[] = [
    [log.some((line) => line.includes('"stack"')), 'a stack trace in the log'],
    [log.some(({ length }) => length > LOG_LINE_MAX), `a line of more than ${LOG_LINE_MAX} characters in the log`],
    [memoryMb > GATEWAY_MEMORY_MAX_MB, `the gateway took ${memoryMb} MB`],
  ];
  return [...slower, ...failed, ...result.serverErrors, ...others.flatMap(([isSo, what]) => (isSo ? [what] : []))];
}

function print(queue: string, result: HostileResult, memoryMb: number, lines: number, found: readonly string[]): void {
  const { sent, heldBack, statuses, tenant } = result;
  const say = (line: string) => process.stdout.write(`${line}\n`);
  const perSecond = Math.round(sent / values.seconds);
  say(
    `\nQueue on ${queue}: ${sent} bad requests (${perSecond} a second), ${heldBack} held back because too many were unanswered`,
  );
  for (const [kind, { idleP50, idleP99, p50, p99, count }] of Object.entries(tenant)) {
    const ratio = (p99 / idleP99).toFixed(2);
    say(
      `  ${kind.padEnd(8)} idle ${ms(idleP50)} / ${ms(idleP99)}, attacked ${ms(p50)} / ${ms(p99)} (x${ratio}, ${count} requests)`,
    );
  }
  for (const [name, ofKind] of Object.entries(statuses)) say(`  ${name.padEnd(36)} ${JSON.stringify(ofKind)}`);
  const cores = Object.entries(result.cores).map(([name, busy]) => `${name} ${busy}`);
  say(`  cores kept busy: ${cores.join(', ')}`);
  say(`  gateway: ${memoryMb} MB at most, ${lines} lines of log`);
  say(found.length === 0 ? '  no breach' : found.map((breach) => `  BREACH ${breach}`).join('\n'));
}

function ms(value: number): string {
  return `${value.toFixed(1)} ms`;
}

function peakMemoryMb(pid: number): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  return Math.round(Number(/^VmHWM:\s+(\d+)/m.exec(status)?.[1] ?? 0) / 1_024);
}
