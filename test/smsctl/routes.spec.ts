import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { v7 as uuidV7 } from 'uuid';
import { acceptMessages, addCarrier, createAccount, type Database, importTariff } from '#persistence';
import { createTestDatabase, type TestDatabase } from '../support/database.js';
import { openTestDatabase } from '../support/secrets.js';
import { smppCarrier } from '../support/smpp-carrier.js';
import { runSmsctl } from './run-smsctl.js';

let server: TestDatabase;
let database: Database;
beforeAll(async () => {
  server = await createTestDatabase();
  database = await openTestDatabase(server.url, 2);
  for (const name of ['acme', 'by-env', 'by-file']) await addCarrier(database, smppCarrier({ name }));
});
afterAll(async () => {
  await database.close();
  await server.drop();
});

const smsctl = (...args: string[]) => runSmsctl(args, { DATABASE_URL: server.url }, { isWarm: true });
const json = async (...args: string[]) => {
  const run = await smsctl(...args, '--json');
  expect(run).toMatchObject({ code: 0, stderr: '' });
  return JSON.parse(run.stdout);
};

describe('an operator', () => {
  test('says which carriers take which numbers, and sees what would become of one', async () => {
    await json('carrier', 'add', 'backup', 'smpp://user:secret@host.example');
    expect(await json('route', 'test', '+46701234567')).toMatchObject({ prefix: null });
    await json('route', 'add', '*', 'backup');
    await json('route', 'add', '46', 'acme', '--weight', '3', '--cost', '0.0045', '--currency', 'EUR');
    await json('route', 'add', '+46', 'backup', '--rank', '2');
    const list = await json('route', 'list');
    expect(list).toMatchObject([
      { prefix: '', carrier: 'backup', rank: 1 },
      { prefix: '46', carrier: 'acme', rank: 1, weight: 3, cost: '0.0045', currency: 'EUR' },
      { prefix: '46', carrier: 'backup', rank: 2 },
    ]);
    expect((await smsctl('route', 'list')).stdout).toContain('0.0045 EUR');
    expect(await json('route', 'test', '0046 70 123 45 67')).toMatchObject({
      destination: '46701234567',
      prefix: '46',
      carriers: [
        { carrier: 'acme', rank: 1, sharePercent: 100, state: 'unused' },
        { carrier: 'backup', rank: 2 },
      ],
    });
    expect(await json('route', 'test', '4915123456789')).toMatchObject({
      prefix: '',
      carriers: [{ carrier: 'backup' }],
    });
  });

  test('adds what is not there, changes what is, and overwrites nothing unasked', async () => {
    const again = await smsctl('route', 'add', '46', 'acme', '--rank', '2');
    expect(again).toMatchObject({ code: 1, stdout: '' });
    expect(again.stderr).toContain('acme has the route 46 already: `smsctl route set` changes it');
    await json('route', 'set', '46', 'acme', '--weight', '7');
    const acme = async () => (await json('route', 'list'))[1];
    expect(await acme()).toMatchObject({ rank: 1, weight: 7, cost: '0.0045', currency: 'EUR' });
    await json('route', 'set', '46', 'acme', '--cost', '0.005', '--currency', 'USD');
    expect(await acme()).toMatchObject({ rank: 1, weight: 7, cost: '0.005', currency: 'USD' });
    await json('route', 'set', '46', 'acme', '--unset', 'cost');
    expect(await acme()).toMatchObject({ weight: 7, cost: null, currency: null });
    expect((await smsctl('route', 'set', '46', 'acme')).code).toBe(2);
    expect((await smsctl('route', 'set', '47', 'acme', '--weight', '1')).stderr).toContain('no route for 47 to acme');
  });

  test('hears which numbers a change leaves without a route, or gives to another one', async () => {
    const only = await json('route', 'remove', '*');
    expect(only.notes).toEqual([
      'Only numbers that begin with 46 have a route. Sends to all others are refused (no_route) from now on.',
    ]);
    const nowhere = await smsctl('route', 'test', '4915123456789');
    expect(nowhere.code).toBe(1);
    expect(nowhere.stdout).toContain('No route is for 4915123456789: sends to it are refused (no_route).');
    await json('route', 'add', '4670', 'backup');
    expect((await json('route', 'remove', '4670')).notes).toEqual([
      'Numbers that begin with 4670 go by the route 46 now (acme and backup).',
    ]);
    await json('route', 'add', '47', 'backup');
    expect((await json('route', 'remove', '47')).notes).toEqual([
      'Sends to numbers that begin with 47 are refused (no_route) from now on.',
    ]);
    expect((await json('route', 'remove', '46')).notes).toEqual([
      'No routes are left. Since there are no routes, acme, backup, by-env and by-file share all messages from now on.',
    ]);
  });

  test('leaves the rest of the world without a route only when that is meant', async () => {
    const first = await smsctl('route', 'add', '46', 'acme');
    expect(first).toMatchObject({ code: 1, stdout: '' });
    expect(first.stderr.trim()).toBe(
      'smsctl: after this only numbers that begin with 46 have a route, and sends to all others are refused: ' +
        "add a route for '*' first, or pass --only-this",
    );
    expect(await json('route', 'list')).toEqual([]);
    const meant = await json('route', 'add', '46', 'acme', '--only-this');
    expect(meant.notes).toEqual([
      'Only numbers that begin with 46 have a route. Sends to all others are refused (no_route).',
      'No route names backup, by-env and by-file: no messages go there.',
    ]);
    await json('route', 'add', '46', 'backup', '--rank', '2');
  });

  test('hears from the doctor what is true of routes whose carriers take nothing', async () => {
    const found = async (check = 'routes') => {
      const { checks } = JSON.parse((await smsctl('doctor', '--json')).stdout) as {
        checks: { check: string; state: string; detail: string }[];
      };
      return checks.find((each) => each.check === check);
    };
    expect(await found()).toMatchObject({ state: 'ok' });
    const paused = await json('carrier', 'pause', 'acme');
    expect(paused.notes).toEqual([]);
    expect(await found()).toMatchObject({ check: 'routes', state: 'warn', detail: '46 to acme (paused)' });
    expect((await json('carrier', 'pause', 'backup')).notes).toEqual([
      'No carrier of 46 takes messages now: messages by this route are accepted and wait.',
    ]);
    expect(await found()).toMatchObject({
      check: 'routes',
      state: 'warn',
      detail: '46 has no carrier that takes messages (acme and backup paused): nothing waits',
    });
    await importTariff(database, {
      name: 'two',
      currency: 'EUR',
      rates: ['46', '49', '4915'].map((prefix) => ({ prefix, price: 0n })),
    });
    const { account } = await createAccount(database, { name: 'Waiting', currency: 'EUR', tariff: 'two' });
    await accept(database, account.accountId, ['46701234567', '46701234568']);
    expect(await found()).toMatchObject({ state: 'fail', detail: expect.stringMatching(/paused\): 2 messages wait$/) });
    expect(await found('prices without a route')).toEqual({
      check: 'prices without a route',
      state: 'warn',
      detail: '49: sends to them are refused (no_route)',
      runbook: 'carrier-outage',
    });
    expect((await json('carrier', 'resume', 'acme')).notes).toEqual(['It takes messages of the route 46 from now on.']);
    await json('carrier', 'resume', 'backup');
    expect(await found()).toMatchObject({ state: 'ok' });
  });

  test('hears of a route that only a removed carrier is left of, as the version before left it', async () => {
    await json('route', 'add', '47', 'by-env');
    await database.query("update carrier set removed_at = now() where name = 'by-env'");
    const { stdout } = await smsctl('doctor');
    expect(stdout).toContain('47 has no carrier left (by-env removed): sends are refused, nothing waits');
    const tested = await smsctl('route', 'test', '4712345678');
    expect(tested.code).toBe(1);
    expect(tested.stdout).toContain('all its carriers have been removed: sends to it are refused (no_route)');
    expect(await json('route', 'remove', '47', 'by-env')).toMatchObject({ removed: 1 });
  });

  test('removes a carrier that routes name only when that is meant, and hears what becomes of their numbers', async () => {
    const refused = await smsctl('carrier', 'remove', 'acme');
    expect(refused).toMatchObject({ code: 1, stdout: '' });
    expect(refused.stderr).toContain('the route 46 names acme: change it first, or pass --with-routes');
    await json('route', 'remove', '46', 'backup');
    await json('route', 'add', '47', 'backup');
    expect((await json('carrier', 'remove', 'acme', '--with-routes')).notes).toEqual([
      'Sends to numbers that begin with 46 are refused (no_route) from now on.',
      '2 queued messages without a route: they fail with NO_ROUTE and are refunded.',
    ]);
    expect(await json('route', 'list')).toMatchObject([{ prefix: '47', carrier: 'backup' }]);
    expect((await smsctl('route', 'remove', '46', 'acme')).stderr).toContain('there is no route for 46 to acme');
  });

  test('is told what a new carrier takes from when, and can add it without traffic', async () => {
    expect((await json('carrier', 'add', 'idle', 'smpp://user:secret@host.example')).notes).toEqual([
      'No route names it, so it takes nothing until `smsctl route add` does.',
    ]);
    await json('route', 'remove', '47');
    const paused = await json('carrier', 'add', 'trial', 'smpp://user:secret@host.example', '--paused');
    expect(paused).toMatchObject({ paused: true, simulator: false });
    expect(paused.notes[0]).toContain('It is paused and takes nothing.');
    expect((await json('carrier', 'resume', 'trial')).notes).toEqual([
      'Attention: it takes a share of every message from now on, beside backup, by-file and idle, since there are no routes.',
    ]);
    for (const name of ['backup', 'by-file', 'idle', 'trial']) await json('carrier', 'remove', name);
    const alone = await smsctl('carrier', 'add', 'lab', 'smpp://user:secret@host.example', '--simulator');
    expect(alone.stdout).toContain('Attention: it takes every message from now on');
    const real = await smsctl('carrier', 'add', 'acme', 'smpp://user:secret@host.example');
    expect(real.stdout).toContain(
      'it takes every message from now on, since there are no routes. The simulator lab takes nothing',
    );
    expect((await json('carrier', 'pause', 'acme')).notes).toEqual([
      'No carrier takes messages now: they are accepted and wait.',
    ]);
    await json('carrier', 'resume', 'acme');
  });

  test('sees in route test and doctor that a simulator takes nothing beside a real carrier, and what a route to it does', async () => {
    expect(await json('route', 'test', '46701234567')).toMatchObject({ carriers: [{ carrier: 'acme' }] });
    expect((await smsctl('route', 'test', '46701234567')).stdout).toContain(
      'any carrier takes it, but not the simulator lab',
    );
    const simulators = async () =>
      JSON.parse((await smsctl('doctor', '--json')).stdout).checks.find(
        ({ check }: { check: string }) => check === 'simulators',
      );
    expect(await simulators()).toMatchObject({ state: 'warn', detail: expect.stringContaining('carrier remove lab') });
    await json('route', 'add', '*', 'acme');
    expect((await json('route', 'add', '49', 'lab')).notes).toEqual([
      'lab is a simulator: its messages to numbers that begin with 49 reach nobody, and are charged.',
    ]);
    expect(await simulators()).toMatchObject({
      state: 'warn',
      detail: 'messages of these routes reach nobody: 49 to lab',
    });
    await json('route', 'add', '49', 'acme');
    expect(await simulators()).toMatchObject({
      state: 'fail',
      detail: expect.stringContaining('a simulator and a real carrier could take the same number: 49 to lab'),
    });
    await json('carrier', 'set', 'lab', '--unset', 'simulator');
    expect(await simulators()).toBeUndefined();
    await json('carrier', 'set', 'lab', '--simulator');
    await json('route', 'remove', '49');
    await json('route', 'remove', '*');
    expect((await json('carrier', 'remove', 'acme')).notes).toEqual([
      'Since there are no routes, lab takes every message from now on. ' +
        'Attention: there is no real carrier, so messages reach nobody, and are charged.',
    ]);
    expect(await simulators()).toMatchObject({ state: 'ok', detail: 'every carrier is one: messages reach nobody' });
    await json('carrier', 'remove', 'lab');
    expect(await simulators()).toBeUndefined();
    await json('carrier', 'add', 'acme', 'smpp://user:secret@host.example');
  });

  test.each([
    ['route', 'add', '046', 'acme'],
    ['route', 'add', '', 'acme'],
    ['route', 'remove', ''],
    ['route', 'add', '46', 'acme', '--rank', '0'],
    ['route', 'add', '46', 'nobody'],
    ['route', 'add', '46', 'acme', '--cost', '1'],
    ['route', 'test', 'abc'],
  ])('is refused in one line: %s %s %s', async (...args) => {
    const run = await smsctl(...args.filter((arg) => arg !== undefined));
    expect(run.code).toBeGreaterThan(0);
    expect(run.stderr.trim().split('\n')).toHaveLength(1);
  });

  test('loses no route for every number by a variable of a script that is empty', async () => {
    await json('route', 'add', '*', 'acme');
    const empty = await smsctl('route', 'remove', '');
    expect(empty).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("for argument 'prefix'. A prefix has 1 to 15 digits"),
    });
    expect((await smsctl('doctor')).stdout).toContain('1 route for 1 prefix');
    await json('route', 'remove', '*');
  });
});

/** Accepts a free message to each number. */
async function accept(on: Database, accountId: string, destinations: readonly string[]): Promise<void> {
  const messages = destinations.map((destination) => ({
    id: uuidV7(),
    recipient: destination,
    destination,
    message: 'waits',
    encoding: 'standard' as const,
    segments: 1,
    price: 0n,
  }));
  const settings = { validitySeconds: 3_600, sweepAfterSeconds: 60 };
  await acceptMessages(on, [{ accountId, request: { messages, total: 0n, inBacklog: messages.length > 1 } }], settings);
}
