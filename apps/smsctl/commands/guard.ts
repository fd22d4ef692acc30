import type { Command } from 'commander';
import { InvalidArgumentError } from 'commander';
import { GUARD_NAMES, type GuardName, RANGE_DIGITS_DEFAULT } from '#billing';
import { amountOrOff, count, countOrOff, listOrOff } from '../arguments.js';
import { addCommand, wrongUsage } from '../command.js';
import type { AnswerOf } from '../requests.js';
import type { Session } from '../session.js';
import { facts, printable, table } from '../text.js';

type Guards = AnswerOf<'guard.show'>;
type Simulation = AnswerOf<'guard.simulate'>[number];

interface GuardOptions {
  countries?: string[] | 'off';
  priceMax?: string;
  spendDay?: string;
  spendMonth?: string;
  recipientHour?: number | 'off';
  rangeHour?: number | 'off';
  rangeDigits?: number | 'off';
  rampDays?: number | 'off';
  rampSpendDay?: string;
}

const DAYS_MAX = 366;
const ACCOUNT = 'its id, or all: for accounts that have none of their own';

/** The flag that sets each guard, without its dashes. */
const FLAGS: Readonly<Record<GuardName, string>> = {
  countries: 'countries',
  priceMax: 'price-max',
  spendDayMax: 'spend-day',
  spendMonthMax: 'spend-month',
  recipientHourMax: 'recipient-hour',
  rangeHourMax: 'range-hour',
  rangeDigits: 'range-digits',
  rampDays: 'ramp-days',
  rampSpendDay: 'ramp-spend-day',
};

/** How the guards are called in tables. */
const WORDS: Readonly<Record<GuardName, string>> = {
  countries: 'Countries',
  priceMax: 'Price of a segment, at most',
  spendDayMax: 'Spend a day, at most',
  spendMonthMax: 'Spend a month, at most',
  recipientHourMax: 'Messages to a number an hour, at most',
  rangeHourMax: 'Messages to a range an hour, at most',
  rangeDigits: `Last digits of a range, else ${RANGE_DIGITS_DEFAULT}`,
  rampDays: 'Ramp: days',
  rampSpendDay: 'Ramp: spend on the first day',
};

/** Guards that limit nothing without another one. */
const NEEDS: Readonly<Partial<Record<GuardName, GuardName>>> = {
  rangeDigits: 'rangeHourMax',
  rampDays: 'rampSpendDay',
  rampSpendDay: 'rampDays',
};

/** Limits what an account may send before it costs money. */
export function addGuardCommands(guard: Command, session: Session): void {
  addCommand(guard, 'list', 'list the guards for all accounts, and of every account that has its own', [
    'guard list',
  ]).action((_options, command: Command) =>
    session.show(command, 'guard.list', {}, (all) =>
      table(
        ['account', 'name', 'guards'],
        all.map(({ accountId, name, own }) => [accountId, printable(name ?? ''), oneLineOf(own)]),
        'No guards.',
      ),
    ),
  );

  addCommand(guard, 'show', 'show the guards of an account, or those for all', ['guard show 1001', 'guard show all'])
    .argument('<account>', ACCOUNT)
    .action((accountId: string, _options, command: Command) =>
      session.show(command, 'guard.show', { accountId }, guardFacts),
    );

  withGuards(
    addCommand(guard, 'set', 'set guards of an account, or those for all; they hold from the next send on', [
      'guard set 1001 --countries GB,DE --spend-day 10 --spend-month 200 --price-max 0.05',
      'guard set all --range-hour 200 --ramp-days 7 --ramp-spend-day 5',
      'guard set 1001 --range-hour off',
    ]).argument('<account>', ACCOUNT),
  ).action((accountId: string, options: GuardOptions, command: Command) => {
    const change = changeOf(options);
    if (Object.keys(change).length === 0) wrongUsage(command, 'nothing to set: give one of the options');
    return session.show(command, 'guard.set', { accountId, ...change }, guardFacts);
  });

  addCommand(guard, 'clear', 'remove guards of an account, so that those for all hold', [
    'guard clear 1001',
    'guard clear 1001 --guards countries,price-max',
  ])
    .argument('<account>', ACCOUNT)
    .option('--guards <list>', `only these, with commas: ${Object.values(FLAGS).join(', ')}`, guardNames)
    .action((accountId: string, { guards }: { guards?: string }, command: Command) =>
      session.show(command, 'guard.clear', { accountId, guards }, guardFacts),
    );

  withGuards(
    addCommand(guard, 'simulate', 'say what guards would have refused in the last days; changes nothing', [
      'guard simulate 1001 --days 7',
      'guard simulate all --days 30 --countries GB,DE --range-hour 200',
    ])
      .argument('<account>', ACCOUNT)
      .option('--days <n>', `up to ${DAYS_MAX}`, dayCount, 7),
  ).action((accountId: string, { days, ...options }: GuardOptions & { days: number }, command: Command) =>
    session.show(command, 'guard.simulate', { accountId, days, ...changeOf(options) }, simulationText),
  );
}

