import type { Micros } from '#billing';
import { parseSecretsKeys } from '#config';
import { addCarrier, bookDeposit, createAccount, Database, importTariff, SecretKeys } from '#persistence';

/** What a segment costs to any number. */
export const UNIT_PRICE: Micros = 10_000n;
/** More than a run can spend. */
const DEPOSIT: Micros = 100_000_000_000n;
const NAMES = ['hot', 'warm', 'cold'] as const;

export interface FaultAccount {
  readonly name: string;
  readonly accountId: string;
  readonly apiKey: string;
  readonly deposited: Micros;
}

/** A flat price, the simulator as the one carrier, and accounts with money. */
export async function createFixtures(
  databaseUrl: string,
  carrierPort: number,
  window: number,
  messageIdFormat: 'as-is' | 'hex-dec' | 'dec-hex',
  secretsKey: string,
): Promise<FaultAccount[]> {
  const database = await Database.open({
    url: databaseUrl,
    poolSize: 2,
    applicationName: 'heliograph-faults-fixtures',
    secretKeys: new SecretKeys(parseSecretsKeys(secretsKey)),
  });
  try {
    const rates = [...'123456789'].map((prefix) => ({ prefix, price: UNIT_PRICE }));
    await importTariff(database, { name: 'flat', currency: 'EUR', rates });
    await addCarrier(database, {
      name: 'simulator',
      host: '127.0.0.1',
      port: carrierPort,
      systemId: 'faults',
      password: 'faults',
      tls: false,
      windowSize: window,
      submitsPerSecond: undefined,
      messageIdFormat,
      defaultAlphabet: 'gsm0338',
      inDoubtPolicy: 'resend',
    });
    const accounts: FaultAccount[] = [];
    for (const name of NAMES) {
      const { account, apiKey } = await createAccount(database, { name, currency: 'EUR', tariff: 'flat' });
      await bookDeposit(database, account.accountId, { amount: DEPOSIT, currency: 'EUR' });
      accounts.push({ name, accountId: account.accountId, apiKey, deposited: DEPOSIT });
    }
    return accounts;
  } finally {
    await database.close();
  }
}
