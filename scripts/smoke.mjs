// Does what a newcomer does with a fresh clone: npm start, the printed curl, wait for the delivery, check the ledger,
// Ctrl-C, and all of it again on the same data. With --short it does all of this once, for another version of Node.
// .ci/run runs it. Its last line is `N passed, N failed`.
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const READY_TIMEOUT_MS = 300_000;
const DELIVERED_TIMEOUT_MS = 60_000;
const EXIT_TIMEOUT_MS = 60_000;

const isShort = process.argv.includes('--short');
const results = { passed: 0, failed: 0 };
const dir = mkdtempSync(join(tmpdir(), 'heliograph-smoke-'));
const started = new Set();
const [PORT, OPERATOR_PORT, SIMULATOR_PORT] = await freePorts(3);
const environment = { ...process.env, PORT, OPERATOR_PORT, SIMULATOR_PORT, DATA_DIR: join(dir, 'data') };
for (const name of ['DATABASE_URL', 'REDIS_URL', 'OPERATOR_PASSWORD']) delete environment[name];

try {
  const first = await check(`npm start is ready and prints a curl, on Node ${process.version}`, () => start());
  if (first !== undefined) await firstRun(first);
} finally {
  for (const child of started) signalGroup(child, 'SIGKILL');
  rmSync(dir, { recursive: true, force: true });
}
process.stdout.write(`${results.passed} passed, ${results.failed} failed\n`);
process.exit(results.failed === 0 ? 0 : 1);

async function firstRun(first) {
  const messageId = await check('the printed curl is answered with a message id', () => {
    const answer = JSON.parse(shell(first.sendCommand));
    if (answer.success !== true || typeof answer.messageId !== 'string') throw new Error(JSON.stringify(answer));
    return answer.messageId;
  });
  await check('the message becomes delivered', () => untilDelivered(first.listCommand, messageId));
  await check('smsctl ledger verify is clean', () => smsctl('ledger', 'verify'));
  if (isShort) {
    await check('Ctrl-C ends it with 0', () => stop(first.child, 'SIGINT'));
    return;
  }
  await check('a second start on the same data is refused in one line', () => refused({}, /another instance/));
  await check('a second start on a taken port is refused in one line', () =>
    refused({ DATA_DIR: join(dir, 'other') }, /PORT/),
  );
  await check('Ctrl-C ends it with 0', () => stop(first.child, 'SIGINT'));

  const second = await check('it starts again on the same data', () => start());
  if (second === undefined) return;
  await check('the key and the message are still there', () => {
    if (second.sendCommand !== first.sendCommand) throw new Error('another key is printed');
    return untilDelivered(second.listCommand, messageId);
  });
  await check('SIGTERM ends it with 0', () => stop(second.child, 'SIGTERM'));
}

async function check(name, step) {
  try {
    const value = await step();
    results.passed += 1;
    process.stdout.write(`ok      ${name}\n`);
    return value;
  } catch (error) {
    results.failed += 1;
    process.stdout.write(`not ok  ${name}: ${error.message}\n`);
    return undefined;
  }
}

/** As from a terminal: in a process group of its own, without input. */
function npmStart(changes) {
  const child = spawn('npm', ['start'], {
    cwd: ROOT,
    env: { ...environment, ...changes },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  });
  started.add(child);
  child.output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (chunk) => {
      child.output += chunk;
    });
  }
  child.ended = once(child, 'close').then(([code]) => {
    started.delete(child);
    return code;
  });
  return child;
}

async function start() {
  const child = npmStart({});
  const deadline = Date.now() + READY_TIMEOUT_MS;
  while (!child.output.includes('Ctrl-C stops everything')) {
    if (!started.has(child)) throw new Error(`npm start ended:\n${child.output}`);
    if (Date.now() > deadline) throw new Error(`not ready within ${READY_TIMEOUT_MS} ms:\n${child.output}`);
    await pause(100);
  }
  const [sendCommand, listCommand] = child.output.match(/^curl(?:.*\\\n)*.*$/gm) ?? [];
  if (!sendCommand || !listCommand) throw new Error(`no curl in:\n${child.output}`);
  return { child, sendCommand, listCommand };
}

async function stop(child, signal) {
  signalGroup(child, signal);
  const code = await bounded(child.ended, EXIT_TIMEOUT_MS, `still running after ${signal}`);
  if (code !== 0) throw new Error(`exit code ${code}:\n${child.output.slice(-2_000)}`);
}

async function refused(changes, reason) {
  const child = npmStart(changes);
  const code = await bounded(child.ended, EXIT_TIMEOUT_MS, 'it did not end');
  const lines = child.output.split('\n').filter((line) => line.startsWith('npm start: '));
  if (code !== 1 || lines.length !== 1 || !reason.test(lines[0]))
    throw new Error(`exit code ${code}:\n${child.output}`);
}

async function untilDelivered(listCommand, messageId) {
  const deadline = Date.now() + DELIVERED_TIMEOUT_MS;
  for (;;) {
    const list = shell(listCommand);
    const message = JSON.parse(list).data?.find((entry) => entry.message_uuid === messageId);
    if (message?.external_status === 'delivered') return;
    if (Date.now() > deadline) throw new Error(`not delivered within ${DELIVERED_TIMEOUT_MS} ms: ${list}`);
    await pause(200);
  }
}

function smsctl(...args) {
  return execFileSync(process.execPath, [join(ROOT, 'bin', 'smsctl'), ...args], { env: environment, encoding: 'utf8' });
}

function shell(command) {
  return execFileSync('bash', ['-c', command], { env: environment, encoding: 'utf8' });
}

function signalGroup(child, signal) {
  try {
    process.kill(-child.pid, signal);
  } catch (error) {
    if (error.code !== 'ESRCH') throw error;
  }
}

function bounded(promise, timeoutMs, complaint) {
  return Promise.race([
    promise,
    pause(timeoutMs).then(() => {
      throw new Error(`${complaint} (${timeoutMs} ms)`);
    }),
  ]);
}

function pause(ms) {
  return new Promise((wake) => setTimeout(wake, ms));
}

async function freePorts(count) {
  const probes = Array.from({ length: count }, () => createServer().listen(0, '127.0.0.1'));
  await Promise.all(probes.map((probe) => once(probe, 'listening')));
  const ports = probes.map((probe) => String(probe.address().port));
  await Promise.all(probes.map((probe) => new Promise((closed) => probe.close(closed))));
  return ports;
}
