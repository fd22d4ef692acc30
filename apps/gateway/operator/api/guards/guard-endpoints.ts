import { Type } from '@sinclair/typebox';
import {
  guardClear,
  guardList,
  guardSet,
  guardShow,
  guardSimulate,
  SIMULATION_TIMEOUT_MS,
  suppressionAdd,
  suppressionList,
  suppressionRemove,
} from '#operations';
import { SUPPRESSION_REASON_LENGTH_MAX, SUPPRESSION_SOURCES } from '#persistence';
import { type Endpoint, endpoint } from '../endpoint.js';
import {
  AccountId,
  Currency,
  Moment,
  Money,
  Named,
  nullable,
  OfAccount,
  PAGING_BY_HASH,
  PageOf,
  Word,
} from '../shapes.js';

const OfGuards = Type.Object({
  accountId: Type.String({
    pattern: '^(all|[1-9][0-9]{0,17})$',
    description: 'The id of an account, or `all`: for accounts that have none of their own.',
    examples: ['1001'],
  }),
});

const Amount = (description: string) => Type.Optional(nullable(Money(description)));
const Whole = (maximum: number, description: string) =>
  Type.Optional(nullable(Type.Integer({ minimum: 1, maximum, description })));

/** Null: none, whatever holds for all accounts. */
const SETTINGS = {
  countries: Type.Optional(
    nullable(
      Type.Array(Type.String({ pattern: '^([A-Za-z]{2}|001)$', examples: ['GB'] }), {
        minItems: 1,
        description: 'Messages go to these countries only: ISO 3166-1 codes; 001 for satellites and networks.',
        examples: [['GB', 'DE']],
      }),
    ),
  ),
  priceMax: Amount('The highest price of a segment.'),
  spendDayMax: Amount('What messages may cost in a day (UTC).'),
  spendMonthMax: Amount('What messages may cost in a month (UTC).'),
  recipientHourMax: Whole(10_000_000, 'Messages to one number in an hour.'),
  rangeHourMax: Whole(10_000_000, 'Messages to one range of numbers in an hour.'),
  rangeDigits: Whole(6, 'Numbers that differ in their last so many digits only are one range; 4 unless given.'),
  rampDays: Whole(365, 'For so many days a new account may spend less.'),
  rampSpendDay: Amount('What it may spend on the first of these days; twice that on the second.'),
};
const Settings = Named('GuardSettings', Type.Object(SETTINGS));

const Guards = Named(
  'Guards',
  Type.Object({
    accountId: Type.String({ description: 'The account, or `all`.', examples: ['1001'] }),
    name: nullable(Type.String()),
    currency: nullable(Currency),
    own: Settings,
    forAll: Settings,
  }),
);

const Simulation = Named(
  'GuardSimulation',
  Type.Object({
    accountId: AccountId,
    name: Type.String(),
    currency: Currency,
    messages: Type.Integer({ description: 'Messages of these days.' }),
    amount: Money('What they cost.'),
    refused: Type.Array(
      Type.Object({
        code: Word(['destination_blocked', 'price_above_max', 'velocity_limit', 'spend_limit'], 'The guard.'),
        messages: Type.Integer(),
        amount: Money('What they cost.'),
        delivered: Type.Integer({ description: 'Those of them that were delivered.' }),
      }),
    ),
  }),
);

const Suppression = Named(
  'Suppression',
  Type.Object({
    id: Type.String({ description: 'A keyed hash of the number, which itself is not kept.' }),
    source: Word(SUPPRESSION_SOURCES, 'Who wanted it.'),
    reason: nullable(Type.String()),
    createdAt: Moment('When it was added.'),
  }),
);
const PhoneNumber = Type.String({ minLength: 1, maxLength: 64, examples: ['+447700900123'] });

export const GUARD_ENDPOINTS: readonly Endpoint[] = [
  endpoint({
    useCase: 'guard.list',
    method: 'GET',
    path: '/guards',
    summary: 'Lists the guards for all accounts, and of every account that has its own',
    answer: Type.Array(Guards),
    run: guardList,
  }),
  endpoint({
    useCase: 'guard.show',
    method: 'GET',
    path: '/guards/:accountId',
    summary: 'Shows the guards of an account, or those for all',
    params: OfGuards,
    answer: Guards,
    run: guardShow,
  }),
  endpoint({
    useCase: 'guard.set',
    method: 'PATCH',
    path: '/guards/:accountId',
    summary: 'Changes guards of an account, or those for all; they hold from the next send on',
    description: 'A guard that is left out stays as it is. Null: the account has none, whatever holds for all.',
    params: OfGuards,
    body: Type.Object(SETTINGS, { examples: [{ countries: ['GB', 'DE'], spendDayMax: '10', priceMax: '0.05' }] }),
    answer: Guards,
    run: guardSet,
  }),
  endpoint({
    useCase: 'guard.clear',
    method: 'DELETE',
    path: '/guards/:accountId',
    summary: 'Removes guards of an account, or those for all: given ones, or every one',
    params: OfGuards,
    query: Type.Object({
      guards: Type.Optional(
        Type.String({
          minLength: 1,
          maxLength: 200,
          description: 'Names with commas.',
          examples: ['countries,priceMax'],
        }),
      ),
    }),
    answer: Guards,
    run: guardClear,
  }),
  endpoint({
    useCase: 'guard.simulate',
    method: 'POST',
    path: '/guards/:accountId/simulate',
    summary: 'Tries guards on the messages of the last days, and changes nothing',
    params: OfGuards,
    body: Type.Object(
      { days: Type.Integer({ minimum: 1, maximum: 366 }), ...SETTINGS },
      { examples: [{ days: 7, countries: ['GB', 'DE'], rangeHourMax: 200 }] },
    ),
    answer: Type.Array(Simulation),
    statementTimeoutMs: SIMULATION_TIMEOUT_MS,
    run: guardSimulate,
  }),
  endpoint({
    useCase: 'suppression.list',
    method: 'GET',
    path: '/accounts/:accountId/suppressions',
    summary: 'Lists the numbers to which an account must send nothing, newest first, as hashes',
    params: OfAccount,
    query: Type.Object({ number: Type.Optional(PhoneNumber), ...PAGING_BY_HASH }),
    answer: PageOf(Suppression),
    run: suppressionList,
  }),
  endpoint({
    useCase: 'suppression.add',
    method: 'POST',
    path: '/accounts/:accountId/suppressions',
    summary: 'Puts a number on the suppression list of an account, and cancels what waits for it',
    params: OfAccount,
    body: Type.Object({
      number: PhoneNumber,
      reason: Type.Optional(Type.String({ minLength: 1, maxLength: SUPPRESSION_REASON_LENGTH_MAX })),
    }),
    answer: Type.Object({
      isNew: Type.Boolean({ description: 'False: it was on the list already.' }),
      canceled: Type.Integer({ description: 'Messages that are canceled and given back.' }),
    }),
    run: suppressionAdd,
  }),
  endpoint({
    useCase: 'suppression.remove',
    method: 'DELETE',
    path: '/accounts/:accountId/suppressions',
    summary: 'Takes a number off the suppression list of an account',
    params: OfAccount,
    query: Type.Object({ number: PhoneNumber }),
    answer: Type.Object({ isRemoved: Type.Boolean({ description: 'False: it was not on the list.' }) }),
    run: suppressionRemove,
  }),
];
