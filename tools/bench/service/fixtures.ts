import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { type Micros, parseTariffCsv } from '#billing';
import { parseSecretsKeys } from '#config';
import {
  addCarrier,
  bookDeposit,
  createAccount,
  Database,
  importTariff,
  listCarriers,
  removeCarrier,
  SecretKeys,
} from '#persistence';
import type { BenchOptions } from '../command-line.js';
import type { Service } from './service.js';

const TARIFF_FILE = fileURLToPath(new URL('../../../../data/tariffs/default-eur.csv', import.meta.url));
const TARIFF = 'bench';
const CARRIER = 'bench';
const DEPOSIT: Micros = 100_000_000_000_000n;

export interface BenchAccount {
  readonly name: string;
  readonly accountId: string;
  readonly apiKey: string;
}

/** One account for each scenario: each is hot by itself, and its orders are told apart from those of the others. */
const ACCOUNTS = ['e2e', 'reads', 'idle', 'single', 'batch', 'against', 'limited', 'hog', 'light', 'middle'] as const;
export type Accounts = Readonly<Record<(typeof ACCOUNTS)[number], BenchAccount>>;

/** Prices of every calling code, a carrier, and accounts with more money than a run can spend. */
export async function createFixtures(service: Service, options: BenchOptions): Promise<Accounts> {
  const database = await Database.open({
    url: service.databaseUrl,
    poolSize: 2,
    applicationName: 'heliograph-bench-fixtures',
    secretKeys: new SecretKeys(parseSecretsKeys(service.secretsKey)),
  });
  try {
    const rates = parseTariffCsv(await readFile(TARIFF_FILE, 'utf8'));
    await importTariff(database, { name: TARIFF, currency: 'EUR', rates });
    // Of an earlier run, on a database that is kept.
    const known = await listCarriers(database);
    if (known.some(({ name }) => name === CARRIER)) await removeCarrier(database, CARRIER);
    await addCarrier(database, {
      name: CARRIER,
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
    const accounts: [string, BenchAccount][] = [];
    for (const name of ACCOUNTS) accounts.push([name, await openAccount(database, name)]);
    return Object.fromEntries(accounts) as Accounts;
  } finally {
    await database.close();
  }
}

async function openAccount(database: Database, name: string): Promise<BenchAccount> {
  const { account, apiKey } = await createAccount(database, { name, currency: 'EUR', tariff: TARIFF });
  const { accountId } = account;
  await bookDeposit(database, accountId, { amount: DEPOSIT, currency: 'EUR' });
  return { name, accountId, apiKey };
}
