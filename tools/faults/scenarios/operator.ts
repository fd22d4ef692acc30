import { join } from 'node:path';
import { formatMicros, type Micros } from '#billing';
import { awaitFact } from '../../harness/await-fact.js';
import { openAccount, UNIT_PRICE } from '../accounts.js';
import { flatRates, writeCsv } from '../csv-files.js';
import type { Field } from '../field.js';
import type { Scenario } from '../scenario.js';

/** What operators change while messages go on; none of it may refuse a send of the load. */
type Change = (field: Field) => Promise<void>;
/** The arguments of a command of smsctl. */
type CommandOf = (field: Field) => readonly string[] | Promise<readonly string[]>;

/** Beyond what a run spends. */
const NO_LIMIT = '100000';
const NARROW_PREFIXES = ['4', '49', '4915', '49151'];
/** A tariff whose import takes long enough to be interrupted. */
const MANY_RATES = 20_000;
const TARIFF_IMPORT = 'tariff import';
const KILL_AFTER_MS = [100, 1_500] as const;
/** Records of a carrier that are about no message of ours. */
const STRANGE_RECORDS = 20_000;
/** A message that was on its way is redacted by the scheduled job, a minute after it is looked at first. */
const REDACTED_WITHIN_MS = 180_000;
const PAUSE_MS = [500, 4_000] as const;
const TOP_UP: Micros = 1_000_000n;

const CHANGES_BY_NAME: Readonly<Record<string, Change>> = {
  async price(field) {
    const price = BigInt(field.random.between(1, 4)) * (UNIT_PRICE / 2n);
    const { dir, smsctl } = field.system;
    const file = writeCsv(dir, 'changed.csv', 'prefix,price', flatRates(price));
    await smsctl.run('tariff', 'import', 'flat', file, '--currency', 'EUR');
  },
  async route(field) {
    const { smsctl } = field.system;
    const prefix = field.random.pick(NARROW_PREFIXES);
    // Every number keeps a route, also between the two commands.
    await smsctl.run('route', 'add', '*', 'simulator').catch(ignoreKnown);
    await smsctl.run('route', 'add', prefix, 'simulator', '--rank', '1').catch(ignoreKnown);
    await field.pause(field.random.between(...PAUSE_MS));
    await smsctl.run('route', 'remove', prefix);
  },
  async 'carrier-pause'(field) {
    const { smsctl } = field.system;
    await smsctl.run('carrier', 'pause', 'simulator');
    await field.pause(field.random.between(...PAUSE_MS));
    await smsctl.run('carrier', 'resume', 'simulator');
  },
  async 'carrier-limits'(field) {
    const { carrierWindow } = field.stage;
    // A smaller window would bound the load itself, and no fault of the same run could be seen to recover.
    const window = field.random.between(Math.ceil(carrierWindow / 2), carrierWindow);
    const rate = field.random.between(300, 900);
    await field.system.smsctl.run('carrier', 'set', 'simulator', '--window', `${window}`, '--tps', `${rate}`);
  },
  async guards(field) {
    const { smsctl } = field.system;
    const account = accountOf(field);
    const spend = ['--spend-day', NO_LIMIT, '--spend-month', NO_LIMIT];
    await smsctl.run('guard', 'set', account, '--countries', 'DE', '--price-max', '1', ...spend);
    await field.pause(field.random.between(...PAUSE_MS));
    await smsctl.run('guard', 'clear', account);
  },
  async suppression(field) {
    const { smsctl } = field.system;
    // A number that the load never sends to.
    const number = `+4470000${field.random.between(10_000, 99_999)}`;
    await smsctl.run('suppression', 'add', accountOf(field), number);
    await smsctl.run('suppression', 'remove', accountOf(field), number);
  },
  async keys(field) {
    const { smsctl } = field.system;
    const { keyId } = (await smsctl.run('key', 'create', accountOf(field), '--name', 'faults')) as { keyId: string };
    await smsctl.run('key', 'rotate', keyId, '--overlap', '1h');
    await smsctl.run('key', 'revoke', keyId);
  },
  async 'account-limits'(field) {
    const { smsctl } = field.system;
    await smsctl.run('account', 'set-rate-limit', accountOf(field), `${field.random.between(500, 2_000)}`);
    await smsctl.run('account', 'set-credit-limit', accountOf(field), `${field.random.between(1, 500)}`);
  },
};

