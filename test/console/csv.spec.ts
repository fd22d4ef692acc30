import { describe, expect, test } from '@jest/globals';
import { columnLetter, columnNames, guessColumns, isRoundedNumber } from '../../apps/console/owner/batch/columns.js';
import { decodeFile } from '../../apps/console/owner/batch/decode-file.js';
import { ROWS_MAX } from '../../apps/console/owner/batch/file-fault.js';
import { type ParsedFile, parseRows } from '../../apps/console/owner/batch/parse-rows.js';
import { fillTemplate, readTemplate } from '../../apps/console/owner/batch/template.js';

const utf8 = (text: string) => new TextEncoder().encode(text);
const cellsOf = async (text: string) => (await parsed(text)).rows.map(({ cells }) => cells);

async function parsed(text: string): Promise<ParsedFile> {
  const file = await parseRows(text);
  if ('kind' in file) throw new Error(file.kind);
  return file;
}

describe('a file is read as its spreadsheet wrote it', () => {
  test.each([
    ['UTF-8', utf8('Åsa;1'), { text: 'Åsa;1', charset: 'utf-8' }],
    ['UTF-8 with a byte order mark', utf8('\ufeffÅsa'), { text: 'Åsa', charset: 'utf-8' }],
    ['Windows-1252', Uint8Array.from([0xc5, 0x73, 0x61]), { text: 'Åsa', charset: 'windows-1252' }],
    ['UTF-16 of Excel', Uint8Array.from([0xff, 0xfe, 0xc5, 0, 0x73, 0]), { text: 'Ås', charset: 'utf-16le' }],
  ])('%s', (_charset, bytes, decoded) => {
    expect(decodeFile(bytes)).toEqual(decoded);
  });

  test('or as the person says', () => {
    expect(decodeFile(Uint8Array.from([0xcf, 0xf0, 0xe8]), 'windows-1251')).toMatchObject({ text: 'При' });
  });

  test.each([
    ['an empty file', [], 'empty'],
    ['a workbook of Excel', [0x50, 0x4b, 3, 4, 1], 'spreadsheet'],
    ['an old workbook', [0xd0, 0xcf, 0x11, 0xe0], 'spreadsheet'],
    ['a PDF', [0x25, 0x50, 0x44, 0x46], 'not_text'],
    ['a picture', [0x89, 0x50, 0x4e, 0x47, 0, 0, 0], 'not_text'],
  ])('%s is refused with its reason', (_what, bytes, kind) => {
    expect(decodeFile(Uint8Array.from(bytes))).toEqual({ kind });
  });
});

describe('rows', () => {
  test.each([',', ';', '\t', '|'])('are separated at %j, which need not be said', async (delimiter) => {
    const text = ['number', 'text', '+46701', '"Hi, Åsa; | \t"'].join(delimiter).replace('text', 'text\r\n+46700');
    const { rows, delimiter: found } = await parsed(`a${delimiter}b\r\n1${delimiter}"x,;|\t"\r\n${text}`);
    expect([found, rows[1]?.cells]).toEqual([delimiter, ['1', 'x,;|\t']]);
  });

  test('have the numbers that Excel shows: empty rows count, line breaks within quotes do not', async () => {
    const { rows } = await parsed('a,b\n\n1,"two\nlines"\n , \n2,x\n');
    expect(rows).toEqual([
      { number: 1, cells: ['a', 'b'] },
      { number: 3, cells: ['1', 'two\nlines'] },
      { number: 5, cells: ['2', 'x'] },
    ]);
  });

  test.each([
    ['doubled quotes', 'a,"say ""hi"""', [['a', 'say "hi"']]],
    [
      'CRLF, also after quotes',
      '"a","b"\r\n"c","d"\r\n',
      [
        ['a', 'b'],
        ['c', 'd'],
      ],
    ],
    [
      'the line ends of old Macs',
      'a,b\rc,d',
      [
        ['a', 'b'],
        ['c', 'd'],
      ],
    ],
    [
      'mixed line ends',
      'a,"b"\r\nc,d\ne,f',
      [
        ['a', 'b'],
        ['c', 'd'],
        ['e', 'f'],
      ],
    ],
    ["Excel's hint of the delimiter", 'sep=;\r\na,1;b', [['a,1', 'b']]],
    ['one column', '+46701\n+46702', [['+46701'], ['+46702']]],
    ['rows of different lengths', 'a,b\nc\nd,e,f', [['a', 'b'], ['c'], ['d', 'e', 'f']]],
  ])('are read with %s', async (_what, text, cells) => {
    expect(await cellsOf(text)).toEqual(cells);
  });

  test('are the same wherever a slice ends', async () => {
    const row = (index: number) => [`+4670${index}`, `"Dear ""${index}"",\r\nÅsa ${'x'.repeat(index % 97)}"`].join(';');
    const { rows } = await parsed(Array.from({ length: 6_000 }, (_, index) => row(index)).join('\r\n'));
    expect(rows).toHaveLength(6_000);
    expect(rows.map(({ number }) => number)).toEqual(rows.map((_, index) => index + 1));
    expect(rows[4_321]?.cells[1]).toBe(`Dear "4321",\nÅsa ${'x'.repeat(4_321 % 97)}`);
  });

  test.each([
    ['a quotation mark that is never closed', 'a,b\n1,x\n2,"y\n3,z', { kind: 'open_quote', row: 3 }],
    ['nothing but white space', ' \n\n,,\n', { kind: 'no_rows' }],
    ['too many rows', '1\n'.repeat(ROWS_MAX + 1), { kind: 'too_many_rows' }],
  ])('%s is a fault of the file', async (_what, text, fault) => {
    expect(await parseRows(text)).toEqual(fault);
  });

  test('a file of megabytes within an open quote is given up early', async () => {
    expect(await parseRows(`a\n"b\n${'c\n'.repeat(2_000_000)}`)).toEqual({ kind: 'open_quote', row: 2 });
  });

  test('reading ends when another file is chosen', async () => {
    const stop = new AbortController();
    stop.abort(new Error('another file'));
    await expect(parseRows('+46701234567,hello\n'.repeat(300_000), { signal: stop.signal })).rejects.toThrow(
      'another file',
    );
  });
});

