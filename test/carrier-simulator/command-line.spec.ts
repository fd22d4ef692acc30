import { type ChildProcess, spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, test } from '@jest/globals';
import { parseCommandLine } from '../../apps/carrier-simulator/command-line.js';
import { DEFAULT_BEHAVIOUR } from '../../apps/carrier-simulator/options.js';
import { SHORT_LIVED_NODE_FLAGS } from '../../scripts/process/short-lived-node-flags.js';
import { simulator } from './harness.js';
import { RawClient } from './raw-client.js';

const DEFAULTS = { port: 2775, host: '127.0.0.1' };
const MAIN = fileURLToPath(new URL('../../apps/carrier-simulator/main.js', import.meta.url));

describe('the command line', () => {
  test('without flags gives the default behaviour at the configured address', () => {
    const { options, isQuiet } = parseCommandLine([], DEFAULTS);
    expect(options).toMatchObject({ ...DEFAULT_BEHAVIOUR, ...DEFAULTS, keepRecords: false, logFile: undefined });
    expect(isQuiet).toBe(false);
  });

  test.each([
    ['--port 2776', { port: 2776 }],
    ['--http-port 8026', { httpPort: 8026 }],
    ['--host 0.0.0.0', { host: '0.0.0.0' }],
    ['--system-id acme --password secret', { systemId: 'acme', password: 'secret' }],
    ['--latency-ms 20', { latencyMs: 20 }],
    ['--receipt-delay-ms 0', { receiptDelayMs: 0 }],
    ['--tps 100', { submitsPerSecond: 100 }],
    ['--window 10', { windowSize: 10 }],
    ['--receipts off', { receipts: 'off' }],
    ['--receipts always', { receipts: 'always' }],
    ['--message-id hex --receipt-id decimal', { messageIdForm: 'hex', receiptIdForm: 'decimal' }],
    ['--receipt-id upper-hex', { receiptIdForm: 'upper-hex' }],
    ['--receipt-format text', { receiptFormat: 'text' }],
    ['--echo-umr', { echoUserMessageReference: true }],
    ['--no-echo-umr', { echoUserMessageReference: false }],
    ['--no-magic', { magicNumbers: false }],
    ['--default-alphabet latin1', { defaultAlphabet: 'latin1' }],
    ['--receipt-window 5', { receiptWindowSize: 5 }],
    ['--receipt-tries 9 --receipt-retry-ms 100', { receiptTriesMax: 9, receiptRetryMs: 100 }],
    ['--log carrier.jsonl', { logFile: 'carrier.jsonl' }],
    ['--seed 42', { seed: 42 }],
    ['--refuse-rate 0.1 --throttle-rate 0.2', { refuseRate: 0.1, throttleRate: 0.2 }],
    ['--no-response-rate 0.3 --disconnect-rate 0.4', { noResponseRate: 0.3, disconnectRate: 0.4 }],
    ['--fail-rate 1', { failRate: 1 }],
    ['--latency-spread-ms 500', { latencySpreadMs: 500 }],
    ['--error-rate 0.1 --lost-response-rate 0.2', { errorRate: 0.1, lostResponseRate: 0.2 }],
    ['--receipt-mix --late-receipt-ms 7000', { receiptMix: true, lateReceiptMs: 7_000 }],
  ])('%s sets that and nothing else', (line, expected) => {
    const usual = parseCommandLine([], DEFAULTS).options;
    expect(parseCommandLine(line.split(' '), DEFAULTS).options).toEqual({ ...usual, ...expected });
  });
});

describe('the process', () => {
  const children: ChildProcess[] = [];
  afterEach(() => {
    for (const child of children.splice(0)) child.kill('SIGKILL');
  });

  function start(...flags: string[]) {
    const environment = { ...process.env, NODE_OPTIONS: '', LOG_LEVEL: 'info', SIMULATOR_PORT: '0' };
    const child = spawn(process.execPath, [...SHORT_LIVED_NODE_FLAGS, MAIN, ...flags], {
      env: environment,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    children.push(child);
    const output = { stdout: '', stderr: '' };
    child.stdout.on('data', (chunk) => {
      output.stdout += chunk;
    });
    child.stderr.on('data', (chunk) => {
      output.stderr += chunk;
    });
    const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
    const listening = new Promise<number>((resolve, reject) => {
      child.stdout.on('data', () => {
        if (/^{.*\n/.test(output.stdout)) resolve(JSON.parse(output.stdout.split('\n')[0] ?? '').port);
      });
      child.once('close', () => reject(new Error(output.stderr)));
    });
    listening.catch(() => undefined);
    return { child, output, ended, listening };
  }

  test.each(['SIGTERM', 'SIGINT'] as const)('says one line when it listens, and ends with 0 on %s', async (signal) => {
    const process_ = start('--quiet');
    const raw = await RawClient.bound(await process_.listening);
    await raw.submit({ userData: Buffer.from('confidential'), destination: '447700900777' });
    expect(process_.output.stdout.trim().split('\n')).toHaveLength(1);
    const asked = performance.now();
    process_.child.kill(signal);
    expect(await process_.ended).toBe(0);
    expect(performance.now() - asked).toBeLessThan(20_000);
    raw.close();
  });

  test('ends also when nobody reads its log any more', async () => {
    const process_ = start();
    const port = await process_.listening;
    const binds = await Promise.all(Array.from({ length: 5 }, () => RawClient.bound(port)));
    process_.child.stdout.destroy();
    process_.child.kill('SIGTERM');
    expect(await process_.ended).toBe(0);
    for (const bind of binds) bind.close();
  });

  test('never writes a text or a number to its own log', async () => {
    const process_ = start();
    const raw = await RawClient.bound(await process_.listening);
    await raw.submit({ userData: Buffer.from('confidential'), destination: '447700900777' });
    process_.child.kill('SIGTERM');
    await process_.ended;
    expect(process_.output.stdout).toContain('bound');
    expect(process_.output.stdout).not.toMatch(/confidential|900777/);
    raw.close();
  });

  test.each(['--port', '--http-port', '--control-port'])(
    'says in one line that the port of %s is taken, and ends with 1',
    async (flag) => {
      const { port } = await simulator();
      const process_ = start(flag, String(port));
      expect(await process_.ended).toBe(1);
      expect(process_.output).toEqual({
        stdout: '',
        stderr: `carrier-simulator: port ${port} on 127.0.0.1 is already in use; choose another with ${flag}\n`,
      });
    },
  );

  test.each([
    [['--port', '70000'], 'whole number from 0 to 65535'],
    [['--fail-rate', '2'], 'from 0 to 1'],
    [['--receipts', 'maybe'], 'Allowed choices are on, off, always'],
    [['--quiet', '--log', 'x'], 'cannot be used with'],
    [['--frobnicate'], 'unknown option'],
  ])('refuses %j and says why', async (flags, why) => {
    const process_ = start(...flags);
    expect(await process_.ended).toBe(1);
    expect(process_.output.stderr).toContain(why);
  });

  test('--help ends with 0 and shows examples', async () => {
    const process_ = start('--help');
    expect(await process_.ended).toBe(0);
    expect(process_.output.stdout).toContain('Examples:');
  });
});
