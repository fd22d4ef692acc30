import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { generate } from 'otplib';
import { addOperator, beginEnrolment, type Database, endEnrolment, findOperator } from '#persistence';
import { createTestDatabase, type TestDatabase } from '../support/database.js';
import { untilLockWaits } from '../support/lock-waits.js';
import { openTestDatabase } from '../support/secrets.js';

let server: TestDatabase;
let database: Database;
beforeAll(async () => {
  server = await createTestDatabase();
  database = await openTestDatabase(server.url);
});
afterAll(async () => {
  await database.close();
  await server.drop();
});

test('an enrolment ends once: what a person is shown as recovery codes is what counts', async () => {
  await addOperator(database, 'alice', 'admin');
  const [row] = await database.query<{ id: number }>("select operator_id as id from operator where name = 'alice'");
  const operatorId = row?.id ?? 0;
  const { secret } = await beginEnrolment(database, operatorId, 'alice');
  const code = await generate({ secret });
  const asker = await openTestDatabase(server.url, 1);
  let pressedTwice: Promise<PromiseSettledResult<unknown>[]> = Promise.resolve([]);
  await database.transaction(async (transaction) => {
    await transaction.query('select from operator for update');
    pressedTwice = Promise.allSettled([1, 2].map(() => endEnrolment(database, operatorId, 'alice', code)));
    await untilLockWaits(asker, 2);
  });
  const answers = await pressedTwice;
  await asker.close();
  expect(answers.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
  expect(await findOperator(database, 'alice')).toMatchObject({ hasSecondFactor: true, recoveryCodesLeft: 10 });
});
