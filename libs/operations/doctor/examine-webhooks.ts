import { type Database, isSandbox, listEndpoints, liveProcesses, ownerOf } from '#persistence';
import type { Finding } from './finding.js';

/** Whether webhooks are delivered, and which of them do not work; nothing to report while no account has one. */
export async function examineWebhooks(database: Database): Promise<Finding[]> {
  const check = 'webhooks';
  const all = await listEndpoints(database, { isOpen: true });
  const endpoints = all.filter(({ disabledReason }) => disabledReason !== 'client');
  if (endpoints.length === 0) return [];
  if ((await liveProcesses(database, 'webhooks')).length === 0) {
    return [{ check, state: 'fail', detail: 'no process delivers them: start dist/apps/webhooks/main.js' }];
  }
  const disabled = endpoints.filter(({ disabledReason }) => disabledReason === 'failing' || disabledReason === 'gone');
  const failing = endpoints.filter(({ disabledAt, failingSince }) => disabledAt === undefined && failingSince);
  if (disabled.length + failing.length === 0) return [{ check, state: 'ok', detail: `${endpoints.length} work` }];
  const words = [
    ...failing.map(({ endpointId, accountId }) => `${endpointId} of ${holder(accountId)} fails`),
    ...disabled.map(({ endpointId, accountId }) => `${endpointId} of ${holder(accountId)} was disabled`),
  ];
  const more = words.length > 5 ? ` and ${words.length - 5} more` : '';
  return [{ check, state: 'warn', detail: `${words.slice(0, 5).join('; ')}${more}: \`smsctl webhook list\`` }];
}

function holder(accountId: string): string {
  return `account ${ownerOf(accountId)}${isSandbox(accountId) ? ' (test)' : ''}`;
}
