import { fileURLToPath } from 'node:url';
import type { BenchOptions } from '../command-line.js';
import type { Service } from './service.js';

const TARIFF_FILE = fileURLToPath(new URL('../../../../data/tariffs/default-eur.csv', import.meta.url));
const DEPOSIT = '100000000';

export interface BenchAccount {
  readonly name: string;
  readonly accountId: string;
  readonly apiKey: string;
}

/** One account for each scenario: each is hot by itself, and its orders are told apart from those of the others. */
export type Accounts = Readonly<Record<'e2e' | 'reads' | 'single' | 'batch', BenchAccount>>;

/** Prices, money and a carrier, made the way an operator makes them. */
export async function createFixtures(service: Service, options: BenchOptions): Promise<Accounts> {
  const { smsctl } = service;
  await smsctl.run('tariff', 'import', 'bench', '--currency', 'EUR', TARIFF_FILE);
  const carrier = `smpp://bench:bench@127.0.0.1:${service.simulatorPort}`;
  await smsctl.run('carrier', 'add', 'bench', carrier, '--window', String(options.carrierWindow));
  const account = async (name: string): Promise<BenchAccount> => {
    const created = await smsctl.run('account', 'create', '--name', name, '--currency', 'EUR', '--tariff', 'bench');
    const accountId = String(created.accountId);
    await smsctl.run('deposit', accountId, DEPOSIT, 'EUR');
    return { name, accountId, apiKey: String(created.apiKey) };
  };
  return {
    e2e: await account('e2e'),
    reads: await account('reads'),
    single: await account('single'),
    batch: await account('batch'),
  };
}
