import { afterEach, expect, jest, test } from '@jest/globals';
import type { Carrier } from '#carrier';
import type { StoredCarrier } from '#persistence';
import { PooledCarrier } from '../../apps/worker/carriers/pooled-carrier.js';
import { eventually } from '../support/eventually.js';
import { CHEAPEST_BACK_END } from '../support/queue.js';
import { TestService } from '../support/service.js';

afterEach(() => {
  jest.restoreAllMocks();
});

test('a carrier that takes nothing is left for another of its route, although it is asked every 5 s', () => {
  let nowMs = 1_000_000;
  jest.spyOn(performance, 'now').mockImplementation(() => nowMs);
  const slots: never[] = [];
  const pooled = new PooledCarrier({ carrierId: 1, name: 'one', windowSize: 10, paused: false } as StoredCarrier);
  pooled.carrier = { state: 'bound', takeSlots: () => slots } as unknown as Carrier;
  pooled.noteOutcome('throttled');
  for (let ms = 0; ms <= 4_000; ms += 500) {
    expect(pooled.readiness).toBe('throttled');
    nowMs += 500;
  }
  expect(pooled.isToBeLeft).toBe(true);

  pooled.noteOutcome('accepted');
  expect(pooled.readiness).toBe('up');
});

test('a message that is throttled again and again waits longer and longer, as what else is sent again later', async () => {
  const service = await TestService.start({ backEnd: CHEAPEST_BACK_END });
  const { database } = service;
  try {
    // The simulator throttles it three times.
    const id = await service.send('+46799900003', 'Your number takes no more today');
    const tries = "update message_order set epoch = 6 where id = $1 and state = 'queued' and epoch = 1 returning id";
    await eventually(async () => expect(await database.query(tries, [id])).toHaveLength(1));
    const waits =
      "select state, due_at > now() + interval '20 s' as waits from message_order where id = $1 and epoch > 6";
    await eventually(async () => expect(await database.query(waits, [id])).toEqual([{ state: 'queued', waits: true }]));
  } finally {
    await service.close();
  }
});
