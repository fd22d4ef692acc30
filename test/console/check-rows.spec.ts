import { describe, expect, test } from '@jest/globals';
import { checkRows, groupFaults, type Mapping } from '../../apps/console/owner/batch/check-rows.js';
import { cutChunks } from '../../apps/console/owner/batch/cut-chunks.js';
import { fingerprintOf } from '../../apps/console/owner/batch/fingerprint.js';
import { readTemplate } from '../../apps/console/owner/batch/template.js';
import { csvCell, writeResult } from '../../apps/console/owner/batch/write-result.js';

const COLUMNS = ['number', 'text'];
const MAPPING: Mapping = { recipient: 0, text: readTemplate('{text}', COLUMNS), countryCode: '' };

const check = (cells: readonly (readonly string[])[], mapping: Partial<Mapping> = {}) =>
  checkRows(
    cells.map((row, index) => ({ number: index + 2, cells: row })),
    { ...MAPPING, ...mapping },
    COLUMNS,
  );

describe('a row of a file', () => {
  test.each([
    [['', 'hi'], 'recipient_missing', ''],
    [[' ', 'hi'], 'recipient_missing', ''],
    [[], 'recipient_missing', ''],
    [['4.41E+11', 'hi'], 'recipient_rounded', '4.41E+11'],
    [['0701 234 567', 'hi'], 'recipient_national', '0701 234 567'],
    [['none', 'hi'], 'recipient_invalid', 'none'],
    [['+46701234567', ' '], 'value_missing', 'text'],
    [['+46701234567'], 'value_missing', 'text'],
    [['+46701234567', 'a\tb'], 'message_invalid_character', 'a\tb'],
    [['+46701234567', 'x'.repeat(39_016)], 'message_too_long', 'x'.repeat(39_016)],
  ])('%j has the fault %s', async (cells, kind, value) => {
    const { faults, messages } = await check([cells]);
    expect(faults).toEqual([expect.objectContaining({ row: 2, kind, value })]);
    expect(messages).toEqual([]);
  });

  test.each([
    ['46701234567.0', '46701234567'],
    ["'+46701234567", '+46701234567'],
  ])('has its own number, also as a decimal, or as the result of a send writes it: %s', async (cell, recipient) => {
    const { messages } = await check([[cell, 'hi']]);
    expect(messages).toMatchObject([{ recipient, destination: '46701234567' }]);
  });

  test('is a message that the service would take, with its segments', async () => {
    const { messages } = await check([['0046 (70) 123-45 67', 'é'.repeat(71)]]);
    expect(messages).toEqual([
      {
        row: 2,
        recipient: '0046 (70) 123-45 67',
        destination: '46701234567',
        message: 'é'.repeat(71),
        segments: 2,
        isExtended: true,
        repeats: undefined,
      },
    ]);
  });

  test('with a national number gets the country code, if one is given', async () => {
    const { messages, faults } = await check(
      [
        ['0701/234 567', 'hi'],
        ['0012', 'hi'],
      ],
      { countryCode: '46' },
    );
    expect(messages.map(({ recipient }) => recipient)).toEqual(['+46701234567']);
    expect(faults.map(({ kind }) => kind)).toEqual(['recipient_invalid']);
  });

  test('with the number of an earlier row is pointed out, however it is written', async () => {
    const { messages } = await check([
      ['+46701234567', 'hi'],
      ['0046 70 1234567', 'hi'],
      ['46701234567', 'another text'],
    ]);
    expect(messages.map(({ repeats }) => repeats)).toEqual([
      undefined,
      { row: 2, hasSameText: true },
      { row: 2, hasSameText: false },
    ]);
  });
});

