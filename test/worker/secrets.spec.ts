import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { liveProcesses } from '#persistence';
import { eventually } from '../support/eventually.js';
import { CHEAPEST_BACK_END } from '../support/queue.js';
import { anotherSecretsKey, TEST_SECRETS_KEY } from '../support/secrets.js';
import { TestService } from '../support/service.js';

let service: TestService;
beforeAll(async () => {
  service = await TestService.start({
    backEnd: CHEAPEST_BACK_END,
    settings: { SECRETS_KEY: anotherSecretsKey() },
    workers: 0,
    simulator: { httpPort: 0 },
  });
});
afterAll(() => service.close());

test('a worker without the key runs on; its carrier is down with the reason, and takes messages once there is a key', async () => {
  const blind = await service.startWorker();
  const id = await service.send('46700123456', 'with the wrong key');
  const reports = async () => {
    const [worker] = await liveProcesses(service.database, 'worker');
    return worker?.details.carriers as { name: string; state: string; fault: string | null }[];
  };
  await eventually(async () => {
    expect((await reports()).find(({ name }) => name === 'simulator')).toMatchObject({
      state: 'down',
      fault: expect.stringMatching(/^its password is encrypted with key [0-9a-f]{8}, which this process does not have/),
    });
  });
  expect((await service.messages()).get(id)?.status).toBe('queued');
  await service.stopWorker(blind);
  await service.startWorker({ SECRETS_KEY: TEST_SECRETS_KEY });
  await service.untilEnded(new Map([[id, 'delivered']]));
});

test('a gateway without the key asks the provider to call again, and does not take the call for a forgery', async () => {
  await service.addHttpCarrier({ name: 'by-http' });
  const answer = await fetch(`${service.gatewayUrl}/carriers/by-http/status`, {
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded', 'x-twilio-signature': 'c2lnbmF0dXJl' },
    body: 'MessageSid=SM1&MessageStatus=delivered',
  });
  expect(answer.status).toBe(503);
  expect(await answer.json()).toMatchObject({ code: 'unavailable', detail: expect.not.stringContaining('key') });
});