describe('columns', () => {
  test.each([
    [
      'names in the first row',
      'Name;Telefon;Nachricht\nÅsa;+46701234567;Hej',
      { hasHeader: true, recipient: 1, text: 2 },
    ],
    ['no names', '+46701234567,Hello you\n+46701234568,Hello too', { hasHeader: false, recipient: 0, text: 1 }],
    ['numbers alone', '+46701234567\n+46701234568', { hasHeader: false, recipient: 0, text: undefined }],
    ['names that say nothing', 'a,b\nÅsa,0046701234567', { hasHeader: true, recipient: 1, text: undefined }],
    ['two columns of numbers', 'id,mobile\n12345678,+46701234567', { hasHeader: true, recipient: 1, text: undefined }],
    ['no number at all', 'a,b\nc,d', { hasHeader: true, recipient: undefined, text: undefined }],
    ['rounded numbers', 'x,y\n4.67E+10,hi', { hasHeader: true, recipient: 0, text: undefined }],
  ])('are guessed with %s', async (_what, text, guess) => {
    const { rows, width } = await parsed(text);
    expect(guessColumns(rows, width)).toEqual(guess);
  });

  test('are named as a spreadsheet names them if they have no name of their own', () => {
    expect([0, 25, 26, 701, 702].map(columnLetter)).toEqual(['A', 'Z', 'AA', 'ZZ', 'AAA']);
    const header = { number: 1, cells: ['Name', '', ' name '] };
    expect(columnNames(header, 4)).toEqual(['Name', 'B', 'C', 'D']);
  });

  test('a number that the spreadsheet has rounded is known', () => {
    expect(['4.41E+11', '4,41E+11', '4E+10', ' 4.41e+11'].map(isRoundedNumber)).toEqual([true, true, true, true]);
    expect(['441632960961', 'E+11', '+4411'].map(isRoundedNumber)).toEqual([false, false, false]);
  });
});

describe('a template', () => {
  const columns = ['Name', 'Mobile', 'Due date'];

  test('takes the columns by their names', () => {
    const template = readTemplate('Dear {name}, pay by { DUE DATE }! {Name}', columns);
    expect(template.unknown).toEqual([]);
    expect(fillTemplate(template, [' Åsa ', '1', 'Friday'])).toEqual({
      text: 'Dear Åsa, pay by Friday! Åsa',
      missing: [],
    });
  });

  test('names what no column has', () => {
    expect(readTemplate('Dear {nmae} {} {name}', columns).unknown).toEqual(['{nmae}', '{}']);
  });

  test('names the columns that are empty in a row', () => {
    const template = readTemplate('{name}: {due date}', columns);
    expect(fillTemplate(template, ['Åsa', '1', ' ']).missing).toEqual([2]);
    expect(fillTemplate(template, []).missing).toEqual([0, 2]);
  });
});