test('faults come one kind at a time: recipients first, then texts, then what the service says', () => {
  const fault = (row: number, kind: string) => ({ row, recipient: '', kind, value: '', detail: undefined });
  const groups = groupFaults([
    fault(2, 'no_route'),
    fault(3, 'value_missing'),
    fault(4, 'recipient_invalid'),
    fault(5, 'recipient_missing'),
    fault(6, 'recipient_invalid'),
  ]);
  expect(groups.map(({ kind, faults }) => [kind, faults.map(({ row }) => row)])).toEqual([
    ['recipient_missing', [5]],
    ['recipient_invalid', [4, 6]],
    ['value_missing', [3]],
    ['no_route', [2]],
  ]);
});

describe('the requests of a send', () => {
  const bytesOf = (chunk: readonly { recipient: string; message: string }[]) =>
    Buffer.byteLength(JSON.stringify({ messages: chunk.map(({ recipient, message }) => ({ recipient, message })) }));

  test('have at most 1,000 messages and less than 256 KiB, and all of them in order', async () => {
    const rows = Array.from({ length: 3_500 }, (_, index) => [`+4670${1_000_000 + index}`, '€'.repeat(index % 500)]);
    rows[700] = ['+46700000000', 'x'.repeat(39_000)];
    rows[701] = ['+46700000001', '\\"€'.repeat(5_000)];
    const { messages } = await check(rows.map(([number = '', text = '']) => [number, `${text}.`]));
    const chunks = await cutChunks(messages);
    expect(chunks.flat()).toEqual(messages);
    expect(Math.max(...chunks.map((chunk) => chunk.length))).toBeLessThanOrEqual(1_000);
    expect(Math.max(...chunks.map(bytesOf))).toBeLessThan(256 * 1_024);
    expect(await cutChunks(messages)).toEqual(chunks);
  });

  test('of short messages are full', async () => {
    const rows = Array.from({ length: 2_001 }, (_, index) => [`+4670${1_000_000 + index}`, 'hi']);
    const { messages } = await check(rows);
    expect((await cutChunks(messages)).map((chunk) => chunk.length)).toEqual([1_000, 1_000, 1]);
  });
});

test.each([
  ['=1+1', "'=1+1"],
  ['+46701234567', "'+46701234567"],
  ['-1', "'-1"],
  ['@SUM(A1)', "'@SUM(A1)"],
  ['a;b', '"a;b"'],
  ['say "hi"', '"say ""hi"""'],
  ['=HYPERLINK("x")', '"\'=HYPERLINK(""x"")"'],
  ['plain', 'plain'],
])('the result writes %j so that no spreadsheet computes it', (text, cell) => {
  expect(csvCell(text)).toBe(cell);
});

test('the result has a line for each row, with the id of its message or the reason', async () => {
  const { messages } = await check([['+46701234567', 'hi']]);
  const pieces = await writeResult({
    sent: messages.map((message) => ({ message: { ...message, row: 3 }, messageId: '019aa5c4', amount: 75_000n })),
    earlier: [{ row: 4, recipient: '+46701234568', reason: 'Accepted before' }],
    unknown: [{ row: 5, recipient: '+46701234569', reason: 'No answer' }],
    notSent: [{ row: 2, recipient: '=1', reason: 'The recipient is not a number; it is "=1"' }],
    currency: 'EUR',
    delimiter: ';',
  });
  expect(pieces.join('')).toBe(
    '\ufeffrow;recipient;result;message_id;amount;currency;reason\r\n' +
      '2;\'=1;not sent;;;;"The recipient is not a number; it is ""=1"""\r\n' +
      "3;'+46701234567;accepted;019aa5c4;0.075;EUR;\r\n" +
      "4;'+46701234568;accepted;;;;Accepted before\r\n" +
      "5;'+46701234569;unknown;;;;No answer\r\n",
  );
});

test('files are told apart by their bytes', () => {
  const marks = ['', 'a', 'b', 'ab', 'ba', 'abcd', 'abdc', 'abcde', 'abcdf'].map((text) =>
    fingerprintOf(new TextEncoder().encode(text)),
  );
  expect(new Set(marks).size).toBe(marks.length);
  expect(fingerprintOf(new TextEncoder().encode('abcde'))).toBe(marks[7]);
});
