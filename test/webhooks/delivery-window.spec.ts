import { expect, test } from '@jest/globals';
import { DeliveryWindow } from '../../apps/webhooks/delivery-window.js';

/** A receiver may take 15 s; this one takes less, and is slow all the same. */
const SLOW_MS = 3_000;

function afterAnswers(window: DeliveryWindow, count: number, durationMs: number): number {
  for (let answers = 0; answers < count; answers += 1) window.succeeded(durationMs);
  return window.limit;
}

test('a receiver that always answers slowly gets eight requests at a time, so that its events do not pile up', () => {
  expect(afterAnswers(new DeliveryWindow(), 100, SLOW_MS)).toBe(8);
});

test('a receiver that becomes slow holds eight connections, not all that it got while it was fast', () => {
  const window = new DeliveryWindow();
  expect(afterAnswers(window, 10_000, 50)).toBe(64);
  expect(afterAnswers(window, 3, SLOW_MS)).toBe(8);
});

test('a slow receiver gets more than one request at a time again after a failing time', () => {
  const window = new DeliveryWindow();
  window.restart();
  expect(afterAnswers(window, 2, SLOW_MS)).toBeLessThan(4);
  expect(afterAnswers(window, 100, SLOW_MS)).toBe(8);
});

test('a receiver that fails gets fewer requests, at last one at a time', () => {
  const window = new DeliveryWindow();
  for (let failures = 0; failures < 3; failures += 1) window.failed();
  expect(window.limit).toBe(1);
});
