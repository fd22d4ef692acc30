import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { addApiKey, closeAccount, sandboxOf } from '#persistence';
import { examineWebhooks } from '../../libs/operations/doctor/examine-webhooks.js';
import { recordHeartbeat } from '../../libs/persistence/database/heartbeat.js';
import { TestLedger } from '../support/test-ledger.js';
import { webhookTo } from '../support/webhooks.js';
import { runSmsctl } from './run-smsctl.js';

let ledger: TestLedger;
beforeAll(async () => {
  ledger = await TestLedger.create();
});
afterAll(() => ledger.close());

const smsctl = (...args: string[]) => runSmsctl(['webhook', ...args], { DATABASE_URL: ledger.url });
const json = async (...args: string[]) => {
  const run = await smsctl(...args, '--json');
  expect(run).toMatchObject({ code: 0, stderr: '' });
  return JSON.parse(run.stdout);
};

test('an operator sees the webhooks of an account without their secrets, stops one and starts it again', async () => {
  const accountId = await ledger.account(1);
  const { endpointId, secret } = await webhookTo(ledger.database, accountId, 'https://example.com/', ['message.sent']);
  expect(await json('list', accountId)).toMatchObject([{ endpointId, accountId, disabledAt: null }]);
  const shown = await smsctl('show', endpointId);
  expect(shown.stdout).toContain('https://example.com/');
  expect(shown.stdout).not.toContain(secret);
  expect(await json('disable', endpointId)).toMatchObject({ disabledReason: 'operator' });
  expect(await json('enable', endpointId, '--resume', 'now')).toMatchObject({ disabledReason: null });
  const doctor = await runSmsctl(['doctor', '--json'], { DATABASE_URL: ledger.url }, { isWarm: true });
  expect(doctor.stdout).toContain('no process delivers them');
});

test('webhooks of test keys stand with their account, and are marked', async () => {
  const accountId = await ledger.account(1);
  await addApiKey(ledger.database, accountId, { isTest: true });
  const { endpointId } = await webhookTo(ledger.database, sandboxOf(accountId), 'https://example.com/', [
    'message.sent',
  ]);
  expect(await json('list', accountId)).toMatchObject([{ endpointId, accountId, test: true }]);
  expect((await smsctl('list')).stdout).toMatch(new RegExp(`${endpointId} +${accountId} \\(test\\) `));
  expect((await smsctl('show', endpointId)).stdout).toContain(`${accountId} (test)\n`);
});

test('doctor says nothing of the webhooks of a closed account, which nobody can mend any more', async () => {
  const [accountId, closedId] = [await ledger.account(1), await ledger.account(1)];
  await addApiKey(ledger.database, closedId, { isTest: true });
  await recordHeartbeat(ledger.database, { processId: 'h', role: 'webhooks', details: {} });
  for (const owner of [accountId, closedId, sandboxOf(closedId)]) {
    const { endpointId } = await webhookTo(ledger.database, owner, 'https://example.com/', ['message.sent']);
    await ledger.database.query('update webhook_progress set failing_since = now() where endpoint_id = $1', [
      endpointId,
    ]);
  }
  await closeAccount(ledger.database, closedId);
  const findings = await examineWebhooks(ledger.database);
  expect(findings[0]?.detail).toContain(`of account ${accountId} fails`);
  expect(findings[0]?.detail).not.toContain(`of account ${closedId}`);
});

test('what cannot be meant is refused in one line', async () => {
  expect(await smsctl('show', 'we_0')).toMatchObject({ code: 1, stderr: 'smsctl: there is no webhook we_0\n' });
  expect(await smsctl('enable', 'we_0', '--resume', 'later')).toMatchObject({ code: 2 });
});
