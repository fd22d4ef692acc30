import { userInfo } from 'node:os';
import { afterEach, describe, expect, test } from '@jest/globals';
import { ALL_ACCOUNTS, addRoute, setCarrierPaused, setGuards, suppress } from '#persistence';
import { type RunningSimulator, startSimulator } from '../../apps/carrier-simulator/simulator.js';
import { runSmsctl } from '../smsctl/run-smsctl.js';
import { eventually } from '../support/eventually.js';
import { CHEAPEST_BACK_END, QUEUE_BACK_ENDS } from '../support/queue.js';
import { numberOf, type TestService, UNIT_PRICE } from '../support/service.js';
import { sharedService } from '../support/shared-service.js';

const NUMBER = '+491512345678';

const others: RunningSimulator[] = [];
afterEach(async () => {
  for (const other of others.splice(0)) await other.close();
});

/** A carrier that takes no traffic yet, with a simulator of its own. */
async function addTrial(running: TestService): Promise<RunningSimulator> {
  const simulator = await startSimulator({ receiptDelayMs: 50 });
  others.push(simulator);
  await running.addCarrier({ name: 'trial', port: simulator.port });
  await setCarrierPaused(running.database, 'trial', true);
  await eventually(() => simulator.binds.length === 1);
  return simulator;
}

const destinations = ({ records }: RunningSimulator) => records.submits.map(({ destination }) => destination.value);

describe.each(QUEUE_BACK_ENDS)('smsctl carrier test, with the queue on %s', (backEnd) => {
  const start = sharedService({ backEnd, carrier: { name: 'main' } });

  test('sends one message by a paused carrier alone, whatever the routes say, and shows its way to the receipt', async () => {
    const running = await start();
    const trial = await addTrial(running);
    await addRoute(running.database, { prefix: '46', carrier: 'main', rank: 1, weight: 1, cost: undefined }, true);
    const words = ['carrier', 'test', 'trial', NUMBER, '--text', 'Grüße €'];
    const run = await runSmsctl(words, running.settings);
    expect(run).toMatchObject({ code: 0, stderr: '' });
    const ways = [
      'queued',
      'sending by worker',
      'sent by worker',
      'taken by the carrier as',
      'receipt: delivered',
      'delivered by',
    ];
    for (const way of ways) expect(run.stdout).toContain(way);
    expect(run.stdout).toMatch(/^trial took it and says that it is delivered \(nobody paid for it\)/m);
    expect(trial.records.submits.map(({ destination, text }) => [destination.value, text])).toEqual([
      [NUMBER.slice(1), 'Grüße €'],
    ]);
    expect(await running.figures()).toEqual({ reserved: 0n, captured: 0n });
    const [recorded] = await running.database.query<{ subject: string; operator: string; actor: { command: string } }>(
      "select subject, operator, actor from operator_change where subject = 'carrier test'",
    );
    expect(recorded).toMatchObject({
      operator: userInfo().username,
      actor: { command: 'smsctl carrier test trial +4915*** --text ***' },
    });
    // Traffic goes where it went.
    await running.sendMany(5);
    await running.untilStatuses({ delivered: 5 });
    expect(trial.records.submits).toHaveLength(1);
  });
});

