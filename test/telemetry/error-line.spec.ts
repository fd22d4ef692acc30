import { spawnSync } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { describe, expect, test } from '@jest/globals';
import { errorLine } from '#telemetry';
import { LogLines } from '../support/log-lines.js';

const SECRETS = ['+46700100200', 'the diagnosis'];
/** As the driver makes it of a refused row; another library may wrap it. */
const driverError = () =>
  Object.assign(new Error('new row for relation "message_order" violates check constraint "c"'), {
    code: '23514',
    severity: 'ERROR',
    constraint: 'c',
    detail: 'Failing row contains (1, +46700100200, the diagnosis).',
    where: 'SQL statement "insert ... +46700100200"',
    query: 'insert into message_order values ($1)',
    parameters: ['the diagnosis'],
  });

describe('a log never repeats what an error carries with it', () => {
  test.each([
    ['a database error', driverError()],
    ['one that is wrapped', Object.assign(new Error('failed'), { driverError: driverError(), parameters: SECRETS })],
    ['one that is the cause', new Error('failed', { cause: driverError() })],
    ['one of several', new AggregateError([driverError(), driverError()], 'failed')],
    [
      'a value that cannot be read',
      Object.assign(new Error('invalid input syntax for type integer: "the diagnosis"'), { code: '22P02' }),
    ],
    [
      'a value with quotes and lines in it',
      Object.assign(new Error('cannot read "the diagnosis\n\\"of" +46700100200"'), { code: '22P02' }),
    ],
  ])('%s', (_what, error) => {
    const log = new LogLines('spec');
    log.logger.error({ err: error }, 'failed');
    log.logger.error({ error }, 'failed');
    log.logger.error(error);
    expect(log.text.split('\n')).toHaveLength(4);
    expect(log.text).toContain('"stack":"Error: ');
    for (const secret of SECRETS) expect(log.text).not.toContain(secret);
  });

  test('but says what it is, where it happened, and which table and rule are meant', () => {
    expect(errorLine(driverError())).toEqual({
      type: 'Error',
      message: 'new row for relation "message_order" violates check constraint "c"',
      stack: expect.stringMatching(/^Error: new row[^\n]*\n\s+at .*error-line\.spec/),
      code: '23514',
      severity: 'ERROR',
      constraint: 'c',
    });
  });

  test.each([
    [
      'a network',
      Object.assign(new Error('connect ECONNREFUSED 10.0.0.1:5432'), { code: 'ECONNREFUSED', errno: -111 }),
    ],
    ['a server that starts', Object.assign(new Error('the database system is starting up'), { code: '57P03' })],
  ])('what %s says has no stack, because it comes again until the other side is back', (_what, error) => {
    expect(errorLine(error)).toEqual({ ...error, type: 'Error', message: error.message });
    expect(errorLine(new Error('failed', { cause: error }))).toMatchObject({ stack: expect.any(String) });
  });

  test('what was thrown and is no error is said in short, and causes end', () => {
    expect(errorLine('x'.repeat(5_000))).toBe('x'.repeat(1_000));
    const endless = new Error('a');
    endless.cause = endless;
    expect(JSON.stringify(errorLine(endless)).match(/"message"/g)?.length).toBeLessThan(10);
  });

  test('nor does a process that ends by one', () => {
    const script = `import { runProcess } from './dist/libs/telemetry/index.js';
      const error = Object.assign(new Error('failed'), { code: '23514', detail: '${SECRETS.join(' ')}' });
      await runProcess('gateway', async () => { setTimeout(() => { throw error; }, 1); return async () => undefined; });`;
    const ended = runScript(script);
    expect(ended.stdout).toMatch(/"level":60.*"code":"23514".*"msg":"a fault that nobody caught"/);
    for (const secret of SECRETS) expect(ended.stdout).not.toContain(secret);
  });

  test("nor is there a stack with an operator's fault at the start", () => {
    const { stdout } = runScript(`import { InstallationError } from './dist/libs/config/index.js';
      import { runProcess } from './dist/libs/telemetry/index.js';
      class Unreachable extends InstallationError {}
      await runProcess('gateway', async () => { throw new Unreachable('cannot reach it'); });`);
    expect(stdout).toMatch(/"level":60.*"msg":"cannot reach it"}/);
    expect(stdout).not.toContain('stack');
  });

  test('and a process that starts without a log says why it cannot start, and nothing else', () => {
    const { stdout } = runScript(`process.env.LOG_LEVEL = 'silent';
      const { runProcess } = await import('./dist/libs/telemetry/index.js');
      await runProcess('gateway', async () => { throw new Error('cannot reach it'); });`);
    expect(stdout).toMatch(/^{"level":60[^\n]*"msg":"cannot reach it"}\n$/);
  });
});

describe('a process ends in order', () => {
  const script = `import { runProcess } from './dist/libs/telemetry/index.js';
    await runProcess('gateway', async () => {
      setInterval(() => undefined, 1_000);
      process.kill(process.pid, 'SIGTERM');
      return async () => { process.kill(process.pid, 'SIGTERM'); };
    });`;

  test('when it is told to stop, and told so again', () => {
    expect(runScript(script, 0).stdout).toMatch(/"msg":"stopping"/);
  });

  const onLinux = process.platform === 'linux' ? test : test.skip;
  onLinux('also when its log is on a full disk', () => {
    const full = openSync('/dev/full', 'w');
    runScript(script, 0, full);
    runScript(script.replace('setInterval', 'throw new Error'), 1, full);
    closeSync(full);
  });
});

/** @param log what the process has as standard output */
function runScript(script: string, status = 1, log: 'pipe' | number = 'pipe'): { readonly stdout: string } {
  const { NODE_OPTIONS: _forJest, ...environment } = process.env;
  const env = { ...environment, DATABASE_URL: 'postgres://nobody@localhost:1/none', LOG_LEVEL: 'info' };
  const ended = spawnSync(process.execPath, ['--input-type=module', '-e', script], {
    env,
    encoding: 'utf8',
    stdio: ['ignore', log, 'pipe'],
    timeout: 20_000,
    killSignal: 'SIGKILL',
  });
  expect(ended.stderr).toBe('');
  expect(ended.status).toBe(status);
  return ended;
}
