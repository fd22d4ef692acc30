import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { eventually } from '../support/eventually.js';
import { CHEAPEST_BACK_END } from '../support/queue.js';
import { TestService } from '../support/service.js';
import { webhookTo } from '../support/webhooks.js';

describe('the workers', () => {
  let service: TestService;
  beforeAll(async () => {
    service = await TestService.start({ backEnd: CHEAPEST_BACK_END });
  });
  afterAll(() => service.close());

  test('tell of each batch once, as soon as its messages are final', async () => {
    await webhookTo(service.database, service.accountId, 'https://example.com/', ['batch.completed']);
    await service.sendMany(20);
    await service.sendMany(30);
    await eventually(async () => {
      const told = await service.database.query(
        `select (data->>'messages')::integer as messages, (data->'byStatus'->>'delivered')::integer as delivered
           from event_batch where type = 'batch.completed' order by 1`,
      );
      expect(told).toEqual([
        { messages: 20, delivered: 20 },
        { messages: 30, delivered: 30 },
      ]);
    });
    expect(await service.database.query('select from open_batch')).toHaveLength(0);
  });
});
