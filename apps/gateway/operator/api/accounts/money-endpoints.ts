import { Type } from '@sinclair/typebox';
import {
  accountLedger,
  accountStatementBy,
  accountUsageBy,
  adjust,
  deposit,
  depositList,
  fxList,
  fxSet,
  STATEMENT_TIMEOUT_MS,
  USAGE_TIMEOUT_MS,
} from '#operations';
import { type Endpoint, endpoint } from '../endpoint.js';
import {
  AccountId,
  AccountName,
  Currency,
  Moment,
  Money,
  Named,
  nullable,
  OfAccount,
  PAGING,
  PageOf,
  Word,
} from '../shapes.js';

const DEPOSIT_FIELDS = {
  accountId: AccountId,
  number: Type.Integer({ description: 'Dense by account, from 1.', examples: [1] }),
  kind: Word(['deposit', 'adjustment'], 'An adjustment corrects a balance, and may be below 0.'),
  reference: nullable(Type.String({ examples: ['invoice-17'] })),
  reason: nullable(Type.String({ examples: ['goodwill for the outage'] })),
  amount: Money('As it was paid, in `currency`.'),
  currency: Currency,
  fxRate: Type.String({ description: 'At the time of booking.', examples: ['1'] }),
  accountAmount: Money('As it was booked, in `accountCurrency`.'),
  accountCurrency: Currency,
  createdAt: Moment('When it was booked.'),
};
const Deposit = Named('Deposit', Type.Object(DEPOSIT_FIELDS));
const Booking = Named(
  'Booking',
  Type.Object({
    ...DEPOSIT_FIELDS,
    accountName: AccountName,
    creditRemaining: Money('The balance now.'),
    repeated: Type.Boolean({
      description: 'It was booked before, by the same reference or Idempotency-Key, and not again.',
    }),
  }),
);
const KINDS = ['deposit', 'reserve', 'capture', 'release', 'refund', 'adjust'] as const;
const BUCKETS = ['funding', 'available', 'reserved', 'captured'] as const;
const FxRate = Type.Object({
  from: Currency,
  to: Currency,
  rate: Type.String({ description: 'Units of `to` for one unit of `from`.', examples: ['0.9215'] }),
  setAt: Moment('When it was set.'),
});
const Day = Type.String({ format: 'date', description: 'A day in UTC.', examples: ['2026-11-01'] });

