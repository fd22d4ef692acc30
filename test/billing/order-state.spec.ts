import { describe, expect, test } from '@jest/globals';
import { isLegalTransition, ORDER_STATES, type OrderState, TRANSITIONS } from '#billing';

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

  test('a step is legal exactly when the table has it, and the table has it once', () => {
    for (const from of ORDER_STATES) {
      for (const to of ORDER_STATES) {
        const rows = TRANSITIONS.filter((row) => row.from === from && row.to === to);
        expect(rows.length).toBeLessThanOrEqual(1);
        expect(isLegalTransition(from, to)).toBe(rows.length === 1);
      }
    }
    expect(ORDER_STATES.some((state) => isLegalTransition(state, state))).toBe(false);
  });

  test('every step has someone who may take it', () => {
    for (const { actors } of TRANSITIONS) expect(actors.length).toBeGreaterThan(0);
  });
});

describe('each reservation is captured or released exactly once', () => {
  const open: readonly OrderState[] = ['queued', 'sending'];

  test.each(TRANSITIONS.map((row) => [row.from, row.to, row.money] as const))('%s to %s: %s', (from, to, money) => {
    const settles = open.includes(from) && !open.includes(to);
    expect(money === 'none').toBe(!settles);
    if (settles) expect(money).toBe(to === 'failed' ? 'release' : 'capture');
  });
});
