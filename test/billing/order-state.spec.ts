import { readFileSync } from 'node:fs';
import { describe, expect, test } from '@jest/globals';
import { ORDER_STATES, type OrderState, TRANSITIONS } from '#billing';

const exitsOf = (state: OrderState) => TRANSITIONS.filter(({ from }) => from === state);

function reachableFrom(start: OrderState): Set<OrderState> {
  const reached = new Set<OrderState>([start]);
  for (const state of reached) for (const { to } of exitsOf(state)) reached.add(to);
  return reached;
}

describe('the states of an order', () => {
  test('are all reachable from scheduled', () => {
    expect([...reachableFrom('scheduled')].sort()).toEqual([...ORDER_STATES].sort());
  });

  test.each(['delivered', 'failed', 'canceled'] as const)('%s is final', (state) => {
    expect(exitsOf(state)).toEqual([]);
  });

  test.each(ORDER_STATES.filter((state) => state !== 'failed' && state !== 'canceled'))(
    '%s can still become delivered',
    (state) => {
      expect(reachableFrom(state).has('delivered')).toBe(true);
    },
  );

  test('once sent, an order never goes back to the queue', () => {
    for (const state of ['sent', 'delivered', 'undelivered', 'unknown', 'failed', 'canceled'] as const) {
      const reached = reachableFrom(state);
      expect(reached.has('queued') || reached.has('sending')).toBe(false);
    }
  });

  test('stand in the documentation with the same steps, in the same words', () => {
    const cells = (line: string) => line.split('|').map((cell) => cell.trim());
    const page = readFileSync('docs/ARCHITECTURE.md', 'utf8');
    const [, section = ''] = page.split(/^## States$/m);
    const documented = section
      .split(/^## /m)[0]
      ?.split('\n')
      .filter((line) => line.startsWith('| ') && !line.startsWith('| From') && !line.startsWith('| --'))
      .map((line) => cells(line).slice(1, -1));
    const steps = TRANSITIONS.map(({ from, to, by, money }) => [
      from,
      to,
      Object.entries(by)
        .map(([actor, when]) => `${actor} (${when})`)
        .join('; '),
      money === 'release' ? 'release what never left' : (money ?? ''),
    ]);
    const starts = [
      ['(new)', 'queued', 'gateway', 'reserve'],
      ['(new)', 'scheduled', 'gateway (with `sendAt`)', 'reserve'],
    ];
    expect(documented).toEqual([...starts, ...steps]);
  });
});

describe('each reservation is captured or released exactly once', () => {
  const open: readonly OrderState[] = ['scheduled', 'queued', 'sending'];

  test.each(TRANSITIONS.map((row) => [row.from, row.to, row.money] as const))('%s to %s: %s', (from, to, money) => {
    const settles = open.includes(from) && !open.includes(to);
    const released: readonly OrderState[] = ['failed', 'canceled'];
    expect(money).toBe(settles ? (released.includes(to) ? 'release' : 'capture') : undefined);
  });
});
