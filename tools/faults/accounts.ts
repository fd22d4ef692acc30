import { formatMicros, type Micros } from '#billing';
import type { System } from '../harness/system.js';
import { flatRates, writeCsv } from './csv-files.js';

/** What a segment costs to any number. */
export const UNIT_PRICE: Micros = 10_000n;
/** Of each account that the load sends from: more than a run can spend. */
export const DEPOSIT: Micros = 100_000_000_000n;
const NAMES = ['hot', 'warm', 'cold'] as const;

export interface FaultAccount {
  readonly accountId: string;
  readonly apiKey: string;
}

/**
 * A flat price, the simulator as the one carrier, and accounts with money: by the commands of the version that starts.
 */
export async function prepareService(
  system: System,
  window: number,
  messageIdFormat: string,
): Promise<readonly FaultAccount[]> {
  const { smsctl, dir, carrierAddress } = system;
  const file = writeCsv(dir, 'flat.csv', 'prefix,price', flatRates(UNIT_PRICE));
  await smsctl.run('tariff', 'import', 'flat', file, '--currency', 'EUR');
  const url = `smpp://faults:faults@${carrierAddress}`;
  const settings = ['--window', String(window), '--message-id', messageIdFormat];
  const [, ...accounts] = await Promise.all([
    smsctl.run('carrier', 'add', 'simulator', url, ...settings),
    ...NAMES.map(async (name) => {
      const account = await openAccount(system, name, 0n);
      await smsctl.run('deposit', account.accountId, formatMicros(DEPOSIT), 'EUR');
      return account;
    }),
  ]);
  return accounts;
}

export async function openAccount({ smsctl }: System, name: string, creditLimit: Micros): Promise<FaultAccount> {
  const about = ['--name', name, '--currency', 'EUR', '--tariff', 'flat', '--credit-limit', formatMicros(creditLimit)];
  const { accountId, apiKey } = await smsctl.run('account', 'create', ...about);
  return { accountId: String(accountId), apiKey: String(apiKey) };
}
