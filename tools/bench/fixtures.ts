import { randomBytes } from 'node:crypto';
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
import type { System } from '../harness/system.js';

const TARIFF_FILE = fileURLToPath(new URL('../../../data/tariffs/default-eur.csv', import.meta.url));
const TARIFF = 'bench';
const CARRIER = 'bench';
const DEPOSIT: Micros = 100_000_000_000_000n;

/** Who sends: one account, or many of which the n-th sends 1/n of what the first sends. */
export interface BenchAccounts {
  readonly name: string;
  readonly ids: readonly string[];
  readonly apiKeys: readonly string[];
}

/** How many there are of each name, beside `many` and `heard`; their orders are told apart from those of the others. */
const ACCOUNTS = {
  e2e: 1,
  reads: 1,
  idle: 1,
  single: 1,
  guarded: 1,
  batch: 1,
  against: 1,
  limited: 1,
  hog: 1,
  light: 1,
  middle: 1,
  neighbour: 1,
} as const;
/** That are made at the same time. */
const SESSIONS = 8;
export type Accounts = Readonly<Record<keyof typeof ACCOUNTS | 'many' | 'heard', BenchAccounts>>;

/**
 * Prices of every calling code, a carrier, and accounts with more money than a run can spend.
 *
 * @param counts how many accounts send, where many do, and how many have a webhook
 */
export async function createFixtures(
  service: System,
  carrierWindow: number,
  counts: Readonly<Record<'many' | 'heard', number>>,
): Promise<Accounts> {
  const database = await Database.open({
    url: service.postgres.url,
    poolSize: SESSIONS,
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
      windowSize: carrierWindow,
      submitsPerSecond: undefined,
      messageIdFormat: 'as-is',
      defaultAlphabet: 'gsm0338',
      inDoubtPolicy: 'resend',
    });
    const accounts: Record<string, BenchAccounts> = {};
    for (const [name, count] of Object.entries({ ...counts, ...ACCOUNTS })) {
      accounts[name] = await open(database, name, count);
    }
    return accounts as Accounts;
  } finally {
    await database.close();
  }
}

async function open(database: Database, name: string, count: number): Promise<BenchAccounts> {
  // A database that is kept has accounts of earlier runs.
  const run = randomBytes(4).toString('hex');
  const opened: { accountId: string; apiKey: string }[] = [];
  const openOne = async (_: unknown, index: number) => {
    const title = `${name} ${opened.length + index + 1} of ${run}`;
    const { account, apiKey } = await createAccount(database, { name: title, currency: 'EUR', tariff: TARIFF });
    await bookDeposit(database, account.accountId, { amount: DEPOSIT, currency: 'EUR' });
    return { accountId: account.accountId, apiKey };
  };
  while (opened.length < count) {
    const length = Math.min(SESSIONS, count - opened.length);
    opened.push(...(await Promise.all(Array.from({ length }, openOne))));
  }
  return { name, ids: opened.map(({ accountId }) => accountId), apiKeys: opened.map(({ apiKey }) => apiKey) };
}
