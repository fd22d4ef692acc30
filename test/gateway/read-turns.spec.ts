import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { eventually } from '../support/eventually.js';
import { RECIPIENT, TestGateway } from '../support/gateway.js';

const LONGEST_MS = 8_000;
let gateway: TestGateway;
beforeAll(async () => {
  gateway = await TestGateway.start({ settings: { DATABASE_POOL_SIZE: '8' } });
});
afterAll(() => gateway.close());

test.each([
  ['inbound_message', '/v1/message/inbound'],
  ['suppression', '/v1/account/suppressions'],
])('however many lists of %s an account asks for, others need not wait for all of them', async (table, path) => {
  const [busy, other] = [await gateway.account(), await gateway.account()];
  let isHeld = true;
  let lists: Promise<{ status: number }[]> = Promise.resolve([]);
  await gateway.database.transaction(async (transaction) => {
    await transaction.query(`lock table ${table} in access exclusive mode`);
    const pages = Array.from({ length: 40 }, (_, page) => busy.get(`${path}?limit=${page + 1}`));
    lists = Promise.all(pages);
    await eventually(async () => {
      const waiting = await gateway.database.query(
        'select from pg_locks where not granted and relation = $1::regclass',
        [table],
      );
      return waiting.length >= 3;
    });
    const release = new Promise((resolve) => setTimeout(resolve, LONGEST_MS).unref());
    const sends = (async () => {
      for (let sent = 0; sent < 5; sent += 1) {
        expect((await other.send({ recipient: RECIPIENT, message: 'hi' })).status).toBe(201);
      }
    })();
    isHeld = await Promise.race([sends.then(() => true), release.then(() => false)]);
  });
  expect(isHeld).toBe(true);
  for (const { status } of await lists) expect(status).toBe(200);
});
