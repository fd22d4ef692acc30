import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { CarrierReceipt, MessageIdFormat } from '#carrier';
import { decodeDelivery } from '../../libs/carrier/smpp/deliver-sm.js';
import { receiptMessageId, rereadMessageId, storedMessageId } from '../../libs/carrier/smpp/message-id.js';
import { COMMAND } from '../../libs/carrier/smpp/pdu.js';
import { parseReceipt } from '../../libs/carrier/smpp/receipt.js';
import { FUZZ_TIMEOUT_MS, fuzz } from '../support/fuzz.js';
import { type DeliverFields, deliverBody, tlv } from '../support/scripted-smsc.js';

/**
 * What a carrier may do with the ids that it gave, in any combination: a receipt has to find its segment all the same.
 */
const number64 = fc.bigInt({ min: 0n, max: 0xffff_ffff_ffff_ffffn });
const padding = fc.integer({ min: 0, max: 20 }).map((zeros) => '0'.repeat(zeros));
const inCase = fc.constantFrom(
  (text: string) => text.toUpperCase(),
  (text: string) => text.toLowerCase(),
);
/** What carriers put around an id without meaning it. */
const noise = fc.constantFrom('', ' ', '\0', '\r\n', '\t', '\u00a0');

function written(base: 10 | 16): fc.Arbitrary<(id: bigint) => string> {
  return fc.tuple(padding, inCase).map(
    ([zeros, cased]) =>
      (id: bigint) =>
        cased(zeros + id.toString(base)),
  );
}

const BASES: Record<MessageIdFormat, readonly (readonly [submit: 10 | 16, receipt: 10 | 16])[]> = {
  'as-is': [
    [10, 10],
    [16, 16],
  ],
  'hex-dec': [[16, 10]],
  'dec-hex': [[10, 16]],
};

/** A carrier's two ways of writing one number, and the format that an operator has set for it. */
const spelling = fc
  .constantFrom<MessageIdFormat>('as-is', 'hex-dec', 'dec-hex')
  .chain((format) => fc.tuple(fc.constant(format), fc.constantFrom(...BASES[format])))
  .chain(([format, [submit, receipt]]) => fc.tuple(fc.constant(format), written(submit), written(receipt)))
  .map(([format, inSubmit, inReceipt]) => ({ format, inSubmit, inReceipt }));

const sep = fc.constantFrom(' ', ',', ';', '|', '\t', '  ');
const afterColon = fc.constantFrom('', ' ');
const RECEIPTED_ID = 0x001e;
const MESSAGE_STATE = 0x0427;
const MESSAGE_PAYLOAD = 0x0424;

const WORDS = [
  ['DELIVRD', 'delivered', 2],
  ['EXPIRED', 'undelivered', 3],
  ['DELETED', 'undelivered', 4],
  ['UNDELIV', 'undelivered', 5],
  ['REJECTD', 'undelivered', 8],
  ['ENROUTE', 'pending', 1],
  ['ACCEPTD', 'pending', 6],
  ['UNKNOWN', 'pending', 7],
] as const;

/** The places of a deliver_sm in which an id and a state may stand. */
const PLACES = ['text', 'payload', 'ucs2', 'tlv', 'tlv and text'] as const;

const form = fc.record({
  place: fc.constantFrom(...PLACES),
  word: fc.constantFrom(...WORDS),
  sep,
  afterColon,
  stateFirst: fc.boolean(),
  keyCase: inCase,
  hasDates: fc.boolean(),
  esmClass: fc.constantFrom(0x04, 0x44, 0x07, 0x00),
});

function deliverOf(id: string, how: typeof form extends fc.Arbitrary<infer F> ? F : never): DeliverFields {
  const [word, , state] = how.word;
  const key = (name: string, value: string) => `${how.keyCase(name)}:${how.afterColon}${value}`;
  const dates = how.hasDates ? [key('submit date', '2401011200'), key('done date', '2401011201')] : [];
  // UCS-2 halves the room, so that carriers leave out there what nobody needs to know a receipt.
  const counts = how.place === 'ucs2' ? [key('sub', '001')] : [key('sub', '001'), key('dlvrd', '001'), ...dates];
  const parts = [key('id', id), ...counts, key('stat', word), key('err', '000')];
  if (how.stateFirst) parts.reverse();
  const text = [...parts, 'text:Hello'].join(how.sep);
  const { esmClass } = how;
  const idTlv = tlv(RECEIPTED_ID, Buffer.from(`${id}\0`, 'latin1'));
  const stateTlv = tlv(MESSAGE_STATE, Buffer.from([state]));
  switch (how.place) {
    case 'text':
      return { message: text, esmClass };
    case 'payload':
      return { tlvs: [tlv(MESSAGE_PAYLOAD, Buffer.from(text, 'latin1'))], esmClass };
    case 'ucs2':
      return { message: Buffer.from(text, 'utf16le').swap16(), dataCoding: 8, esmClass };
    case 'tlv':
      return { tlvs: [idTlv, stateTlv], esmClass };
    case 'tlv and text':
      return { message: text, tlvs: [stateTlv, idTlv], esmClass };
  }
}

const read = (fields: DeliverFields, format: MessageIdFormat): CarrierReceipt | undefined => {
  const deliver = decodeDelivery({ command: COMMAND.deliverSm, body: deliverBody(fields) });
  return deliver && parseReceipt(deliver, { messageIdFormat: format });
};

