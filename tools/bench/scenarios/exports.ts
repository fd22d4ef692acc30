import { get } from 'node:http';
import { type Bench, type Lane, MINUTES } from '../bench.js';
import type { Window } from '../figures.js';
import { filledBench, largestAccount } from './filled.js';

const ROWS_PER_SECOND_MIN = 40_000;
const MEMORY_MAX_MB = 60;
const NEWLINE = 10;
const FORMATS = ['csv', 'ndjson'];

/** Exports the messages of the largest account of the filled database, one export at a time. */
export async function measureExports(bench: Bench): Promise<void> {
  const filled = await filledBench(bench);
  const { apiKey, messages } = await largestAccount(filled);
  const lanes = FORMATS.map(
    (format): Lane => ({
      id: `export-${format}`,
      title: `export of ${messages} messages as ${format}`,
      measure: () => exported(filled, format, apiKey, messages),
    }),
  );
  await filled.watchMemory('export', MINUTES, () => bench.inTurns(lanes));
  const trends = filled.memory.splice(0);
  bench.memory.push(...trends);
  const gateway = trends.find(({ process }) => process.startsWith('gateway'));
  const grown = gateway === undefined ? Number.NaN : gateway.maxMb - gateway.startMb;
  const exports = bench.figures.filter(({ id }) => id.startsWith('export-')).flatMap(({ windows }) => windows);
  const slowest = Math.min(...exports.map(({ perSecond }) => perSecond));
  const isFast = slowest >= ROWS_PER_SECOND_MIN;
  bench.check(
    `an export has at least ${ROWS_PER_SECOND_MIN} rows a second`,
    isFast,
    `${slowest.toFixed(0)} at the slowest`,
  );
  const isSmall = grown <= MEMORY_MAX_MB;
  bench.check(`exports need at most ${MEMORY_MAX_MB} MB more memory`, isSmall, `${grown.toFixed(0)} MB more at most`);
}

async function exported(bench: Bench, format: string, apiKey: string, messages: number): Promise<Window> {
  const path = `/v1/account/messages/export?format=${format}`;
  const { result: lines, cores, elapsedMs } = await bench.watchCores(() => linesOf(bench.service.port, path, apiKey));
  const rows = lines - (format === 'csv' ? 1 : 0);
  const unexpected: Record<string, number> = rows === messages ? {} : { 'rows missing': messages - rows };
  const perSecond = rows / (elapsedMs / 1_000);
  return { perSecond, p50Ms: Number.NaN, p99Ms: Number.NaN, p999Ms: Number.NaN, unexpected, cores };
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
