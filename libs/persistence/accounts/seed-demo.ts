import type { Micros } from '#billing';
import { addCarrier, listCarriers, moveCarrier } from '../carriers/carriers.js';
import type { Database } from '../database/database.js';
import { bookDeposit } from '../ledger/deposits.js';
import { placeDefaultTariffs } from '../tariffs/default-tariffs.js';
import { createAccount } from './accounts.js';
import { findKeyHolder } from './api-keys.js';
import { addApiKey } from './manage-api-keys.js';

export interface DemoAccount {
  readonly accountId: string;
  readonly apiKey: string;
}

export interface DemoSettings {
  /** The folder with `default-eur.csv` and its siblings. */
  readonly tariffsDir: string;
  /** The address of the carrier simulator; without a user the worker binds as `heliograph`. */
  readonly simulator: {
    readonly host: string;
    readonly port: number;
    readonly systemId?: string;
    readonly password?: string;
  };
  /** The money of the demo account, in EUR; 100 EUR by default. */
  readonly demoCredit?: Micros;
  /** The result of an earlier call. Its key is used again while it is valid; otherwise a new one is made. */
  readonly kept?: DemoAccount | undefined;
}

const DEMO_NAME = 'Demo';
const DEMO_REFERENCE = 'demo';
const DEMO_CREDIT: Micros = 100_000_000n;
const SIMULATOR_NAME = 'simulator';
const SIMULATOR_USER = 'heliograph';
/** At most 8 characters by SMPP 3.4 section 4.1.1. */
const SIMULATOR_PASSWORD = 'simulate';

/**
 * Creates what the first message needs: default tariffs, a carrier, an account with money. Called at each start.
 * Existing parts stay as the operator has set them, except that the simulator's address follows the settings.
 */
export async function seedDemo(database: Database, settings: DemoSettings): Promise<DemoAccount> {
  await placeDefaultTariffs(database, settings.tariffsDir);
  await placeSimulator(database, settings.simulator);
  const { accountId, apiKey } = await placeAccount(database, settings.demoCredit ?? DEMO_CREDIT);
  if (apiKey !== undefined) return { accountId, apiKey };
  const holder = settings.kept === undefined ? undefined : await findKeyHolder(database, settings.kept.apiKey);
  if (settings.kept !== undefined && holder?.accountId === accountId)
    return { accountId, apiKey: settings.kept.apiKey };
  return { accountId, apiKey: (await addApiKey(database, accountId)).apiKey };
}

/** A simulator that the operator has removed stays removed, because messages now go to real handsets. */
async function placeSimulator(database: Database, simulator: DemoSettings['simulator']): Promise<void> {
  const { host, port, systemId = SIMULATOR_USER, password = SIMULATOR_PASSWORD } = simulator;
  const [ever] = await database.query('select from carrier where name = $1 limit 1', [SIMULATOR_NAME]);
  const standing = (await listCarriers(database)).find((carrier) => carrier.name === SIMULATOR_NAME);
  if (ever === undefined) {
    await addCarrier(database, {
      name: SIMULATOR_NAME,
      host,
      port,
      systemId,
      password,
      tls: false,
      windowSize: 100,
      submitsPerSecond: undefined,
      messageIdFormat: 'as-is',
      defaultAlphabet: 'gsm0338',
      inDoubtPolicy: 'resend',
      simulator: true,
    });
  } else if (standing?.simulator === true && (standing.host !== host || standing.port !== port)) {
    await moveCarrier(database, SIMULATOR_NAME, host, port);
  }
}

/**
 * The demo account is found by its first deposit, so that the operator may rename it. A start that was interrupted
 * before the deposit makes another account, because the key is lost; so does a start after the operator has closed the
 * account.
 */
async function placeAccount(
  database: Database,
  demoCredit: Micros,
): Promise<{ readonly accountId: string; readonly apiKey: string | undefined }> {
  const [standing] = await database.query<{ account_id: string }>(
    `select a.account_id from account a join deposit d using (account_id)
      where d.deposit_number = 1 and d.reference = $1 and a.status <> 'closed' order by a.account_id limit 1`,
    [DEMO_REFERENCE],
  );
  if (standing !== undefined) return { accountId: standing.account_id, apiKey: undefined };
  const named = await database.query<{ name: string }>('select name from account where starts_with(name, $1)', [
    DEMO_NAME,
  ]);
  const names = [DEMO_NAME, ...named.map((_, index) => `${DEMO_NAME} ${index + 2}`)];
  const name = names.find((free) => named.every((taken) => taken.name !== free)) ?? DEMO_NAME;
  const { account, apiKey } = await createAccount(database, { name, currency: 'EUR' });
  await bookDeposit(database, account.accountId, { amount: demoCredit, currency: 'EUR', reference: DEMO_REFERENCE });
  return { accountId: account.accountId, apiKey };
}
