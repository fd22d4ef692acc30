import { type ChildProcess, spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { SHORT_LIVED_NODE_FLAGS } from '../../scripts/process/short-lived-node-flags.js';
import { eventually } from '../support/eventually.js';
import { CHEAPEST_BACK_END } from '../support/queue.js';
import { TestService } from '../support/service.js';
import { TestReceiver, webhookSettings, webhookTo } from '../support/webhooks.js';
import { ended } from '../support/worker-process.js';

const MAIN = fileURLToPath(new URL('../../apps/webhooks/main.js', import.meta.url));
const KILLS = 5;

let service: TestService;
let receiver: TestReceiver;
beforeAll(async () => {
  service = await TestService.start({ backEnd: CHEAPEST_BACK_END });
  receiver = await TestReceiver.start();
});
afterAll(async () => {
  await receiver.close();
  await service.close();
});

function spawnWebhooks(): ChildProcess {
  const { NODE_OPTIONS: _forJest, ...environment } = process.env;
  const settings = webhookSettings(String(service.settings.DATABASE_URL));
  return spawn(process.execPath, [...SHORT_LIVED_NODE_FLAGS, MAIN], {
    env: { ...environment, ...settings },
    stdio: 'ignore',
  });
}

/**
 * Waits for what a process does. One that was killed holds the webhook only while it is heard of, and what it had asked
 * of the database may be done after its end.
 */
function untilTold(child: ChildProcess, isTold: () => boolean): Promise<boolean> {
  return eventually(
    async () => {
      await service.database.query("delete from process_heartbeat where role = 'webhooks' and process_id not like $1", [
        `%-${child.pid}-%`,
      ]);
      return isTold();
    },
    { intervalMs: 100 },
  );
}

test('the process is killed again and again while messages are delivered: no event is lost', async () => {
  await webhookTo(service.database, service.accountId, receiver.url, ['message.sent', 'message.delivered']);
  let sent = 0;
  for (let kill = 0; kill < KILLS; kill += 1) {
    const child = spawnWebhooks();
    const before = receiver.taken.length;
    await service.sendMany(40);
    sent += 40;
    await untilTold(child, () => receiver.taken.length > before);
    await ended(child, 'SIGKILL');
  }
  await service.untilStatuses({ delivered: sent });
  const last = spawnWebhooks();
  const told = () => new Set(receiver.received.map(({ event }) => `${event.type} ${event.data.messageId}`));
  await untilTold(last, () => told().size === 2 * sent);
  // What was under way at a kill may come twice, and no more than that.
  expect(receiver.taken.length - 2 * sent).toBeLessThanOrEqual(KILLS * 150);
  expect(await ended(last, 'SIGTERM')).toBe(0);
});
