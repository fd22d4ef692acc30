import { type TObject, type TSchema, Type } from '@sinclair/typebox';
import { OPERATOR_ROLES, type OperatorRole } from '#persistence';

/** Parts of answers and bodies that several endpoints have. */

export const ROLE = Type.Unsafe<OperatorRole>({ type: 'string', enum: [...OPERATOR_ROLES] });

const MONEY = '^-?[0-9]{1,13}(\\.[0-9]{1,6})?$';

/** An amount: a decimal string, so that no reader's float touches it. */
export function Money(description: string) {
  return Type.String({ pattern: MONEY, description, examples: ['12.5'] });
}

export const MOMENT = Type.String({ format: 'date-time' });

/** ISO 8601 with a zone; answers are in UTC. */
export function Moment(description: string) {
  return Type.String({ format: 'date-time', description, examples: ['2026-11-20T03:00:00.000Z'] });
}

export function nullable<Schema extends TSchema>(schema: Schema) {
  const { description } = schema;
  return Type.Union([schema, Type.Null()], description === undefined ? {} : { description });
}

/** One of these words. */
export function Word<const Words extends readonly string[]>(words: Words, description: string) {
  return Type.Unsafe<Words[number]>({ type: 'string', enum: words, description });
}

export const AccountId = Type.String({
  pattern: '^[1-9][0-9]{0,17}$',
  description: 'The id of an account.',
  examples: ['1001'],
});

export const Currency = Type.String({ pattern: '^[A-Z]{3}$', description: 'A currency code.', examples: ['EUR'] });

export const PREFIX = Type.String({
  pattern: '^(\\*|\\+?[1-9][0-9]{0,14})?$',
  description: 'Digits; `*` or nothing: every number that no other route is for.',
  examples: ['46'],
});

/** In lists that name the accounts of their rows. */
export const AccountName = Type.String({ examples: ['Acme'] });
export const CarrierName = Type.String({
  minLength: 1,
  maxLength: 40,
  description: 'The name of a carrier.',
  examples: ['acme'],
});

export const OfAccount = Type.Object({ accountId: AccountId });
export const OfCarrier = Type.Object({ name: CarrierName });

/** A UUID, as part of a pattern. */
export const UUID = '[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}';

/** The parameters of a list with pages. */
export const PAGING = pagingBy('^[0-9]{1,18}$', '1001');
/** The same of a list whose items have UUIDs. */
export const PAGING_BY_ID = pagingBy(`^${UUID}$`, '019aa5c4-1c2e-7cc3-a1b4-0d9c6f1f6c11');

/** The same of a list whose items have a time and a hash. */
export const PAGING_BY_HASH = pagingBy(
  '^[0-9]{1,16}-[0-9a-f]{32}$',
  '1763600000000000-5d41402abc4b2a76b9719d911017c592',
);

/** @param pattern of cursors that the database can read as what they are */
function pagingBy(pattern: string, example: string) {
  return {
    limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 1_000, default: 100, description: 'Items of a page.' })),
    cursor: Type.Optional(
      Type.String({ pattern, description: 'The `next` of another page, with the same filters.', examples: [example] }),
    ),
  };
}

export function PageOf<Item extends TSchema>(item: Item) {
  return Type.Object({
    data: Type.Array(item),
    next: nullable(
      Type.String({
        description: 'The `cursor` of the page that follows; null on the last page.',
        examples: ['1001'],
      }),
    ),
  });
}

/** Of a preview, for a replacement that replaces nothing else. */
export function Revision(description: string) {
  return Type.String({ minLength: 1, maxLength: 40, description, examples: ['aVbJ0cGrQ3nTkd1x'] });
}

/** A part of the document with a name, to which others refer. */
export function Named<Schema extends TObject>(title: string, schema: Schema): Schema {
  return { ...schema, title };
}

export const NOTES = Type.Array(Type.String(), {
  description: 'What the change means for messages, a sentence each.',
  examples: [['It takes messages of the route 46 from now on.']],
});
