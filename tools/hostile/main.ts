// npm run hostile [-- --seconds 20 --rate 2000 --queue redis|postgres]
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { parseCommandLine } from '../bench/command-line.js';
import { createFixtures } from '../bench/service/fixtures.js';
import { Service } from '../bench/service/service.js';
import { type HostileResult, measureHostile } from './measure-hostile.js';

/** Under attack the second tenant may wait this many times as long as beside the same generator when it strikes a sink. */
const SLOWER_MAX = 3;
const LOG_LINE_MAX = 4_096;
const GATEWAY_MEMORY_MAX_MB = 1_024;

const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '20' },
    rate: { type: 'string', default: '2000' },
    queue: { type: 'string', multiple: true, default: ['redis', 'postgres'] },
  },
});
const interrupt = new AbortController();
process.once('SIGINT', () => interrupt.abort(new Error('interrupted')));
let breaches = 0;
for (const queue of values.queue) breaches += await run(queue);
process.exitCode = breaches === 0 ? 0 : 1;

async function run(queue: string): Promise<number> {
  const options = parseCommandLine(['--queue', queue]);
  let service: Service | undefined;
  try {
    const own = (started: Service) => {
      service = started;
    };
    // Every limit as an operator gets it.
    const running = await Service.start(options, interrupt.signal, own, undefined, { FREE_REQUESTS_PER_SECOND: '' });
    const { hog, light } = await createFixtures(running, options);
    running.startWorker();
    const result = await measureHostile({
      target: { port: running.port, operatorPort: running.operatorPort, apiKey: hog.apiKeys[0] ?? '' },
      tenantKey: light.apiKeys[0] ?? '',
      rate: Number(values.rate),
      seconds: Number(values.seconds),
    });
    const gatewayPid = [...running.pids()].find(([, name]) => name === 'gateway')?.[0] ?? 0;
    const memoryMb = peakMemoryMb(gatewayPid);
    const log = readFileSync(join(running.dir, 'gateway.log'), 'utf8').split('\n');
    const found = breachesOf(result, memoryMb, log);
    print(queue, result, memoryMb, log.length, found);
    return found.length;
  } finally {
    await service?.close((error) => process.stderr.write(`${error}\n`));
  }
}

function breachesOf(result: HostileResult, memoryMb: number, log: readonly string[]): string[] {
  const slower = Object.entries(result.tenant)
    .filter(([, { idleP99, p99 }]) => !(p99 <= idleP99 * SLOWER_MAX))
    .map(([kind, { idleP99, p99 }]) => `${kind}: p99 of ${p99.toFixed(1)} ms, idle ${idleP99.toFixed(1)} ms`);
  const failed = Object.entries(result.tenantFailures).map(([what, count]) => `the second tenant: ${what} (${count})`);
  const lines = [
    ...(log.some((line) => line.includes('"stack"')) ? ['a stack trace in the log'] : []),
    ...(log.some((line) => line.length > LOG_LINE_MAX)
      ? [`a line of more than ${LOG_LINE_MAX} characters in the log`]
      : []),
  ];
  const memory = memoryMb > GATEWAY_MEMORY_MAX_MB ? [`the gateway took ${memoryMb} MB`] : [];
  return [...slower, ...failed, ...result.serverErrors, ...lines, ...memory];
}

function print(queue: string, result: HostileResult, memoryMb: number, lines: number, found: readonly string[]): void {
  const { sent, heldBack, statuses, tenant } = result;
  const say = (line: string) => process.stdout.write(`${line}\n`);
  const perSecond = Math.round(sent / Number(values.seconds));
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
