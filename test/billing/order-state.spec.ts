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
  test('are all reachable from queued', () => {
    expect([...reachableFrom('queued')].sort()).toEqual([...ORDER_STATES].sort());
  });

  test.each(['delivered', 'failed'] as const)('%s is final', (state) => {
    expect(exitsOf(state)).toEqual([]);
  });

  test.each(ORDER_STATES.filter((state) => state !== 'failed'))('%s can still become delivered', (state) => {
    expect(reachableFrom(state).has('delivered')).toBe(true);
  });

  test('once sent, an order never goes back to the queue', () => {
    for (const state of ['sent', 'delivered', 'undelivered', 'unknown', 'failed'] as const) {
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
    expect(documented).toEqual([['(new)', 'queued', 'gateway', 'reserve'], ...steps]);
  });
});

describe('each reservation is captured or released exactly once', () => {
  const open: readonly OrderState[] = ['queued', 'sending'];

  test.each(TRANSITIONS.map((row) => [row.from, row.to, row.money] as const))('%s to %s: %s', (from, to, money) => {
    const settles = open.includes(from) && !open.includes(to);
    expect(money).toBe(settles ? (to === 'failed' ? 'release' : 'capture') : undefined);
  });
});
