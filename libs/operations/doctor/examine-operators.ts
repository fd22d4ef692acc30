import { type Database, listOperators } from '#persistence';
import { listed } from '../words.js';
import type { Finding } from './finding.js';

/** Whether an admin signs in with a password alone; nothing to report while nobody is an admin. */
export async function examineOperators(database: Database): Promise<Finding[]> {
  const check = 'second factors';
  const admins = (await listOperators(database)).filter(({ role, status }) => role === 'admin' && status === 'active');
  const without = admins.filter(({ hasSecondFactor }) => !hasSecondFactor).map(({ name }) => name);
  if (admins.length === 0) return [];
  if (without.length === 0) return [{ check, state: 'ok', detail: 'every admin has one' }];
  const detail = `admins with a password alone: ${listed(without)}; each adds a device in the console, at "Your sign-in"`;
  return [{ check, state: 'warn', detail }];
}