describe('a receipt finds its segment', () => {
  test(
    'however a carrier writes an id in hexadecimal or decimal, padded, cased, as TLV or in the text',
    () => {
      fc.assert(
        fc.property(number64, spelling, form, (id, { format, inSubmit, inReceipt }, how) => {
          const stored = storedMessageId(inSubmit(id));
          const receipt = read(deliverOf(inReceipt(id), how), format);
          expect(receipt).toMatchObject({ carrierMessageId: stored, state: how.word[1] });
          expect(receipt?.code).toBe(how.word[0]);
        }),
        fuzz(2_000),
      );
    },
    FUZZ_TIMEOUT_MS,
  );

  test(
    'an id that is no number, such as a UUID, is the same in both whatever the format',
    () => {
      const uuid = fc.uuid().filter((text) => text.includes('-'));
      fc.assert(
        fc.property(uuid, fc.constantFrom<MessageIdFormat>('as-is', 'hex-dec', 'dec-hex'), inCase, form, (...args) => {
          const [id, format, cased, how] = args;
          const receipt = read(deliverOf(cased(id), how), format);
          expect(receipt?.carrierMessageId).toBe(storedMessageId(id));
        }),
        fuzz(500),
      );
    },
    FUZZ_TIMEOUT_MS,
  );

  test(
    'control characters, blanks and zeros around an id mean nothing, and a stored id is its own stored form',
    () => {
      fc.assert(
        fc.property(fc.string({ maxLength: 70 }), noise, noise, padding, (id, before, after, zeros) => {
          const stored = storedMessageId(id);
          expect(storedMessageId(stored)).toBe(stored);
          expect(receiptMessageId(stored, 'as-is')).toBe(stored);
          expect(stored.length).toBeLessThanOrEqual(64);
          // PostgreSQL refuses NUL in a text, and nobody can look for what cannot be seen.
          // biome-ignore lint/suspicious/noControlCharactersInRegex: that is the point
          expect(stored).not.toMatch(/[\u0000-\u0020"\u007f-\u00a0]/);
          fc.pre(id.length + zeros.length <= 44);
          expect(storedMessageId(before + zeros + id + after)).toBe(storedMessageId(zeros + id));
        }),
        fuzz(2_000),
      );
    },
    FUZZ_TIMEOUT_MS,
  );

  test(
    'two numbers are never taken for one, and no id of a receipt is empty',
    () => {
      fc.assert(
        fc.property(number64, number64, spelling, (one, other, { format, inSubmit, inReceipt }) => {
          fc.pre(one !== other);
          expect(receiptMessageId(inReceipt(other), format)).not.toBe(storedMessageId(inSubmit(one)));
          expect(receiptMessageId(inReceipt(other), format)).not.toBe('');
        }),
        fuzz(1_000),
      );
    },
    FUZZ_TIMEOUT_MS,
  );
});

describe('what a person wrote decides nothing', () => {
  /** Texts that a person may write, or somebody who wants a receipt to lie. */
  const pretence = fc
    .array(
      fc.oneof(
        fc.constantFrom('id:666', 'stat:DELIVRD', 'stat:REJECTD', 'err:999', 'ID:666', 'text:', 'done date:1', '\r\n'),
        fc.string({ maxLength: 10 }),
      ),
      { maxLength: 8 },
    )
    .map((words) => words.join(' '));

  test(
    'nothing after "text:" changes the id, the state or the code of a receipt',
    () => {
      fc.assert(
        fc.property(
          number64,
          fc.constantFrom(...WORDS),
          fc.constantFrom('text:', 'Text:', 'TEXT:'),
          pretence,
          fc.constantFrom('message', 'payload'),
          (id, [word, state], key, lie, where) => {
            const head = `id:${id} sub:001 dlvrd:001 stat:${word} err:000 ${key}`;
            const latin = Buffer.from(head + lie, 'latin1').subarray(0, 250);
            const fields = where === 'message' ? { message: latin } : { tlvs: [tlv(MESSAGE_PAYLOAD, latin)] };
            expect(read(fields, 'as-is')).toMatchObject({ carrierMessageId: String(id), state, code: word });
          },
        ),
        fuzz(1_000),
      );
    },
    FUZZ_TIMEOUT_MS,
  );

  test(
    'a receipt without id or state does not take them from there',
    () => {
      fc.assert(
        fc.property(pretence, (lie) => {
          const nothing = read(
            { message: Buffer.from(`sub:001 dlvrd:001 text:${lie}`, 'latin1').subarray(0, 250) },
            'as-is',
          );
          expect(nothing).toMatchObject({ carrierMessageId: undefined, state: 'pending', code: 'UNKNOWN' });
          const unmarked = { message: Buffer.from(`text:${lie}`, 'latin1').subarray(0, 250), esmClass: 0 };
          expect(read(unmarked, 'as-is')).toBeUndefined();
        }),
        fuzz(1_000),
      );
    },
    FUZZ_TIMEOUT_MS,
  );
});

describe('a receipt that was read in the wrong format', () => {
  test(
    'is found by its id read anew in the right one, whatever the wrong one was',
    () => {
      const wrong = fc.constantFrom<MessageIdFormat>('as-is', 'hex-dec', 'dec-hex');
      fc.assert(
        fc.property(number64, spelling, wrong, (id, { format, inSubmit, inReceipt }, readAs) => {
          const named = storedMessageId(inSubmit(id));
          const unmatched = receiptMessageId(inReceipt(id), readAs);
          fc.pre(unmatched !== named);
          expect(rereadMessageId(unmatched, readAs, format)).toContain(named);
        }),
        fuzz(2_000),
      );
    },
    FUZZ_TIMEOUT_MS,
  );

  test('is left alone where nothing else can be read from it', () => {
    expect(rereadMessageId('sm-1', 'as-is', 'hex-dec')).toEqual([]);
    expect(rereadMessageId('7', 'hex-dec', 'dec-hex')).toEqual([]);
  });
});
