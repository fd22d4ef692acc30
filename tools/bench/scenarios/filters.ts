import { get } from 'node:http';
import { addApiKey, Database } from '#persistence';
import type { Bench, Lane, Measured } from '../bench.js';
import { type BenchRun, startBench } from '../start-bench.js';
import { filledPlace } from './flat.js';
import { timeFilters } from './time-filters.js';

const SAMPLES = 1_000;
const ROWS_PER_SECOND_MIN = 40_000;
const MEMORY_MAX_MB = 60;
const NEWLINE = 10;

/** How long the server takes to find messages in the filled database, beside what pages of all messages take. */
export async function measureFilters(bench: Bench, run: BenchRun): Promise<void> {
  const { signal, say } = run;
  const filled = await onFilled(bench, run);
  say('finding messages in the filled database ...');
  bench.pages.push(...(await timeFilters('filled', filled.service.postgres.url, SAMPLES, signal)));
}

/** Exports the messages of the largest account of the filled database, one export at a time. */
export async function measureExports(bench: Bench, run: BenchRun): Promise<void> {
  const filled = await onFilled(bench, run);
  const { apiKey, messages } = await largestAccount(filled);
  const lane = (format: string): Lane => ({
    figure: { id: `export-${format}`, title: `export of ${messages} messages as ${format}`, unit: 'messages' },
    measure: () => exported(filled, format, apiKey, messages),
  });
  await filled.watchMemory(
    'export',
    'minute',
    (atMs, fromMs) => (atMs - fromMs) / 60_000,
    () => bench.inTurns(['csv', 'ndjson'].map(lane)),
  );
  bench.memory.push(...filled.memory.splice(0));
  const gateway = bench.memory.find(({ process, scenario }) => scenario === 'export' && process.startsWith('gateway'));
  const grown = gateway === undefined ? Number.NaN : gateway.maxMb - gateway.startMb;
  const slowest = Math.min(
    ...bench.figures
      .filter(({ id }) => id.startsWith('export-'))
      .flatMap(({ windows }) => windows.map(({ perSecond }) => perSecond)),
  );
  bench.checks.push(
    {
      name: `an export has at least ${ROWS_PER_SECOND_MIN} rows a second`,
      ok: slowest >= ROWS_PER_SECOND_MIN,
      detail: `${Math.round(slowest)} at the slowest`,
    },
    {
      name: `exports need at most ${MEMORY_MAX_MB} MB more memory`,
      ok: grown <= MEMORY_MAX_MB,
      detail: `${grown.toFixed(0)} MB more at most`,
    },
  );
}

/** The service on the filled database; both scenarios of a run share it. */
async function onFilled(bench: Bench, run: BenchRun): Promise<Bench> {
  if (bench.filled === undefined) {
    run.say('starting the service on the filled database ...');
    bench.filled = await startBench(run, filledPlace(run.options));
  }
  return bench.filled;
}

async function largestAccount({ service }: Bench): Promise<{ apiKey: string; messages: number }> {
  const { url } = service.postgres;
  const database = await Database.open({ url, poolSize: 1, applicationName: 'heliograph-bench-fixtures' });
  try {
    const [row] = await database.query<{ account_id: string; messages: string }>(
      'select account_id, last_sequence as messages from account_balance order by last_sequence desc limit 1',
    );
    const { apiKey } = await addApiKey(database, row?.account_id ?? '');
    return { apiKey, messages: Number(row?.messages ?? 0) };
  } finally {
    await database.close();
  }
}

async function exported(bench: Bench, format: string, apiKey: string, messages: number): Promise<Measured> {
  const path = `/v1/account/messages/export?format=${format}`;
  const { result: lines, cores, elapsedMs } = await bench.watchCores(() => linesOf(bench.service.port, path, apiKey));
  const rows = lines - (format === 'csv' ? 1 : 0);
  const unexpected: Record<string, number> = rows === messages ? {} : { 'rows missing': messages - rows };
  const [p50Ms, p99Ms, p999Ms] = [Number.NaN, Number.NaN, Number.NaN];
  return { window: { perSecond: rows / (elapsedMs / 1_000), p50Ms, p99Ms, p999Ms, unexpected, cores } };
}

function linesOf(port: number, path: string, apiKey: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const request = get({ host: '127.0.0.1', port, path, headers: { 'X-Authorization': apiKey } }, (response) => {
      let lines = 0;
      response.on('data', (chunk: Buffer) => {
        for (let at = chunk.indexOf(NEWLINE); at !== -1; at = chunk.indexOf(NEWLINE, at + 1)) lines += 1;
      });
      response.on('error', reject);
      response.on('end', () => resolve(lines));
    });
    request.on('error', reject);
  });
}