function withGuards(command: Command): Command {
  return command
    .option('--countries <list>', 'messages go to these only: codes such as GB,DE; off for all countries', listOrOff)
    .option('--price-max <amount>', 'the highest price of a segment, or off', amountOrOff)
    .option('--spend-day <amount>', 'what messages may cost in a day (UTC), or off', amountOrOff)
    .option('--spend-month <amount>', 'what messages may cost in a month (UTC), or off', amountOrOff)
    .option('--recipient-hour <n>', 'messages to one number in an hour, or off', countOrOff)
    .option('--range-hour <n>', 'messages to one range of numbers in an hour, or off', countOrOff)
    .option(
      '--range-digits <n>',
      `numbers that differ in their last n digits only are a range; off for ${RANGE_DIGITS_DEFAULT}`,
      rangeDigits,
    )
    .option('--ramp-days <n>', 'for so many days a new account may spend less, or off', countOrOff)
    .option('--ramp-spend-day <amount>', 'on the first of these days; twice that on the second; or off', amountOrOff);
}

function dayCount(text: string): number {
  const days = count(text);
  if (days > DAYS_MAX) throw new InvalidArgumentError(`It must be 1 to ${DAYS_MAX}.`);
  return days;
}

function rangeDigits(text: string): number | 'off' {
  const digits = countOrOff(text);
  if (digits !== 'off' && digits > 6) throw new InvalidArgumentError('It must be 1 to 6.');
  return digits;
}

/** The guards that flags name, as the API calls them. */
function guardNames(flags: string): string {
  const names = flags.split(',').map((flag) => GUARD_NAMES.find((name) => FLAGS[name] === flag.trim()));
  if (names.includes(undefined)) throw new InvalidArgumentError(`It must be of ${Object.values(FLAGS).join(', ')}.`);
  return names.join(',');
}

function changeOf(options: GuardOptions): Record<string, unknown> {
  const given: Readonly<Record<GuardName, unknown>> = {
    countries: options.countries,
    priceMax: options.priceMax,
    spendDayMax: options.spendDay,
    spendMonthMax: options.spendMonth,
    recipientHourMax: options.recipientHour,
    rangeHourMax: options.rangeHour,
    rangeDigits: options.rangeDigits,
    rampDays: options.rampDays,
    rampSpendDay: options.rampSpendDay,
  };
  return Object.fromEntries(
    Object.entries(given).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, value === 'off' ? null : value]],
    ),
  );
}

function guardFacts(guards: Guards): string {
  const { accountId, name, currency, own, forAll } = guards;
  const rows = GUARD_NAMES.map((guard): [string, string] => {
    if (own[guard] === undefined) {
      return [WORDS[guard], forAll[guard] == null || accountId === 'all' ? '' : `${textOf(forAll[guard])} (for all)`];
    }
    return [WORDS[guard], own[guard] === null ? 'off' : textOf(own[guard])];
  });
  const shown = facts([
    ['Account', accountId],
    ['Name', printable(name ?? '')],
    ['Amounts in', currency ?? "each account's currency"],
    ...rows,
  ]);
  return [shown, ...idleNotes(guards)].join('\n\n');
}

function idleNotes({ accountId, own, forAll }: Guards): string[] {
  const holding: Guards['own'] = { ...forAll, ...own };
  return GUARD_NAMES.flatMap((guard) => {
    const needed = NEEDS[guard];
    if (needed === undefined || own[guard] == null || holding[needed] != null) return [];
    const where = accountId === 'all' ? ' for an account that has none of its own' : '';
    return [`--${FLAGS[guard]} limits nothing without --${FLAGS[needed]}${where}.`];
  });
}

function oneLineOf(own: Guards['own']): string {
  return GUARD_NAMES.flatMap((name) => (own[name] === undefined ? [] : [`${FLAGS[name]} ${textOf(own[name])}`])).join(
    '; ',
  );
}

function textOf(value: unknown): string {
  if (value == null) return 'off';
  return Array.isArray(value) ? value.join(',') : String(value);
}

function simulationText(simulations: readonly Simulation[]): string {
  return table(
    ['account', 'name', 'messages', 'cost', 'refused', 'by', 'saved', 'of them delivered'],
    simulations.flatMap(({ accountId, name, messages, amount, currency, refused }) => {
      const account = [accountId, printable(name), String(messages), `${amount} ${currency}`];
      if (refused.length === 0) return [[...account, '0', '', '', '']];
      return refused.map((one) => [
        ...account,
        String(one.messages),
        one.code,
        `${one.amount} ${currency}`,
        String(one.delivered),
      ]);
    }),
    'No messages in these days.',
  );
}