describe('smsctl carrier test', () => {
  const smsctl = (running: TestService, ...args: string[]) => runSmsctl(args, running.settings, { isWarm: true });
  const carrierTest = (running: TestService, ...args: string[]) => smsctl(running, 'carrier', 'test', ...args);
  const start = sharedService({ backEnd: CHEAPEST_BACK_END, carrier: { name: 'main' } });

  test('never goes by another carrier: one that throttles is tried again, and what is not taken in time fails', async () => {
    const running = await start();
    const trial = await addTrial(running);
    trial.setBehaviour({ throttleRate: 1 });
    const late = await carrierTest(running, 'trial', NUMBER, '--wait', '4', '--json');
    expect(late.code).toBe(1);
    expect(JSON.parse(late.stdout)).toMatchObject({ taken: false });
    expect(destinations(trial).length).toBeGreaterThan(1);
    await eventually(async () => {
      const open = await running.database.query("select from message_order where state <> 'failed'");
      expect(open).toEqual([]);
    });
    expect(running.simulator.records.submits).toEqual([]);
    trial.setBehaviour({ throttleRate: 0, refuseRate: 1 });
    const refused = await carrierTest(running, 'trial', NUMBER);
    expect(refused.code).toBe(1);
    expect(refused.stdout).toMatch(/^trial did not take it \(ESME_/m);
    expect(running.simulator.records.submits).toEqual([]);
  });

  test('says why a carrier that is down did not take it, and so do list, show and doctor', async () => {
    const running = await start();
    const trial = await addTrial(running);
    const { port } = trial;
    await trial.close();
    await eventually(async () => {
      const { stdout } = await smsctl(running, 'carrier', 'list');
      expect(stdout).toMatch(/trial .*\d\d:\d\d:\d\dZ: .*(refused|closed)/);
    });
    const run = await carrierTest(running, 'trial', NUMBER, '--wait', '2');
    expect(run.code).toBe(1);
    expect(run.stdout).toContain('trial has not taken it within 2 s');
    const shown = await smsctl(running, 'carrier', 'show', 'trial', '--json');
    const { lastError } = JSON.parse(shown.stdout) as { lastError: { reason: string; at: string } };
    expect(lastError.reason).toMatch(/connection/);
    expect(Date.parse(lastError.at)).toBeGreaterThan(0);
    const { stdout } = await smsctl(running, 'doctor');
    expect(stdout).toMatch(/carrier trial .*paused by the operator; .*Z: /);
    expect(port).toBeGreaterThan(0);
  });

  test('is paid for by an account only when one is named, with its rules', async () => {
    const running = await start();
    const trial = await addTrial(running);
    const run = await carrierTest(running, 'trial', NUMBER, '--account', running.accountId, '--json');
    expect(JSON.parse(run.stdout)).toMatchObject({ taken: true, state: 'delivered', amount: '0.01', currency: 'EUR' });
    expect(await running.figures()).toEqual({ reserved: 0n, captured: UNIT_PRICE });
    expect(destinations(trial)).toEqual([NUMBER.slice(1)]);
    for (const [args, reason] of [
      [['nobody', NUMBER], 'there is no carrier nobody'],
      [['trial', 'me'], 'not an international phone number'],
      [['trial', NUMBER, '--account', '99'], 'there is no account 99'],
    ] as const) {
      const wrong = await carrierTest(running, ...args);
      expect([wrong.code, wrong.stderr.trim().split('\n').length]).toEqual([1, 1]);
      expect(wrong.stderr).toContain(reason);
    }
    await running.send(numberOf(1), 'traffic');
    await running.untilStatuses({ delivered: 2 });
  });

  test('does not wait for the traffic that fills the window', async () => {
    const running = await start({ simulator: { latencyMs: 100 }, carrier: { name: 'main', windowSize: 1 } });
    await running.sendMany(150);
    await running.simulator.records.until(({ submits }) => submits.length >= 5);
    expect(await carrierTest(running, 'main', NUMBER, '--wait', '7')).toMatchObject({ code: 0, stderr: '' });
    expect((await running.statuses()).queued).toBeGreaterThan(0);
  });

  // The last one: its guard is for all accounts.
  test('is the decision of the operator: no guard and no list of opt-outs refuses it', async () => {
    const running = await start();
    const trial = await addTrial(running);
    const { accountId } = running;
    await setGuards(running.database, ALL_ACCOUNTS, { countries: ['GB'] });
    await setGuards(running.database, accountId, { spendDayMax: '0' });
    await suppress(running.database, accountId, '+46700100200', { source: 'operator' });
    expect(await carrierTest(running, 'trial', NUMBER)).toMatchObject({ code: 0, stderr: '' });
    expect(await carrierTest(running, 'trial', NUMBER, '--account', accountId)).toMatchObject({ code: 0, stderr: '' });
    expect(destinations(trial)).toEqual([NUMBER.slice(1), NUMBER.slice(1)]);
    const [internal] = await running.database.query<{ id: string }>(
      'select account_id as id from account where internal',
    );
    const id = internal?.id ?? '';
    for (const words of [
      ['account', 'close', id, '--yes'],
      ['account', 'suspend', id],
      // Nobody could spend it, and whoever had the key would send for nothing.
      ['deposit', id, '100', 'EUR'],
      ['adjust', id, '100', '--reason', 'no deposit', '--yes'],
      ['key', 'create', id],
    ]) {
      const run = await smsctl(running, ...words);
      expect([run.code, run.stderr]).toEqual([1, expect.stringContaining('belongs to the tests of carriers')]);
    }
  });
});
