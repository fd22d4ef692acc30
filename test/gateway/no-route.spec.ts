import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { addCarrier, addRoute, removeRoute, setCarrierPaused } from '#persistence';
import { announceChange } from '../../libs/persistence/database/changes.js';
import { eventually } from '../support/eventually.js';
import { expectProblem, faultsOf } from '../support/expect-problem.js';
import { RECIPIENT, type TestAccount, TestGateway } from '../support/gateway.js';
import { smppCarrier } from '../support/smpp-carrier.js';

const ROUTED = { recipient: RECIPIENT, message: 'hi' };
/** It has a price, and no route once only 46 has one. */
const UNROUTED = { recipient: '+491701234567', message: 'hi' };
const NO_ROUTE = { field: 'recipient', code: 'no_route' };

describe('a send that no route serves', () => {
  let gateway: TestGateway;
  let account: TestAccount;
  beforeAll(async () => {
    gateway = await TestGateway.start();
    account = await gateway.account();
    await addCarrier(gateway.database, smppCarrier());
  });
  afterEach(async () => {
    await gateway.database.query('delete from route');
    await tellOfChange();
    await untilHeard(UNROUTED, 200);
  });
  afterAll(() => gateway.close());

  const route = (prefix: string) =>
    addRoute(gateway.database, { prefix, carrier: 'acme', rank: 1, weight: 1, cost: undefined }, true);
  const tellOfChange = () => announceChange(gateway.database, 'carriers');
  const untilHeard = (to: { recipient: string }, status: number) =>
    eventually(async () => {
      const quoted = await account.post('/v1/message/quote', { ...to, message: 'hi' });
      expect(quoted.status).toBe(status);
    });
  const untilRefused = () => untilHeard(UNROUTED, 422);

  test('is refused at once, stores nothing and costs nothing', async () => {
    await route('46');
    await untilRefused();
    const before = await account.standing();
    const problem = expectProblem(await account.send(UNROUTED), 422, 'no_route');
    expect(faultsOf(problem)).toEqual([NO_ROUTE]);
    expect(await account.standing()).toEqual(before);
    expect((await account.send(ROUTED)).status).toBe(201);
  });

  test('refuses a whole batch, and each such entry is named beside those with other faults', async () => {
    await route('46');
    await untilRefused();
    const before = await account.standing();
    const problem = expectProblem(await account.sendBatch([UNROUTED, ROUTED, UNROUTED]), 422, 'no_route');
    expect(faultsOf(problem)).toEqual([0, 2].map((arrayPosition) => ({ ...NO_ROUTE, arrayPosition })));
    const mixed = [{ ...ROUTED, message: ' ' }, UNROUTED, { recipient: '+999700100200', message: 'hi' }];
    const faults = faultsOf(expectProblem(await account.sendBatch(mixed), 400, 'invalid_request'));
    expect(faults).toEqual([
      { field: 'message', code: 'message_empty', arrayPosition: 0 },
      { ...NO_ROUTE, arrayPosition: 1 },
      { field: 'recipient', code: 'no_rate', arrayPosition: 2 },
      { ...NO_ROUTE, arrayPosition: 2 },
    ]);
    expect(await account.standing()).toEqual(before);
  });

  test('is refused by a quote in the same words', async () => {
    await route('46');
    await untilRefused();
    const sent = expectProblem(await account.send(UNROUTED), 422, 'no_route');
    const quoted = expectProblem(await account.post('/v1/message/quote', UNROUTED), 422, 'no_route');
    expect([quoted.detail, quoted.errors]).toEqual([sent.detail, sent.errors]);
    const batch = await account.post('/v1/message/quote', { messages: [ROUTED, UNROUTED] });
    expect(faultsOf(expectProblem(batch, 422, 'no_route'))).toEqual([{ ...NO_ROUTE, arrayPosition: 1 }]);
  });

  test('is accepted as soon as an operator adds a route, and where there are no routes at all', async () => {
    expect((await account.send(UNROUTED)).status).toBe(201);
    await route('46');
    await untilRefused();
    await route('49');
    await untilHeard(UNROUTED, 200);
    expect((await account.send(UNROUTED)).status).toBe(201);
    await removeRoute(gateway.database, '49', undefined);
    await untilRefused();
    await removeRoute(gateway.database, '46', undefined);
    await untilHeard(UNROUTED, 200);
  });

  test('is accepted and waits where the carriers of its route are only paused', async () => {
    await route('49');
    await setCarrierPaused(gateway.database, 'acme', true);
    await untilHeard(ROUTED, 422);
    expect((await account.send(UNROUTED)).status).toBe(201);
    await setCarrierPaused(gateway.database, 'acme', false);
  });

  test('is refused where every carrier of its route has been removed', async () => {
    await addCarrier(gateway.database, smppCarrier({ name: 'gone' }));
    await route('');
    await addRoute(gateway.database, { prefix: '49', carrier: 'gone', rank: 1, weight: 1, cost: undefined }, true);
    // As the version before left it: a route to a carrier that is not there any more.
    await gateway.database.query("update carrier set removed_at = now() where name = 'gone'");
    await tellOfChange();
    await untilRefused();
    expectProblem(await account.send(UNROUTED), 422, 'no_route');
    expect((await account.send(ROUTED)).status).toBe(201);
  });

  test('is answered like the first time when its key was used before the route went', async () => {
    const key = { 'Idempotency-Key': randomUUID() };
    const first = await account.send(UNROUTED, key);
    await route('46');
    await untilRefused();
    const again = await account.send(UNROUTED, key);
    expect([again.status, again.text]).toEqual([201, first.text]);
    expect(again.headers['idempotent-replayed']).toBe('true');
  });
});
