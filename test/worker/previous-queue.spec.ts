import { describe, test } from '@jest/globals';
import { Queue } from 'bullmq';
import { loadConfig } from '#config';
import { queueOptions, useQueueBackEnd } from '#queue';
import { PREVIOUS_DISPATCH_QUEUE } from '../../apps/worker/dispatch/previous-queue.processor.js';
import { QUEUE_BACK_ENDS } from '../support/queue.js';
import { servicePerTest } from '../support/service-per-test.js';

describe.each(QUEUE_BACK_ENDS)('with the queue on %s', (backEnd) => {
  const start = servicePerTest({ backEnd });

  test('what a gateway of release 0.2 has put on its one queue is delivered by workers of this release', async () => {
    const running = await start({ workers: 0 });
    const id = await running.send('46701234567', 'of the release before');
    // Such a gateway knows no backlog, and the deadline of the order is far.
    await running.database.query('delete from dispatch_backlog');
    await running.database.query('delete from dispatch_turn');
    await running.database.query('update message_order set due_at = valid_until where id = $1', [id]);
    const config = loadConfig({ ...running.settings });
    useQueueBackEnd(config);
    const queue = new Queue(PREVIOUS_DISPATCH_QUEUE, queueOptions(config, 'producer', PREVIOUS_DISPATCH_QUEUE));
    try {
      await queue.waitUntilReady();
      await queue.add('dispatch', { ids: [id] });
    } finally {
      await queue.close();
    }
    await running.startWorker();
    await running.untilStatuses({ delivered: 1 });
  });
});
