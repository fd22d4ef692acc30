import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { PartsTooLarge, parseInSlices } from '../../apps/gateway/http/large-json.js';
import { repeatedName } from '../../apps/gateway/http/repeated-names.js';
import { Slices } from '../../apps/gateway/http/slices.js';
import { ANY_CHARACTER, fuzz } from '../support/fuzz.js';

const LIMITS = { valuesMax: 10_000, entryBytesMax: 100_000 };

function parse(json: string): unknown {
  const value: unknown = JSON.parse(json);
  if (repeatedName(json) !== undefined) throw new Error('a name twice');
  return value;
}

/** What is read of a text in steps of so many bytes; undefined: it is refused. */
async function read(json: string, stepBytes: number): Promise<unknown> {
  try {
    const value = await parseInSlices(Buffer.from(json), { ...LIMITS, stepBytes }, parse, new Slices());
    return typeof value === 'string' ? undefined : value;
  } catch {
    return undefined;
  }
}

/** What JSON.parse makes of it, where that is an object. */
function parsed(json: string): unknown {
  try {
    const value = parse(json);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

const TEXT = fc.oneof(
  fc.string({ unit: ANY_CHARACTER }),
  fc.constantFrom('"', '\\', '\\"', '[', ']', '{', '},', ',', '\u20ac', '__proto__'),
);
const { value: VALUE } = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small' },
    TEXT,
    fc.integer(),
    fc.constantFrom(true, false, null),
    fc.array(tie('value')),
    fc.dictionary(TEXT, tie('value')),
  ),
}));
const DOCUMENT = fc.dictionary(TEXT, fc.oneof(fc.array(VALUE, { maxLength: 20 }), VALUE), { maxKeys: 5 });
const STEP = fc.integer({ min: 1, max: 30 });

describe('a document that is parsed in slices', () => {
  test('is what JSON.parse makes of it', async () => {
    await fc.assert(
      fc.asyncProperty(DOCUMENT, fc.constantFrom(undefined, 1, '\t'), STEP, async (document, space, step) => {
        const json = JSON.stringify(document, undefined, space);
        expect(await read(json, step)).toEqual(JSON.parse(json));
      }),
      fuzz(500),
    );
  });

  test('is refused where JSON.parse refuses it, wherever something is missing or too much', async () => {
    const damage = fc.record({
      at: fc.nat({ max: 10_000 }),
      left: fc.integer({ min: 0, max: 2 }),
      put: fc.constantFrom('', ',', '[', ']', '{', '}', '"', '\\', ':', '1', ' ', '[]', '{}', ',]', '],['),
    });
    await fc.assert(
      fc.asyncProperty(
        DOCUMENT,
        fc.array(damage, { minLength: 1, maxLength: 3 }),
        STEP,
        async (document, all, step) => {
          let json = JSON.stringify(document);
          for (const { at, left, put } of all) {
            const begin = at % (json.length + 1);
            json = `${json.slice(0, begin)}${put}${json.slice(begin + left)}`.toWellFormed();
          }
          expect([json, await read(json, step)]).toEqual([json, parsed(json)]);
        },
      ),
      fuzz(2_000),
    );
  });

  test.each([
    '{"a":[1,]}',
    '{"a":[,1]}',
    '{"a":[1,,2]}',
    '{"a":[1 2]}',
    '{"a":[{]}}',
    '{"a":[1}',
    '{"a":[1]',
    '{"a":[1]}}',
    '{"a":[1]}{"a":[2]}',
    '[]{"a":[1]}',
    '{"a":["]}',
    '{[1]}',
    '{"a"[1]}',
    '{"a":[1][2]}',
    '',
  ])('is refused where it is %s', async (json) => {
    for (const step of [1, 3, 100]) expect(await read(json, step)).toBeUndefined();
  });

  test('is refused for the number of its values and the size of an entry before it is parsed', async () => {
    const notParsed = () => {
      throw new Error('it was parsed');
    };
    const fault = (json: string) =>
      parseInSlices(Buffer.from(json), { valuesMax: 10, entryBytesMax: 20, stepBytes: 8 }, notParsed, new Slices());
    expect(await fault('{"a":[1,2,3,4,5,6,7,8,9,10]}')).toBe('too_many_values');
    expect(await fault('{"a":[1,"123456789012345678901"]}')).toEqual(new PartsTooLarge([{ array: 'a', position: 1 }]));
    expect(await fault('{"a":[],"b":"123456789012"}')).toEqual(new PartsTooLarge([]));
    expect(await fault('[1]')).toBe('no_object');
  });
});
