import { Type } from '@sinclair/typebox';
import { MONTHLY_STATEMENT_TIMEOUT_MS, statement, statementFileBy } from '#operations';
import { type Endpoint, endpoint } from '../endpoint.js';
import { AccountId, Currency, Moment, Money, Named, nullable, Word } from '../shapes.js';

const Month = Type.String({
  pattern: '^[0-9]{4}-(0[1-9]|1[0-2])$',
  description: 'From midnight to midnight in UTC.',
  examples: ['2026-10'],
});
const OfMonth = Type.Object({ accountId: AccountId, month: Month });
const Day = Type.String({ format: 'date', description: 'A day in UTC.', examples: ['2026-10-22'] });
const Count = Type.Integer({ examples: [120] });
const Booked = {
  number: Type.Integer({ description: 'The number of the deposit.' }),
  at: Moment('When it was booked.'),
};

const Statement = Named(
  'Statement',
  Type.Object({
    accountId: AccountId,
    name: Type.String(),
    currency: Currency,
    month: Month,
    from: Moment('Its first moment.'),
    to: Moment('The first moment after it.'),
    madeAt: Moment('When this statement was made.'),
    isFinal: Type.Boolean({
      description: 'False: entries may still be added. A month is final an hour after its end.',
    }),
    opening: Money('The balance at `from`.'),
    deposits: Type.Array(
      Type.Object({
        ...Booked,
        amount: Money('As it was paid.'),
        currency: Currency,
        fxRate: Type.String({ examples: ['1'] }),
        booked: Money('In the currency of the account.'),
        reference: nullable(Type.String()),
      }),
    ),
    adjustments: Type.Array(
      Type.Object({ ...Booked, amount: Money('Above or below 0.'), reason: nullable(Type.String()) }),
    ),
    charges: Type.Array(
      Type.Object({
        day: Day,
        destination: Type.String({ description: 'The country calling code.', examples: ['46'] }),
        country: nullable(Type.String({ examples: ['Sweden'] })),
        unitPrice: Money('Of a segment.'),
        messages: Count,
        segments: Count,
        amount: Money('`segments` times `unitPrice`.'),
      }),
      { description: 'Messages as they were charged when they were accepted.' },
    ),
    refunds: Type.Array(Type.Object({ day: Day, messages: Count, amount: Money('What came back on this day.') })),
    notItemised: Money('Charges of messages that a version before 0.3 dropped; else 0.'),
    totals: Type.Object({
      deposits: Money('All deposits.'),
      adjustments: Money('All corrections.'),
      charges: Money('All charges.'),
      refunds: Money('All refunds.'),
    }),
    closing: Money('opening + deposits + adjustments - charges + refunds.'),
  }),
);

export const STATEMENT_ENDPOINTS: readonly Endpoint[] = [
  endpoint({
    useCase: 'statement',
    method: 'GET',
    path: '/accounts/:accountId/statements/:month',
    summary: 'The statement of an account for a month',
    params: OfMonth,
    answer: Statement,
    statementTimeoutMs: MONTHLY_STATEMENT_TIMEOUT_MS,
    run: statement,
  }),
  endpoint({
    useCase: 'statement.file',
    method: 'GET',
    path: '/accounts/:accountId/statements/:month/file',
    summary: 'The same as CSV, or as an HTML page to print',
    params: OfMonth,
    query: Type.Object({ format: Word(['csv', 'html'], 'How it is written.') }),
    answer: Type.Object({
      name: Type.String({ examples: ['statement-1001-2026-10.csv'] }),
      media: Type.String({ examples: ['text/csv; charset=utf-8; header=present'] }),
      text: Type.String({ description: 'The content of the file.' }),
    }),
    statementTimeoutMs: MONTHLY_STATEMENT_TIMEOUT_MS,
    run: statementFileBy,
  }),
];
