import { afterAll } from '@jest/globals';
import { listCarriers, removeCarrier, suspendAccount } from '#persistence';
import { eventually } from './eventually.js';
import { TestService, type TestServiceOptions } from './service.js';

/** What a test may choose for itself. */
type OptionsOfTest = Pick<TestServiceOptions, 'settings' | 'simulator' | 'carrier' | 'workers'>;

/**
 * For the tests of a block that can share a service, because each start of one costs seconds: how each test begins. It
 * finds what a new service has: an account with 1,000 EUR, its carrier alone and without routes, a simulator without
 * records, and as many workers as it asks for. The database still has what the tests before it sent, of which nothing
 * is queued or being sent, and the gateway may know the carrier already. A test with other settings than the one before
 * it gets a new service. The last one is closed after the block. To be called where hooks are registered.
 *
 * @param defaults what the tests of the block have in common
 */
export function sharedService(defaults: TestServiceOptions): (options?: OptionsOfTest) => Promise<TestService> {
  let service: TestService | undefined;
  let settings: string | undefined;
  const close = async () => {
    const open = service;
    service = undefined;
    await open?.close();
  };
  afterAll(close);
  return async (options = {}) => {
    const wanted = { ...defaults, ...options };
    if (settings !== JSON.stringify(wanted.settings ?? {})) await close();
    settings = JSON.stringify(wanted.settings ?? {});
    if (service === undefined) service = await TestService.start(wanted);
    else await beginAnew(service, wanted);
    return service;
  };
}

async function beginAnew(service: TestService, { simulator, carrier, workers = 1 }: TestServiceOptions): Promise<void> {
  const { database } = service;
  await suspendAccount(database, service.accountId, 'refund');
  await eventually(async () => {
    const open = await database.query("select from message_order where state in ('queued', 'sending')");
    if (open.length > 0) throw new Error(`the test before has left ${open.length} messages open`);
  });
  for (const worker of service.runningWorkers.slice(workers)) await service.stopWorker(worker);
  for (const { name } of await listCarriers(database)) await removeCarrier(database, name, true);
  await service.replaceSimulator(simulator);
  await service.openAccount();
  if (carrier !== 'none') {
    await service.addCarrier(carrier);
    await eventually(() => service.simulator.binds.length >= service.runningWorkers.length);
  }
  // What workers have reported is about the carriers of the test before.
  await database.query("update process_heartbeat set details = details - 'carriers' where role = 'worker'");
  while (service.runningWorkers.length < workers) await service.startWorker();
}
