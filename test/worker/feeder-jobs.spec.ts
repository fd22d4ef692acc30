import { afterAll, beforeAll, test } from '@jest/globals';
import { BullModule } from '@nestjs/bullmq';
import { Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { loadConfig } from '#config';
import { consumerOptions, FEEDER_QUEUE } from '#queue';
import { Feeder } from '../../apps/worker/dispatch/feeder.js';
import { FeederProcessor } from '../../apps/worker/dispatch/feeder.processor.js';
import { RepeatedFaults } from '../../apps/worker/operations/repeated-faults.js';
import { createTestDatabase, type TestDatabase } from '../support/database.js';
import { eventually } from '../support/eventually.js';
import { backEndSettings, openQueue, QUEUE_BACK_ENDS } from '../support/queue.js';

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());

@Module({})
class FeederJobs {}

test.each(QUEUE_BACK_ENDS)('what is accepted while a feeder is woken wakes it again, on %s', async (backEnd) => {
  const settings = { DATABASE_URL: database.url, ...(await backEndSettings(backEnd)) };
  const producer = await openQueue(settings);
  let woken = 0;
  const wake = () => {
    woken += 1;
    // The feeder has read the backlogs, and a gateway accepts into one.
    if (woken === 1) void producer.queues.wakeFeeder();
  };
  const consumer = await NestFactory.createApplicationContext(
    {
      module: FeederJobs,
      imports: [
        BullModule.forRoot(FEEDER_QUEUE, consumerOptions(loadConfig(settings), FEEDER_QUEUE)),
        BullModule.registerQueue(),
      ],
      providers: [
        FeederProcessor,
        { provide: Feeder, useValue: { wake } },
        { provide: RepeatedFaults, useValue: { queueUnreachable: () => undefined } },
      ],
    },
    { logger: false, abortOnError: false },
  );
  try {
    await producer.queues.wakeFeeder();
    await eventually(() => woken >= 2, { timeoutMs: 20_000 });
  } finally {
    await consumer.close();
    await producer.close();
  }
});
