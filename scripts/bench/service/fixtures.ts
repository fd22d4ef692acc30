import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { type Micros, parseTariffCsv } from '#billing';
import { addCarrier, bookDeposit, createAccount, Database, importTariff } from '#persistence';
import type { BenchOptions } from '../command-line.js';
import type { Service } from './service.js';

const TARIFF_FILE = fileURLToPath(new URL('../../../../data/tariffs/default-eur.csv', import.meta.url));
const DEPOSIT: Micros = 100_000_000_000_000n;

export interface BenchAccount {
  readonly name: string;
  readonly accountId: string;
  readonly apiKey: string;
}

/** One account for each scenario: each is hot by itself, and its orders are told apart from those of the others. */
export type Accounts = Readonly<
  Record<'e2e' | 'reads' | 'single' | 'batch' | 'hog' | 'light' | 'middle', BenchAccount>
>;

/** Prices of every calling code, a carrier, and accounts with more money than a run can spend. */
export async function createFixtures(service: Service, options: BenchOptions): Promise<Accounts> {
  const database = await Database.open({
    url: service.databaseUrl,
    poolSize: 2,
    applicationName: 'heliograph-bench-fixtures',
  });
  try {
    const rates = parseTariffCsv(await readFile(TARIFF_FILE, 'utf8'));
    await importTariff(database, { name: 'bench', currency: 'EUR', rates });
    await addCarrier(database, {
      name: 'bench',
      host: '127.0.0.1',
      port: service.simulatorPort,
      systemId: 'bench',
      password: 'bench',
      tls: false,
      windowSize: options.carrierWindow,
      submitsPerSecond: undefined,
      messageIdFormat: 'as-is',
      defaultAlphabet: 'gsm0338',
      inDoubtPolicy: 'resend',
    });
    return {
      e2e: await openAccount(database, 'e2e'),
      reads: await openAccount(database, 'reads'),
      single: await openAccount(database, 'single'),
      batch: await openAccount(database, 'batch'),
      hog: await openAccount(database, 'hog'),
      light: await openAccount(database, 'light'),
      middle: await openAccount(database, 'middle'),
    };
  } finally {
    await database.close();
  }
}

async function openAccount(database: Database, name: string): Promise<BenchAccount> {
  const { account, apiKey } = await createAccount(database, { name, currency: 'EUR' });
  const { accountId } = account;
  await bookDeposit(database, accountId, { amount: DEPOSIT, currency: 'EUR' });
  return { name, accountId, apiKey };
}
