import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from '@jest/globals';
import { freePort } from '../../scripts/process/free-port.js';
import { startStandInGateway } from './stand-in-gateway.js';

const PROGRAM = join(process.cwd(), 'dist/tools/bench/main.js');
/** Of a run that takes a quarter of a minute on an idle machine. */
const RUN_TIMEOUT_MS = 600_000;

interface Report {
  readonly opponent: { readonly title: string };
  readonly figures: readonly {
    readonly id: string;
    readonly perSecond: { readonly median: number };
    readonly yardstick?: string;
    readonly ratioToYardstick?: number;
    readonly unexpected: object;
  }[];
  readonly checks: readonly { readonly name: string; readonly ok: boolean }[];
}

test(
  'npm run bench -- --against measures another gateway and ours in turns, and each figure of ours stands beside its',
  async () => {
    const dir = mkdtempSync(join(tmpdir(), 'heliograph-against-'));
    const simulatorPort = await freePort();
    const gateway = await startStandInGateway(simulatorPort);
    try {
      const report = await bench(dir, [
        ...['--against', `kannel+http://127.0.0.1:${gateway.port}/cgi-bin/sendsms?username=u&password=p&dlr-mask=3`],
        ...['--simulator-port', String(simulatorPort), '--queue', 'postgres', '--only', 'against'],
        ...['--windows', '1', '--seconds', '0.2', '--connections', '2', '--outstanding', '20', '--accounts', '20'],
      ]);
      expect(report.opponent.title).toBe('kannel');
      expect(report.figures.map(({ id, yardstick }) => [id, yardstick])).toEqual([
        ['kannel-dispatching', undefined],
        ['ours-dispatching', 'kannel-dispatching'],
        ['ours-hot-dispatching', 'kannel-dispatching'],
        ['kannel-delivered', undefined],
        ['ours-delivered', 'kannel-delivered'],
        ['ours-hot-delivered', 'kannel-delivered'],
        ['kannel-alone', undefined],
        ['ours-alone', 'kannel-alone'],
        ['ours-hot-alone', 'kannel-alone'],
      ]);
      for (const { perSecond, yardstick, ratioToYardstick, unexpected } of report.figures) {
        expect(perSecond.median).toBeGreaterThan(0);
        expect(unexpected).toEqual({});
        if (yardstick !== undefined) expect(ratioToYardstick).toBeGreaterThan(0);
      }
      expect(report.checks.filter(({ ok }) => !ok)).toEqual([]);
    } finally {
      await gateway.close();
      rmSync(dir, { recursive: true, force: true });
    }
  },
  RUN_TIMEOUT_MS,
);

async function bench(dir: string, args: readonly string[]): Promise<Report> {
  const file = join(dir, 'report.json');
  const { NODE_OPTIONS: _ofJest, ...environment } = process.env;
  const options = { env: environment, timeout: RUN_TIMEOUT_MS };
  await promisify(execFile)(process.execPath, [PROGRAM, ...args, '--dir', dir, '--json', file], options);
  return JSON.parse(readFileSync(file, 'utf8')) as Report;
}
