import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { addCarrier, changeCarrier, leaseBinds, releaseBinds } from '#persistence';
import { recordHeartbeat, removeHeartbeat } from '../../libs/persistence/database/heartbeat.js';
import { eventually } from '../support/eventually.js';
import { heldBinds } from '../support/held-binds.js';
import { smppCarrier } from '../support/smpp-carrier.js';
import { TestLedger } from '../support/test-ledger.js';

const LEASE_MS = 60_000;
const SHORT_LEASE_MS = 50;
let ledger: TestLedger;
let carriers = 0;
beforeAll(async () => {
  ledger = await TestLedger.create();
});
afterAll(() => ledger.close());

async function sharedCarrier(bindCount: number): Promise<{ id: number; name: string }> {
  carriers += 1;
  const { carrierId, name } = await addCarrier(ledger.database, smppCarrier({ name: `shared-${carriers}`, bindCount }));
  return { id: carrierId, name };
}

const alive = (processId: string) => recordHeartbeat(ledger.database, { processId, role: 'worker', details: {} });
const dead = (processId: string) => removeHeartbeat(ledger.database, processId);
const lease = (carrierId: number, worker: string, leaseMs = LEASE_MS) =>
  leaseBinds(ledger.database, carrierId, worker, leaseMs);
const holders = async (carrierId: number) =>
  (await heldBinds(ledger.database)).filter((bind) => bind.carrierId === carrierId).map(({ owner }) => owner);

describe('the binds of a carrier that all workers share', () => {
  test('are all the only worker’s, and shared out when others come', async () => {
    const { id } = await sharedCarrier(5);
    await alive('a');
    expect(await lease(id, 'a')).toEqual({ held: [1, 2, 3, 4, 5], share: 5, bindCount: 5 });
    await alive('b');
    expect(await lease(id, 'b')).toEqual({ held: [], share: 2, bindCount: 5 });
    expect((await lease(id, 'a')).share).toBe(3);
    await releaseBinds(ledger.database, id, 'a', [4, 5]);
    expect((await lease(id, 'b')).held).toEqual([4, 5]);
    expect((await lease(id, 'a')).held).toEqual([1, 2, 3]);
    await dead('a');
    await dead('b');
  });

  test('are never leased twice, however many workers ask at the same time', async () => {
    const { id } = await sharedCarrier(4);
    const workers = Array.from({ length: 7 }, (_, index) => `w${index}`);
    for (const worker of workers) await alive(worker);
    for (let round = 0; round < 3; round += 1) {
      const leases = await Promise.all(workers.map((worker) => lease(id, worker)));
      const slots = leases.flatMap(({ held }) => held);
      expect(new Set(slots).size).toBe(slots.length);
      expect(slots.length).toBe(4);
      expect(leases.every(({ held }) => held.length <= 1)).toBe(true);
    }
    for (const worker of workers) await dead(worker);
  });

  test('of a worker that is gone are free when their lease ends, under a new epoch', async () => {
    const { id } = await sharedCarrier(1);
    expect((await lease(id, 'gone', SHORT_LEASE_MS)).held).toEqual([1]);
    await eventually(async () => expect(await holders(id)).toEqual([]));
    expect((await lease(id, 'next')).held).toEqual([1]);
    const [bind] = (await heldBinds(ledger.database)).filter((held) => held.carrierId === id);
    expect(bind?.epoch).toBe(2);
    // The one that was gone comes back and holds nothing.
    expect((await lease(id, 'gone')).held).toEqual([]);
  });

  test('are not taken by others while the operator has lowered their number and the old holders have not let go', async () => {
    const { id, name } = await sharedCarrier(3);
    await alive('a');
    expect((await lease(id, 'a')).held).toEqual([1, 2, 3]);
    await changeCarrier(ledger.database, name, { bindCount: 2 });
    await alive('b');
    expect(await lease(id, 'b')).toEqual({ held: [], share: 1, bindCount: 2 });
    await releaseBinds(ledger.database, id, 'a', [3]);
    expect((await lease(id, 'b')).held).toEqual([]);
    await releaseBinds(ledger.database, id, 'a', [2]);
    expect((await lease(id, 'b')).held).toEqual([2]);
    await dead('a');
    await dead('b');
  });
});
