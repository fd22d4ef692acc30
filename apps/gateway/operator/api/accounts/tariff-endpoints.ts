import { Type } from '@sinclair/typebox';
import { tariffCancel, tariffImport, tariffList, tariffPreview, tariffSetDefault, tariffShow } from '#operations';
import { type Endpoint, endpoint } from '../endpoint.js';
import { Currency, Moment, Money, Named, nullable, Revision, Word } from '../shapes.js';

/** A file has a line for each prefix of the world. */
const FILE_BYTES_MAX = 8 * 1024 * 1024;

const FIELDS = {
  name: Type.String({ examples: ['acme-2027'] }),
  currency: Currency,
  isDefault: Type.Boolean({ description: 'New accounts in its currency get it.' }),
  rateCount: Type.Integer({ description: 'Its own rates.' }),
  basedOn: nullable(Type.String({ description: 'Whose rates hold for other prefixes.', examples: ['default-eur'] })),
  changesAt: nullable(Moment('When its own rates change next.')),
  createdAt: Moment('When it was made.'),
};
const Tariff = Named('Tariff', Type.Object(FIELDS));
const OfTariff = Type.Object({ name: Type.String({ minLength: 1, maxLength: 100, examples: ['acme-2027'] }) });
const File = Type.Object({
  currency: Currency,
  csv: Type.String({
    minLength: 1,
    description: 'With the header `prefix,price` or `prefix,price,country`.',
    examples: ['prefix,price\n46,0.0075\n'],
  }),
  validFrom: Type.Optional(Moment('When these rates begin; left out: now.')),
  basedOn: Type.Optional(
    Type.String({ minLength: 1, maxLength: 100, description: 'The tariff whose rates hold for other prefixes.' }),
  ),
});
const COUNTS = {
  added: Type.Integer(),
  removed: Type.Integer(),
  changed: Type.Integer(),
  unchanged: Type.Integer(),
};
const Price = Money('Of a segment.');

export const TARIFF_ENDPOINTS: readonly Endpoint[] = [
  endpoint({
    useCase: 'tariff.list',
    method: 'GET',
    path: '/tariffs',
    summary: 'Lists the price lists',
    answer: Type.Array(Tariff),
    run: tariffList,
  }),
  endpoint({
    useCase: 'tariff.show',
    method: 'GET',
    path: '/tariffs/:name',
    summary: 'Shows the rates of a price list',
    params: OfTariff,
    query: Type.Object({ at: Type.Optional(Moment('The rates of this moment; left out: of now.')) }),
    answer: Type.Object({
      ...FIELDS,
      rates: Type.Array(
        Type.Object({
          prefix: Type.String({ examples: ['46'] }),
          price: Price,
          country: Type.Optional(Type.String({ examples: ['Sweden'] })),
          isOwn: Type.Boolean({ description: 'False: it is one of the price list that this one is based on.' }),
        }),
      ),
    }),
    run: tariffShow,
  }),
  endpoint({
    useCase: 'tariff.import',
    method: 'PUT',
    path: '/tariffs/:name',
    summary: 'Makes a price list of a CSV, or replaces all rates of one, now or from a later time on',
    params: OfTariff,
    body: Type.Object({
      ...File.properties,
      revision: Type.Optional(
        Revision('Of a preview: if the rates have been changed since, nothing is replaced (409 `not_possible`).'),
      ),
    }),
    answer: Type.Object({ ...FIELDS, ...COUNTS }),
    bodyBytesMax: FILE_BYTES_MAX,
    statementTimeoutMs: 60_000,
    run: tariffImport,
  }),
  endpoint({
    useCase: 'tariff.preview',
    method: 'POST',
    path: '/tariffs/:name/preview',
    summary: 'What an import would add, remove and change; nothing is changed',
    params: OfTariff,
    body: File,
    answer: Type.Object({
      name: Type.String(),
      currency: Currency,
      dryRun: Type.Literal(true),
      revision: Revision('Of the rates of now, or of those that hold then.'),
      ...COUNTS,
      changes: Type.Array(
        Type.Object({
          change: Word(['added', 'removed', 'changed'], 'What would happen.'),
          prefix: Type.String({ examples: ['46'] }),
          oldPrice: nullable(Price),
          price: nullable(Price),
          country: nullable(Type.String()),
        }),
      ),
    }),
    bodyBytesMax: FILE_BYTES_MAX,
    statementTimeoutMs: 60_000,
    run: tariffPreview,
  }),
  endpoint({
    useCase: 'tariff.cancel',
    method: 'POST',
    path: '/tariffs/:name/cancel',
    summary: 'Takes back the rates that were planned for a time',
    params: OfTariff,
    body: Type.Object({ validFrom: Moment('When they would begin.') }),
    answer: Tariff,
    run: tariffCancel,
  }),
  endpoint({
    useCase: 'tariff.set-default',
    method: 'POST',
    path: '/tariffs/:name/set-default',
    summary: 'Gives a price list to new accounts in its currency',
    params: OfTariff,
    answer: Tariff,
    run: tariffSetDefault,
  }),
];
