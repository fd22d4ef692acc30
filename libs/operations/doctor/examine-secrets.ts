import { type Database, lackOf, processesWithoutKeys, type SecretsStatus, secretsStatus } from '#persistence';
import type { Finding } from './finding.js';

/** Nothing to report if nothing is stored encrypted. */
export async function examineSecrets(database: Database): Promise<Finding[]> {
  const status = await secretsStatus(database);
  if (status.stored.length === 0) return [];
  const keyIds = status.stored.map(({ keyId }) => keyId);
  const lacking = (await processesWithoutKeys(database, keyIds)).filter(({ missing }) => missing !== undefined);
  return [secretsFinding(status, lacking.map(lackOf))];
}

/** Whether the service, and anybody who breaks into it, has rights on the whole database server. */
export async function examineRole(database: Database): Promise<Finding[]> {
  const [row] = await database.query<{ role: string; may_all: boolean }>(
    'select rolname as role, rolsuper as may_all from pg_roles where rolname = current_user',
  );
  if (row?.may_all !== true) return [];
  const detail = `${row.role} is a superuser: let the service use a role that owns its database and nothing else`;
  return [{ check: 'database role', state: 'warn', detail }];
}

function secretsFinding(status: SecretsStatus, lacking: readonly string[]): Finding {
  const check = 'secrets';
  const clear = status.stored.find(({ keyId }) => keyId === null)?.carriers ?? [];
  const faults = [...status.unreadable.map(({ carrier, reason }) => `of ${carrier}, ${reason}`), ...lacking];
  if (faults.length > 0) return { check, state: 'fail', detail: faults.join('; ') };
  if (clear.length > 0) {
    const how = status.keyIds.length > 0 ? '`smsctl secrets rotate` encrypts them' : 'see `smsctl secrets key --help`';
    return { check, state: 'warn', detail: `the secrets of ${clear.join(', ')} are stored in clear: ${how}` };
  }
  const keys = status.stored.map(({ keyId }) => keyId).join(', ');
  return { check, state: 'ok', detail: `encrypted with key ${keys}` };
}