export const CHANGES = Object.entries(CHANGES_BY_NAME);

/** Commands of several steps; each is killed in the middle and then done again to its end. */
const COMMANDS_BY_NAME: Readonly<Record<string, CommandOf>> = {
  deposit: topUp,
  [TARIFF_IMPORT]: (field) => ['tariff', 'import', 'large', largeTariff(field), '--currency', 'EUR'],
  'secrets rotate': () => ['secrets', 'rotate'],
  'ledger verify': () => ['ledger', 'verify'],
  'suppression add': (field) => ['suppression', 'add', accountOf(field), '+447000000001'],
  'guard set': (field) => ['guard', 'set', accountOf(field), '--spend-day', NO_LIMIT],
  'guard simulate': (field) => ['guard', 'simulate', accountOf(field), '--days', '1', '--spend-day', NO_LIMIT],
  statement: (field) => [
    ...['statement', accountOf(field), '--month', new Date().toISOString().slice(0, 7)],
    ...['--format', 'csv', '--output', join(field.system.dir, 'statement.csv')],
  ],
  reconcile: (field) => ['reconcile', strangeRecords(field), '--carrier', 'simulator', '--id', 'id', '--time', 'at'],
  'redact number': redactNumber,
};
export const KILLED_COMMANDS = Object.entries(COMMANDS_BY_NAME);

export const operatorChanges: Scenario = {
  name: 'operator-changes',
  says: 'operators change prices, routes, guards, opt-outs, keys, limits and the carrier while messages go on',
  recovery: 'change made -> dispatch goes on',
  rounds: 24,
  pauseMs: [200, 1_500],
  clientErrorsMax: 0,
  strike: (field) => change(field, field.random.pick(CHANGES)),
};

export const commandKill: Scenario = {
  name: 'command-kill',
  says: 'kill -9 of smsctl in the middle of a command of several steps, which is then repeated to its end',
  recovery: 'not measured: the service goes on',
  rounds: 20,
  pauseMs: [200, 1_500],
  clientErrorsMax: 0,
  strike: (field) => interrupt(field, field.nextOf('command-kill', KILLED_COMMANDS)),
  conclude: judgeRedactions,
};

export async function change(field: Field, [name, act]: readonly [string, Change]): Promise<void> {
  const fromMs = field.note(`change-${name}`);
  await act(field);
  field.mended(`change-${name}`);
  field.awaitDispatch(fromMs);
}

/**
 * Kills a command, and repeats it: what it had done by then must be no hindrance, and must not be done twice.
 *
 * @param untilDone gives the repeat again if it meets a fault; without it, the repeat has to succeed
 */
export async function interrupt(
  field: Field,
  [name, argumentsOf]: readonly [string, CommandOf],
  untilDone: (command: () => Promise<unknown>) => Promise<void> = async (command) => void (await command()),
): Promise<void> {
  const { smsctl } = field.system;
  const args = await argumentsOf(field);
  const killAfterMs = field.random.between(...KILL_AFTER_MS);
  const fault = `kill-${name.replace(' ', '-')}`;
  field.note(fault, `after ${killAfterMs} ms`);
  await smsctl.kill(killAfterMs, ...args);
  if (name === TARIFF_IMPORT) await untilDone(() => judgeTariff(field, 'after the kill'));
  await untilDone(() => smsctl.run(...args).catch(ignoreDifferences));
  if (name === TARIFF_IMPORT) await untilDone(() => judgeTariff(field, 'after the repeat', largePrices.get(field)));
  field.mended(fault);
}

