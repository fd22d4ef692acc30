import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import {
  type CarrierReadiness,
  excludedSimulators,
  inOrder,
  type RouteEntry,
  RouteTable,
  steadyRandom,
  takesMessages,
} from '#carrier';
import { fuzz } from '../support/fuzz.js';

const READINESS: readonly CarrierReadiness[] = [
  'up',
  'bound-elsewhere',
  'throttled',
  'down',
  'paused',
  'excluded',
  'removed',
];

const prefix = fc.stringMatching(/^([1-9][0-9]{0,5})?$/);
const destination = fc.stringMatching(/^[1-9][0-9]{6,14}$/);
const entries = fc.uniqueArray(
  fc.record<RouteEntry>({
    prefix,
    carrierId: fc.integer({ min: 1, max: 6 }),
    rank: fc.integer({ min: 1, max: 4 }),
    weight: fc.integer({ min: 1, max: 1_000 }),
  }),
  { selector: (entry) => `${entry.prefix}/${entry.carrierId}`, maxLength: 25 },
);
const states = fc.array(fc.constantFrom(...READINESS), { minLength: 7, maxLength: 7 });
const draws = fc.array(fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }), { minLength: 30, maxLength: 30 });

/** The given numbers, over and over. */
function from(values: readonly number[]): () => number {
  let next = 0;
  return () => values[next++ % values.length] ?? 0;
}

const target = (carrierId: number, rank: number, weight = 1) => ({ carrierId, rank, weight });

describe('the route of a number', () => {
  test('is the one with its longest prefix, whatever else there is', () => {
    fc.assert(
      fc.property(entries, destination, (rows, number) => {
        const matching = rows.filter((row) => number.startsWith(row.prefix));
        const longest = Math.max(...matching.map((row) => row.prefix.length));
        const found = new RouteTable(rows).find(number);
        if (matching.length === 0) return expect(found).toBeUndefined();
        expect(found?.prefix.length).toBe(longest);
        const wanted = matching.filter((row) => row.prefix.length === longest);
        expect(found?.targets).toEqual(wanted.map(({ prefix: _prefix, ...rest }) => rest));
      }),
      fuzz(100),
    );
  });

  test('with an empty prefix is for every number that no other route is for', () => {
    const table = new RouteTable([
      { prefix: '', ...target(1, 1) },
      { prefix: '46', ...target(2, 1) },
    ]);
    expect(table.find('4912345678')?.targets).toEqual([target(1, 1)]);
    expect(table.find('4612345678')?.targets).toEqual([target(2, 1)]);
    expect(new RouteTable([{ prefix: '46', ...target(2, 1) }]).find('4912345678')).toBeUndefined();
  });

  test('serves it if one of its carriers has not been removed; without routes every number is served', () => {
    expect(new RouteTable([]).serves('4912345678')).toBe(true);
    const table = new RouteTable([
      { prefix: '4', ...target(1, 1) },
      { prefix: '46', ...target(2, 1), isCarrierRemoved: true },
    ]);
    expect(['4912345678', '4612345678', '33612345678'].map((number) => table.serves(number))).toEqual([
      true,
      false,
      false,
    ]);
  });
});

describe('a simulator', () => {
  const real = { carrierId: 1, simulator: false };
  const simulator = { carrierId: 2, simulator: true };
  const other = { carrierId: 3, simulator: true };
  const routes = (...named: number[]) =>
    new RouteTable(named.map((carrierId) => ({ prefix: '46', ...target(carrierId, 1) })));

  test.each([
    ['alone', [simulator], routes(), []],
    ['beside another simulator', [simulator, other], routes(), []],
    ['beside a real carrier', [real, simulator, other], routes(), [2, 3]],
    ['beside a real carrier, named by a route', [real, simulator, other], routes(2), [3]],
    ['beside a real carrier that alone has routes', [real, simulator], routes(1), [2]],
  ])('%s: the simulators that take nothing', (_case, carriers, table, excluded) => {
    expect([...excludedSimulators(carriers, table)]).toEqual(excluded);
  });

  test('that is excluded comes after every real carrier, in whatever state that one is', () => {
    for (const state of READINESS.filter((each) => each !== 'excluded' && each !== 'removed')) {
      const order = inOrder([target(2, 1, 1_000), target(1, 2)], (id) => (id === 2 ? 'excluded' : state), Math.random);
      expect(order[0]?.carrierId).toBe(1);
    }
  });
});