export const MONEY_ENDPOINTS: readonly Endpoint[] = [
  endpoint({
    useCase: 'deposit.list',
    method: 'GET',
    path: '/accounts/:accountId/deposits',
    summary: 'Lists the deposits and adjustments of an account, newest first',
    params: OfAccount,
    query: Type.Object(PAGING),
    answer: PageOf(Deposit),
    run: depositList,
  }),
  endpoint({
    useCase: 'deposit',
    method: 'POST',
    path: '/accounts/:accountId/deposits',
    summary: 'Books money that came in',
    description:
      'Another currency is converted at the rate of `fx.set`. The same `reference` is never booked twice; with an ' +
      '`Idempotency-Key`, neither is a request that is sent twice.',
    params: OfAccount,
    body: Type.Object({
      amount: Money('Above 0.'),
      currency: Currency,
      reference: Type.Optional(
        Type.String({ minLength: 1, maxLength: 255, examples: ['invoice-17'], description: 'The client can read it.' }),
      ),
    }),
    answer: Booking,
    status: 201,
    isKeyed: true,
    handle: ({ database, params, body, requestKey }) => deposit(database, { ...params, ...body, requestKey }),
  }),
  endpoint({
    useCase: 'adjust',
    method: 'POST',
    path: '/accounts/:accountId/adjustments',
    summary: 'Corrects a balance by an amount above or below 0',
    description:
      'Where the balance falls below 0, or the amount is more than all deposits so far, it is refused with ' +
      '`unusual_adjustment` until it is sent with `isMeant`.',
    params: OfAccount,
    body: Type.Object({
      amount: Money('In the currency of the account.'),
      reason: Type.String({
        minLength: 1,
        maxLength: 500,
        examples: ['goodwill for the outage'],
        description: 'The client can read it.',
      }),
      isMeant: Type.Optional(Type.Boolean({ description: 'Book it although it is unusual.' })),
    }),
    answer: Booking,
    status: 201,
    isKeyed: true,
    refusals: ['unusual_adjustment'],
    handle: ({ database, params, body, requestKey }) => adjust(database, { ...params, ...body, requestKey }),
  }),
  endpoint({
    useCase: 'account.ledger',
    method: 'GET',
    path: '/accounts/:accountId/ledger',
    summary: 'Every movement of money of an account, newest first',
    params: OfAccount,
    query: Type.Object(PAGING),
    answer: PageOf(
      Named(
        'LedgerEntry',
        Type.Object({
          number: Type.Integer({ description: 'Dense by account, from 1.' }),
          kind: Word(KINDS, 'What happened.'),
          debit: Word(BUCKETS, 'What the amount left.'),
          credit: Word(BUCKETS, 'Where it went.'),
          amount: Money('Above 0.'),
          balanceAfter: Money('The balance that it left.'),
          messages: nullable(Type.Integer({ description: 'The number of its messages.' })),
          reason: nullable(Type.String()),
          createdAt: Moment('When it was written.'),
        }),
      ),
    ),
    run: accountLedger,
  }),
  endpoint({
    useCase: 'account.statement',
    method: 'GET',
    path: '/accounts/:accountId/statement',
    summary: 'What changed the balance of an account, by day (UTC) and kind',
    params: OfAccount,
    query: Type.Object({
      from: Type.Optional(Moment('Only entries at or after it; what was before is the opening balance.')),
      to: Type.Optional(Moment('Only entries before it.')),
    }),
    answer: Type.Object({
      accountId: AccountId,
      name: Type.String(),
      currency: Currency,
      from: nullable(Moment('As asked for.')),
      to: nullable(Moment('As asked for.')),
      opening: Money('The balance before.'),
      lines: Type.Array(
        Type.Object({
          day: Day,
          kind: Word(KINDS, 'What happened.'),
          entries: Type.Integer(),
          messages: Type.Integer(),
          change: Money('Of the balance.'),
          balance: Money('After the line.'),
        }),
      ),
      closing: Money('The balance after.'),
    }),
    statementTimeoutMs: STATEMENT_TIMEOUT_MS,
    run: accountStatementBy,
  }),
  endpoint({
    useCase: 'account.usage',
    method: 'GET',
    path: '/accounts/:accountId/usage',
    summary: 'What an account has sent, by day, destination and status',
    params: OfAccount,
    query: Type.Object({ from: Type.Optional(Day), to: Type.Optional(Day) }),
    answer: Type.Object({
      accountId: AccountId,
      from: Day,
      to: Day,
      countedUntil: nullable(Moment('Later changes are not counted yet.')),
      lines: Type.Array(
        Type.Object({
          day: Day,
          destination: Type.String({ description: 'The country calling code.', examples: ['46'] }),
          state: Type.String({ examples: ['delivered'] }),
          messages: Type.Integer(),
          segments: Type.Integer(),
          amount: Money('What they cost.'),
          currency: Currency,
        }),
      ),
    }),
    statementTimeoutMs: USAGE_TIMEOUT_MS,
    run: accountUsageBy,
  }),
  endpoint({
    useCase: 'fx.list',
    method: 'GET',
    path: '/fx-rates',
    summary: 'Lists the exchange rates for deposits',
    answer: Type.Array(FxRate),
    run: fxList,
  }),
  endpoint({
    useCase: 'fx.set',
    method: 'PUT',
    path: '/fx-rates/:from/:to',
    summary: 'Sets an exchange rate for deposits from now on; those that are booked keep theirs',
    params: Type.Object({ from: Currency, to: Currency }),
    body: Type.Object({
      rate: Type.String({ pattern: '^[0-9]+(\\.[0-9]+)?$', maxLength: 30, examples: ['0.9215'] }),
    }),
    answer: FxRate,
    run: fxSet,
  }),
];