/** One more deposit of an account that nobody sends from. Its reference makes the repeat the same deposit. */
async function topUp(field: Field): Promise<readonly string[]> {
  const [known] = field.deposits.keys();
  const account = known ?? (await openAccount(field.system, 'desk', 0n)).accountId;
  field.deposits.set(account, (field.deposits.get(account) ?? 0n) + TOP_UP);
  return ['deposit', account, formatMicros(TOP_UP), 'EUR', '--ref', `faults-${field.faults}`];
}

/** The number of a message that may still be on its way. */
async function redactNumber(field: Field): Promise<readonly string[]> {
  const account = accountOf(field);
  const [last] = await field.system.postgres.query<{ number: string }>(
    `select destination as number from message_order
      where account_id = $1 and destination ~ '^[0-9]+$' order by sequence desc limit 1`,
    [account],
  );
  if (last === undefined) throw new Error(`account ${account} has no message`);
  const redaction = { account, number: last.number, atMs: Date.now() };
  redactions.set(field, [...(redactions.get(field) ?? []), redaction]);
  return ['redact', 'number', account, `+${last.number}`];
}

interface Redaction {
  readonly account: string;
  readonly number: string;
  readonly atMs: number;
}

const redactions = new WeakMap<Field, readonly Redaction[]>();

/** Of what was redacted nothing is left, also where a message was on its way then. */
export async function judgeRedactions(field: Field): Promise<void> {
  for (const { account, number, atMs } of redactions.get(field) ?? []) {
    await awaitFact(`number ${number} is redacted`, REDACTED_WITHIN_MS, field.signal, async () => {
      const left = await field.system.postgres.query(
        'select from message_order where account_id = $1 and destination = $2 and created_at < $3',
        [account, number, new Date(atMs)],
      );
      return left.length === 0;
    });
  }
}

function accountOf(field: Field): string {
  return field.random.pick(field.stage.accounts).accountId;
}

/**
 * Half of the prefixes of the import before and as many new ones, all at another price: so the import removes, changes
 * and adds rates, and a tariff that is not of one price, or not of as many rates, is half a tariff.
 */
function largeTariff(field: Field): string {
  const price = (largePrices.get(field) ?? UNIT_PRICE) + 1n;
  largePrices.set(field, price);
  const first = 20_000 + (MANY_RATES / 2) * Number(price % 2n);
  const rates = Array.from({ length: MANY_RATES }, (_, index) => `${first + index},${formatMicros(price)}`);
  return writeCsv(field.system.dir, 'large.csv', 'prefix,price', rates);
}

const largePrices = new WeakMap<Field, Micros>();

/** Whatever was killed: all rates are of one import, the expected one if there is one. */
async function judgeTariff(field: Field, when: string, expected?: Micros): Promise<void> {
  const prices = await field.system.postgres.query<{ price: string; rates: number }>(
    `select price::text, count(*)::integer as rates
       from tariff_rate join tariff using (tariff_id) where name = 'large' group by price`,
  );
  const isWhole = prices.every(({ price, rates }) => rates === MANY_RATES && price === `${expected ?? price}`);
  if (isWhole && prices.length <= 1 && (expected === undefined || prices.length === 1)) return;
  const found = prices.map(({ price, rates }) => `${rates} rates at ${price}`).join(' and ');
  field.complain(`half a tariff ${when}: ${found || 'no rate'} instead of ${MANY_RATES} at one price`);
}

function strangeRecords({ system }: Field): string {
  const at = new Date().toISOString();
  const records = Array.from({ length: STRANGE_RECORDS }, (_, index) => `strange-${index},${at}`);
  return writeCsv(system.dir, 'strange.csv', 'id,at', records);
}

/** That the records differ is what the comparison is to say. */
function ignoreDifferences(error: Error): void {
  if (!error.message.includes(`"agrees": false`)) throw error;
}

/** A route that a former round has left is as good as a new one. */
function ignoreKnown(error: Error): void {
  if (!/already|exists/.test(error.message)) throw error;
}
