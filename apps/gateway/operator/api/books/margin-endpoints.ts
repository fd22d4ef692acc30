import { Type } from '@sinclair/typebox';
import { costImport, costShow, MARGIN_TIMEOUT_MS, margin } from '#operations';
import { type Endpoint, endpoint } from '../endpoint.js';
import { CarrierName, Currency, Moment, Money, nullable } from '../shapes.js';

const FILE_BYTES_MAX = 8 * 1024 * 1024;
const OfCarrier = Type.Object({ carrier: CarrierName });
const Month = Type.String({
  pattern: '^[0-9]{4}-(0[1-9]|1[0-2])$',
  description: 'From midnight to midnight in UTC.',
  examples: ['2026-10'],
});

export const MARGIN_ENDPOINTS: readonly Endpoint[] = [
  endpoint({
    useCase: 'margin',
    method: 'GET',
    path: '/margins/:month',
    summary: 'What is left of the price of what carriers took in a month, by carrier and country',
    params: Type.Object({ month: Month }),
    answer: Type.Object({
      month: Month,
      isWhole: Type.Boolean({ description: 'False: retention may have dropped messages of the month.' }),
      lines: Type.Array(
        Type.Object({
          carrier: CarrierName,
          destination: Type.String({ description: 'The country calling code.', examples: ['46'] }),
          currency: Currency,
          segments: Type.Integer({ examples: [120] }),
          revenue: Money('What clients were billed.'),
          costCurrency: nullable(Currency),
          cost: Money('What the carrier charges, as far as it is known.'),
          segmentsWithoutCost: Type.Integer({ description: 'Segments whose cost is not known.' }),
          margin: nullable(Money('Null: the currencies differ, or a cost is not known.')),
        }),
      ),
      totals: Type.Array(
        Type.Object({
          currency: Currency,
          revenue: Money('Of the lines with a margin.'),
          cost: Money('Of the lines with a margin.'),
          margin: Money('What is left.'),
        }),
      ),
    }),
    statementTimeoutMs: MARGIN_TIMEOUT_MS,
    run: margin,
  }),
  endpoint({
    useCase: 'cost.show',
    method: 'GET',
    path: '/costs/:carrier',
    summary: 'What a carrier charges for a segment, by prefix',
    params: OfCarrier,
    query: Type.Object({ at: Type.Optional(Moment('The costs of this moment; left out: of now.')) }),
    answer: Type.Object({
      carrier: CarrierName,
      validFrom: nullable(Moment('Null: it has none, and the costs of its routes are taken.')),
      costs: Type.Array(
        Type.Object({ prefix: Type.String({ examples: ['46'] }), cost: Money('Of a segment.'), currency: Currency }),
      ),
    }),
    run: costShow,
  }),
  endpoint({
    useCase: 'cost.import',
    method: 'PUT',
    path: '/costs/:carrier',
    summary: 'Gives a carrier all its costs from a time on',
    params: OfCarrier,
    body: Type.Object({
      currency: Currency,
      csv: Type.String({
        minLength: 1,
        description: 'With the header `prefix,price`; the price is what the carrier charges for a segment.',
        examples: ['prefix,price\n46,0.0040\n'],
      }),
      validFrom: Moment('From when on; it may be over, because a bill may come late.'),
    }),
    answer: Type.Object({
      carrier: CarrierName,
      currency: Currency,
      validFrom: Moment('From when on.'),
      costs: Type.Integer({ description: 'Prefixes.' }),
    }),
    bodyBytesMax: FILE_BYTES_MAX,
    statementTimeoutMs: 60_000,
    run: costImport,
  }),
];
