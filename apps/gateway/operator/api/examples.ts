import type { TSchema } from '@sinclair/typebox';

const TIME = '2026-11-20T03:00:00.000Z';
const ID = '019a3f1e-5c1b-7c3e-9d55-0c8e6f1a2b3c';

/** A body as somebody may send it: what is required, and what is optional and has an example of its own. */
export function exampleBody(schema: TSchema): unknown {
  return exampleOf(schema, ({ examples }) => examples !== undefined);
}

/** An answer with all of its fields. */
export function exampleAnswer(schema: TSchema): unknown {
  return exampleOf(schema, () => true);
}

/**
 * A value that the schema allows, made from the examples of its fields: so an example never has a field that the schema
 * does not know, and a new field is in all examples.
 */
function exampleOf(schema: TSchema, showsOptional: (field: TSchema) => boolean): unknown {
  const { examples, default: usual, enum: words, anyOf, type, properties, required = [], items } = schema;
  if (Array.isArray(examples)) return examples[0];
  if (usual !== undefined) return usual;
  if ('const' in schema) return schema.const;
  if (Array.isArray(words)) return words[0];
  if (Array.isArray(anyOf)) return exampleOf(anyOf[0], showsOptional);
  switch (type) {
    case 'object': {
      const shown = Object.entries((properties ?? {}) as Record<string, TSchema>).filter(
        ([name, field]) => required.includes(name) || showsOptional(field),
      );
      return Object.fromEntries(shown.map(([name, field]) => [name, exampleOf(field, showsOptional)]));
    }
    case 'array':
      return items === undefined ? [] : [exampleOf(items, showsOptional)];
    case 'integer':
    case 'number':
      return schema.minimum ?? 0;
    case 'boolean':
      return false;
    case 'string':
      return schema.format === 'uuid' ? ID : schema.format === 'date-time' ? TIME : 'text';
    default:
      return {};
  }
}
