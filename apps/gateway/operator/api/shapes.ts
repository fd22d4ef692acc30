import { type TSchema, Type } from '@sinclair/typebox';
import { OPERATOR_ROLES } from '#persistence';

/** Parts of answers and bodies that several endpoints have. */
export const MOMENT = Type.String({ format: 'date-time' });
export const ROLE = Type.Union(OPERATOR_ROLES.map((role) => Type.Literal(role)));

export function nullable<Schema extends TSchema>(schema: Schema) {
  return Type.Union([schema, Type.Null()]);
}
