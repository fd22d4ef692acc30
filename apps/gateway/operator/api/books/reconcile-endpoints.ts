import { Type } from '@sinclair/typebox';
import {
  CDR_LINES_MAX,
  RECONCILE_TIMEOUT_MS,
  reconcile,
  reconcileAdd,
  reconcileCompare,
  reconcileDifferences,
  reconcileRemove,
} from '#operations';
import { DIFFERENCE_KINDS } from '#persistence';
import { type Endpoint, endpoint } from '../endpoint.js';
import { CarrierName, Currency, Moment, Money, Named, nullable, PAGING, PageOf, Word } from '../shapes.js';

const Id = Type.String({
  pattern: '^[0-9a-z]{16}$',
  description: 'Of the comparison.',
  examples: ['4f1x0c9a7b2e5d8k'],
});
const OfReconciliation = Type.Object({ reconciliationId: Id });
const Count = Type.Integer({ examples: [3] });
/** Higher numbers are not exact in JSON. */
const LINE_MAX = Number.MAX_SAFE_INTEGER;
/** 5,000 lines with all columns. */
const CHUNK_BYTES_MAX = 2 * 1024 * 1024;

const Column = <Item extends ReturnType<typeof Type.String> | ReturnType<typeof Type.Integer>>(
  item: Item,
  of: string,
) => Type.Array(item, { minItems: 1, maxItems: CDR_LINES_MAX, description: of });

const Kind = Type.Object({
  kind: Word([...DIFFERENCE_KINDS, 'equal', 'edge'], 'See docs/books.md.'),
  ids: Type.Integer({ description: 'Message ids of the carrier.' }),
  lines: Type.Integer({ description: 'Lines of the file.' }),
  sentSegments: Count,
  chargedSegments: Count,
  expectedCost: Money('What they ought to cost.'),
  chargedCost: Money('What the carrier charges.'),
});

const Difference = Named(
  'CdrDifference',
  Type.Object({
    number: Count,
    kind: Word(DIFFERENCE_KINDS, 'What differs.'),
    carrierMessageId: Type.String({ examples: ['7c3f01'] }),
    messageId: nullable(Type.String({ description: 'Null: this service does not know the id.' })),
    accountId: nullable(Type.String()),
    destination: nullable(Type.String({ examples: ['46700000001'] })),
    sentAt: nullable(Moment('When the carrier took it.')),
    sentSegments: nullable(Count),
    billed: nullable(Money('What the client was charged.')),
    billedCurrency: nullable(Currency),
    expectedCost: nullable(Money('What it ought to cost.')),
    firstLine: nullable(Type.Integer({ description: 'Null: no line of the file has it.' })),
    lines: nullable(Count),
    chargedSegments: nullable(Count),
    chargedCost: nullable(Money('What the carrier charges.')),
  }),
);

export const RECONCILE_ENDPOINTS: readonly Endpoint[] = [
  endpoint({
    useCase: 'reconcile',
    method: 'POST',
    path: '/reconciliations',
    summary: "Begins to compare a carrier's records (CDR) with the messages that it took",
    description:
      'Add the lines of its file, compare, read the differences, and remove it. `smsctl reconcile` does all.',
    body: Type.Object({
      carrier: CarrierName,
      currency: Type.Optional(Currency),
      unitCost: Type.Optional(Money('What a segment ought to cost; else as the routes of the carrier say.')),
      tolerance: Type.Optional(Money('By how much the charge for a segment may differ.')),
      from: Type.Optional(Moment('The first moment of the file; else its first time.')),
      to: Type.Optional(Moment('The moment after the last one.')),
      edgeSeconds: Type.Optional(
        Type.Integer({
          minimum: 0,
          maximum: 604_800,
          description: 'A message so near to the beginning or the end may stand in another file.',
        }),
      ),
    }),
    answer: OfReconciliation,
    status: 201,
    run: reconcile,
  }),
  endpoint({
    useCase: 'reconcile.add',
    method: 'POST',
    path: '/reconciliations/:reconciliationId/lines',
    summary: "Adds lines of the carrier's file, as columns; lines that are there already stay",
    params: OfReconciliation,
    body: Type.Object({
      lines: Column(Type.Integer({ minimum: 1, maximum: LINE_MAX }), 'Their numbers in the file.'),
      ids: Column(Type.String({ minLength: 1, maxLength: 200 }), 'Message ids as the carrier writes them.'),
      idFormat: Type.Optional(Word(['as-is', 'hex-dec', 'dec-hex'], 'How its records write ids, as for receipts.')),
      parts: Type.Optional(Column(Type.Integer({ minimum: 0, maximum: 1_000 }), 'Segments; else one each.')),
      costs: Type.Optional(Column(Money('The charge of a line.'), 'Charges.')),
      times: Type.Optional(Column(Type.String({ format: 'date-time' }), 'Times, to know the period.')),
    }),
    answer: Type.Object({ lines: Type.Integer({ description: 'Lines of the request.' }) }),
    bodyBytesMax: CHUNK_BYTES_MAX,
    run: reconcileAdd,
  }),
  endpoint({
    useCase: 'reconcile.compare',
    method: 'POST',
    path: '/reconciliations/:reconciliationId/compare',
    summary: 'Compares; asked again, it answers the same',
    params: OfReconciliation,
    answer: Type.Object({
      reconciliationId: Id,
      from: nullable(Moment('The beginning of the period.')),
      to: nullable(Moment('The end of the period.')),
      agrees: Type.Boolean({ description: 'Nothing differs.' }),
      lines: Type.Integer({ description: 'Lines of the file.' }),
      differences: Count,
      kinds: Type.Array(Kind),
      billed: Type.Array(Type.Object({ currency: Currency, amount: Money('What clients were charged.') })),
      sentSegments: Count,
      chargedSegments: Count,
      expectedCost: Money('What the segments ought to cost.'),
      chargedCost: Money('What the carrier charges.'),
      withoutCost: Type.Integer({ description: 'Ids whose cost is not known: only their segments were compared.' }),
    }),
    statementTimeoutMs: RECONCILE_TIMEOUT_MS,
    run: reconcileCompare,
  }),
  endpoint({
    useCase: 'reconcile.differences',
    method: 'GET',
    path: '/reconciliations/:reconciliationId/differences',
    summary: 'What differs, by the lines of the file; what the file does not have comes last',
    params: OfReconciliation,
    query: Type.Object(PAGING),
    answer: PageOf(Difference),
    run: reconcileDifferences,
  }),
  endpoint({
    useCase: 'reconcile.remove',
    method: 'DELETE',
    path: '/reconciliations/:reconciliationId',
    summary: 'Forgets a comparison with its differences',
    params: OfReconciliation,
    status: 204,
    statementTimeoutMs: RECONCILE_TIMEOUT_MS,
    run: reconcileRemove,
  }),
];
