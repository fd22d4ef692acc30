import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { eventually } from '../support/eventually.js';
import { CHEAPEST_BACK_END } from '../support/queue.js';
import { TestService } from '../support/service.js';
import { ended, spawnWorker } from '../support/worker-process.js';

let service: TestService;
beforeAll(async () => {
  service = await TestService.start({ backEnd: CHEAPEST_BACK_END, workers: 0 });
});
afterAll(() => service.close());

const heartbeats = () => service.database.query<{ process_id: string }>('select process_id from process_heartbeat');

test('a process that is sent SIGHUP ends in order, and is not missed', async () => {
  const before = (await heartbeats()).length;
  const child = spawnWorker(service);
  await eventually(async () => expect(await heartbeats()).toHaveLength(before + 1));
  expect(await ended(child, 'SIGHUP')).toBe(0);
  // One that is killed leaves its own behind.
  expect(await heartbeats()).toHaveLength(before);
});