describe('the carriers of a route', () => {
  test('are all in the order, each once, and no other carrier is', () => {
    fc.assert(
      fc.property(entries, destination, states, draws, (rows, number, readiness, random) => {
        const route = new RouteTable(rows).find(number);
        if (route === undefined) return;
        const order = inOrder(route.targets, (id) => readiness[id] ?? 'removed', from(random));
        const ids = (targets: readonly { carrierId: number }[]) => targets.map(({ carrierId }) => carrierId).sort();
        expect(ids(order)).toEqual(ids(route.targets));
      }),
      fuzz(100),
    );
  });

  test('that take messages come before those that do not, and among either the ranks stand in order', () => {
    fc.assert(
      fc.property(entries, destination, states, draws, (rows, number, readiness, random) => {
        const route = new RouteTable(rows).find(number);
        if (route === undefined) return;
        const stateOf = (id: number) => readiness[id] ?? 'removed';
        const order = inOrder(route.targets, stateOf, from(random));
        const taking = order.filter(({ carrierId }) => takesMessages(stateOf(carrierId)));
        expect(order.slice(0, taking.length)).toEqual(taking);
        expect(taking.map(({ rank }) => rank)).toEqual(taking.map(({ rank }) => rank).sort((a, b) => a - b));
      }),
      fuzz(100),
    );
  });

  test('of a later rank get nothing while one of an earlier rank takes messages', () => {
    const targets = [target(1, 1), target(2, 2), target(3, 3)];
    const first = (down: Partial<Record<number, CarrierReadiness>>) =>
      inOrder(targets, (id) => down[id] ?? 'up', Math.random)[0]?.carrierId;
    expect(first({})).toBe(1);
    expect(first({ 1: 'down' })).toBe(2);
    expect(first({ 1: 'throttled' })).toBe(2);
    expect(first({ 1: 'paused', 2: 'down' })).toBe(3);
    expect(first({ 1: 'bound-elsewhere' })).toBe(1);
  });

  test('when none takes messages: the one that is likeliest to be back first keeps them', () => {
    const targets = [target(1, 1), target(2, 2), target(3, 3)];
    const first = (...all: CarrierReadiness[]) =>
      inOrder(targets, (id) => all[id - 1] ?? 'removed', Math.random)[0]?.carrierId;
    expect(first('down', 'down', 'down')).toBe(1);
    expect(first('down', 'throttled', 'down')).toBe(2);
    expect(first('removed', 'paused', 'down')).toBe(3);
    expect(first('removed', 'paused', 'removed')).toBe(2);
  });

  test('of one rank share the messages by weight', () => {
    const targets = [target(1, 1, 60), target(2, 1, 30), target(3, 1, 10), target(4, 2, 1_000)];
    const counts = new Map<number, number>();
    for (let message = 0; message < 20_000; message += 1) {
      const chosen = inOrder(targets, () => 'up', steadyRandom(`order ${message}`))[0]?.carrierId ?? 0;
      counts.set(chosen, (counts.get(chosen) ?? 0) + 1);
    }
    expect((counts.get(1) ?? 0) / 20_000).toBeCloseTo(0.6, 1);
    expect((counts.get(2) ?? 0) / 20_000).toBeCloseTo(0.3, 1);
    expect((counts.get(3) ?? 0) / 20_000).toBeCloseTo(0.1, 2);
    expect(counts.get(4)).toBeUndefined();
  });

  test('give a message the same one every time that it is looked at, as long as they stand as they do', () => {
    const targets = [target(1, 1, 5), target(2, 1, 5), target(3, 1, 5)];
    for (let message = 0; message < 100; message += 1) {
      const look = () => inOrder(targets, () => 'up', steadyRandom(`order ${message}`));
      expect(look()).toEqual(look());
    }
  });
});
