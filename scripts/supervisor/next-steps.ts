import { Database, hasAdmin, listCarriers, type StoredCarrier } from '#persistence';

/** The parts that a service without a demo still lacks, and its carriers. */
export interface Setup {
  readonly hasAccounts: boolean;
  /**
   * Who signs in as an admin: `first`, with the password of this start; `admin`, whose password may be another one by
   * now; or `others`, and nobody with the password of this start.
   */
  readonly admins: 'first' | 'admin' | 'others';
  readonly realCarriers: readonly string[];
  readonly simulators: readonly string[];
}

export async function readSetup(databaseUrl: string): Promise<Setup> {
  const database = await Database.openSingle({ url: databaseUrl, applicationName: 'heliograph-start' });
  try {
    const carriers = await listCarriers(database);
    const [row] = await database.query<{ has_accounts: boolean; has_first_admin: boolean }>(
      `select exists (select from account where not internal) as has_accounts,
              exists (select from operator where name = 'admin') as has_first_admin`,
    );
    const names = (some: readonly StoredCarrier[]) => some.map(({ name }) => name);
    return {
      hasAccounts: row?.has_accounts ?? false,
      admins: row?.has_first_admin === true ? 'admin' : (await hasAdmin(database)) ? 'others' : 'first',
      realCarriers: names(carriers.filter(({ simulator }) => !simulator)),
      simulators: names(carriers.filter(({ simulator }) => simulator)),
    };
  } finally {
    await database.close();
  }
}

/**
 * Warnings of a start, a paragraph each.
 *
 * @param isSimulated whether this start runs the simulator
 */
export function carrierWarnings({ realCarriers, simulators }: Setup, isSimulated: boolean, smsctl: string): string[] {
  const [simulator] = simulators;
  if (simulator === undefined) return [];
  if (realCarriers.length > 0) {
    return [
      `The carrier "${simulator}" is a simulator beside ${realCarriers.join(', ')}: it takes only messages of routes that name it.\n` +
        `Messages${isSimulated ? ', those of the demo account as well,' : ''} go out by ${realCarriers.join(', ')}. To remove it:\n\n` +
        `${smsctl} carrier remove ${simulator}`,
    ];
  }
  if (isSimulated) return [];
  return [
    `The only carrier is the simulator "${simulator}", which this start does not run: messages wait. For the demo as before:\n` +
      `npm start -- --demo. For real traffic add a carrier, and remove the simulator:\n\n${smsctl} carrier remove ${simulator}`,
  ];
}

/** Commands to paste, for the parts that are missing. */
export function nextSteps({ hasAccounts, realCarriers }: Setup, smsctl: string): string[] {
  const account = [
    'Create an account (prints its API key, once) and give it money:\n',
    `${smsctl} account create --name acme --currency EUR`,
    `${smsctl} deposit 1001 250 EUR --ref invoice-1`,
  ];
  const carrier = [
    'Add a carrier without traffic, try it with one message to your own phone, then let it take traffic:\n',
    `CARRIER_PASSWORD=secret ${smsctl} carrier add main smpp://user@smsc.example.net:2775 --paused`,
    `${smsctl} carrier test main +447700900123`,
    `${smsctl} carrier resume main`,
  ];
  return [
    ...(hasAccounts ? [] : [account.join('\n')]),
    ...(realCarriers.length > 0 ? [] : [carrier.join('\n')]),
    ['Look whether all is well:\n', `${smsctl} doctor`].join('\n'),
  ];
}
