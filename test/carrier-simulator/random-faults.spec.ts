import { describe, expect, test } from '@jest/globals';
import type { SimulatorOptions } from '../../apps/carrier-simulator/options.js';
import { boundClient, simulator } from './harness.js';
import { COMMAND, type RawClient, submitBody } from './raw-client.js';

const MESSAGES = 400;

/** Submits one after the other over as many binds as it takes; says for each what was done with it. */
async function fates(options: SimulatorOptions): Promise<string[]> {
  const running = await simulator({ receipts: 'off', ...options });
  let raw: RawClient | undefined;
  for (let count = 1; count <= MESSAGES; count++) {
    if (raw === undefined || raw.isClosed) raw = await boundClient(running);
    raw.post(COMMAND.submit, submitBody());
    await running.records.until(({ submits }) => submits.length === count);
    const current = raw;
    // An answer, a closed connection, or the answer to a question asked later.
    const probe = current.post(COMMAND.enquireLink);
    await current.until(() => current.isClosed || current.received.some(({ sequence }) => sequence === probe));
  }
  return running.records.submits.map(({ status, isTaken }) => `${status} ${isTaken ? 'taken' : 'lost'}`);
}

function count(list: readonly string[], wanted: string): number {
  return list.filter((one) => one === wanted).length;
}

describe('random faults', () => {
  const rates = { refuseRate: 0.1, throttleRate: 0.1, noResponseRate: 0.1, disconnectRate: 0.1 };

  test('are the same for the same seed, and others for another', async () => {
    const [first, second, other] = [
      await fates({ ...rates, seed: 7 }),
      await fates({ ...rates, seed: 7 }),
      await fates({ ...rates, seed: 8 }),
    ];
    expect(second).toEqual(first);
    expect(other).not.toEqual(first);
  });

  test('meet about their share, and a message without an answer is sometimes taken and sometimes lost', async () => {
    const list = await fates({ ...rates, seed: 1 });
    expect(count(list, '11 lost')).toBeGreaterThan(20);
    expect(count(list, '11 lost')).toBeLessThan(65);
    expect(count(list, '88 lost')).toBeGreaterThan(20);
    expect(count(list, '88 lost')).toBeLessThan(65);
    expect(count(list, 'undefined taken')).toBeGreaterThan(10);
    expect(count(list, 'undefined lost')).toBeGreaterThan(10);
    expect(count(list, '0 taken')).toBeGreaterThan(200);
  });

  test('fail the receipts at their share', async () => {
    const running = await simulator({ receiptDelayMs: 0, failRate: 0.25, seed: 3 });
    const raw = await boundClient(running);
    for (let sent = 0; sent < MESSAGES; sent++) raw.post(COMMAND.submit, submitBody());
    await raw.until(() => raw.deliveries.length === MESSAGES);
    const failed = running.records.receipts.filter(({ state }) => state === 'UNDELIV').length;
    expect(failed).toBeGreaterThan(70);
    expect(failed).toBeLessThan(130);
  });
});
