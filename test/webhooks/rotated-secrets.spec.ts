import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { Webhook } from 'standardwebhooks';
import { rotateEndpointSecret, rotateSecrets, secretsStatus, sendTestEvent } from '#persistence';
import { eventually } from '../support/eventually.js';
import { anotherSecretsKey, keysFrom, openTestDatabase, TEST_SECRETS_KEY } from '../support/secrets.js';
import { TestLedger } from '../support/test-ledger.js';
import { managerOf, startTestWebhooks, TestReceiver, webhookTo } from '../support/webhooks.js';

let ledger: TestLedger;
let accountId: string;
beforeAll(async () => {
  ledger = await TestLedger.create();
  accountId = await ledger.account(1);
});
afterAll(() => ledger.close());

async function rotated(endpointId: string, overlapSeconds: number): Promise<string> {
  const manager = await managerOf(ledger.database, accountId);
  return (await rotateEndpointSecret(ledger.database, endpointId, overlapSeconds, manager)).secret;
}

test('an event is signed with the secret that its receiver has, also if the answers to later rotations were lost', async () => {
  const receiver = await TestReceiver.start();
  const webhooks = await startTestWebhooks(ledger.url);
  try {
    const { endpointId, secret } = await webhookTo(ledger.database, accountId, receiver.url, ['message.sent']);
    const rotate = (overlapSeconds: number) => rotated(endpointId, overlapSeconds);
    const all = [secret, await rotate(60), await rotate(60)];
    const manager = await managerOf(ledger.database, accountId);
    /** The secrets that the next event is signed with. */
    const signers = async () => {
      const id = await sendTestEvent(ledger.database, endpointId, manager);
      const got = await eventually(async () => {
        const found = receiver.received.find((one) => one.id === id);
        if (found === undefined) throw new Error('it has not come');
        return found;
      });
      return all.filter((one) => {
        try {
          return new Webhook(one).verify(got.body, got.headers as Record<string, string>);
        } catch {
          return false;
        }
      });
    };
    await eventually(async () => expect(await signers()).toEqual(all));
    for (let count = 0; count < 3; count += 1) all.push(await rotate(60));
    await eventually(async () => expect(await signers()).toEqual(all.slice(-5)));
    all.push(await rotate(0));
    await eventually(async () => expect(await signers()).toEqual(all.slice(-1)));
  } finally {
    await webhooks.close();
    await receiver.close();
  }
});

test('an exchange of the secrets key leaves none of them with the old key', async () => {
  const { endpointId } = await webhookTo(ledger.database, accountId, 'https://example.com/', ['message.sent']);
  for (const overlapSeconds of [60, 60]) await rotated(endpointId, overlapSeconds);
  const secretKeys = keysFrom(`${anotherSecretsKey()}\n${TEST_SECRETS_KEY}`);
  const database = await openTestDatabase(ledger.url, 2, { secretKeys });
  try {
    const usersOf = async () =>
      (await secretsStatus(database)).stored.filter(({ carriers }) => carriers.includes('webhooks'));
    expect((await usersOf()).map(({ keyId }) => keyId)).toEqual([secretKeys.ids[1]]);
    expect((await rotateSecrets(database, 'all')).reencrypted).toContain('webhooks');
    expect((await usersOf()).map(({ keyId }) => keyId)).toEqual([secretKeys.ids[0]]);
  } finally {
    await database.close();
  }
});
