import { describe, expect, test } from '@jest/globals';
import { isTimePattern, parseCdrTime } from '../../apps/smsctl/cdr/cdr-time.js';
import { type CdrChunk, type CdrMap, readCdr } from '../../apps/smsctl/cdr/read-cdr.js';
import { type CsvRecord, readCsv } from '../../apps/smsctl/cdr/read-csv.js';

async function all<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const found: Item[] = [];
  for await (const item of items) found.push(item);
  return found;
}

async function* inParts(text: string, size: number): AsyncGenerator<string> {
  for (let at = 0; at < text.length; at += size) yield text.slice(at, at + size);
}

describe('a CSV', () => {
  const text = 'a;"b;""c""\r\nd"\r\n\r\n 1 ;2\n3;';
  const records: readonly CsvRecord[] = [
    { line: 1, cells: ['a', 'b;"c"\r\nd'] },
    { line: 4, cells: ['1', '2'] },
    { line: 5, cells: ['3', ''] },
  ];

  test('is read alike in parts of any size, with quotes, empty lines and both line ends', async () => {
    for (const size of [1, 2, 3, 7, text.length]) {
      expect([size, await all(readCsv(inParts(text, size), ';'))]).toEqual([size, records]);
    }
  });

  test('with a quote that is never closed is refused, and not kept in memory', async () => {
    await expect(all(readCsv(inParts(`a\n"${'x'.repeat(100_000)}`, 1_000), ','))).rejects.toThrow('line 2 is too long');
    await expect(all(readCsv(inParts('a\n"b\nc\n', 3), ','))).rejects.toThrow(
      'line 2 has a quote that is never closed',
    );
  });

  test('with quotes inside of cells loses no line', async () => {
    expect(await all(readCsv(inParts('1,5" screen\n2,ok\n3, "7" tablet"\n', 4), ','))).toEqual([
      { line: 1, cells: ['1', '5" screen'] },
      { line: 2, cells: ['2', 'ok'] },
      { line: 3, cells: ['3', '7 tablet"'] },
    ]);
  });
});

describe('a time of a carrier', () => {
  test.each([
    ['2026-10-02T03:04:05Z', 'iso', 60, '2026-10-02T03:04:05.000Z'],
    ['2026-10-02 03:04:05', 'iso', 60, '2026-10-02T02:04:05.000Z'],
    ['2026-10-02T03:04:05+02:00', 'iso', 0, '2026-10-02T01:04:05.000Z'],
    ['2026-10-02T03:04:05 +0200', 'iso', 0, '2026-10-02T01:04:05.000Z'],
    ['2026-10-02 03:04:05 Z', 'iso', 60, '2026-10-02T03:04:05.000Z'],
    ['1790000000', 'unix', 60, '2026-09-21T14:13:20.000Z'],
    ['1790000000123', 'unix-ms', 0, '2026-09-21T14:13:20.123Z'],
    ['02.10.2026 03:04:05', 'DD.MM.YYYY HH:mm:ss', 120, '2026-10-02T01:04:05.000Z'],
    ['10/02/2026', 'MM/DD/YYYY', 0, '2026-10-02T00:00:00.000Z'],
    ['20261002030405', 'YYYYMMDDHHmmss', -60, '2026-10-02T04:04:05.000Z'],
  ])('%s as %s, %i minutes east of UTC', (text, pattern, zoneMinutes, expected) => {
    expect(isTimePattern(pattern)).toBe(true);
    expect(parseCdrTime(text, { pattern, zoneMinutes })?.toISOString()).toBe(expected);
  });

  test.each([
    ['31.02.2026', 'DD.MM.YYYY'],
    ['1.2.2026', 'DD.MM.YYYY'],
    ['02.10.2026 03:75', 'DD.MM.YYYY HH:mm'],
    ['02.10.2026 24:00', 'DD.MM.YYYY HH:mm'],
    ['2026-02-31T03:04:05Z', 'iso'],
    ['yesterday', 'iso'],
    ['12e5', 'unix'],
    // Milliseconds: the year 57868.
    ['1764000000000', 'unix'],
  ])('%s is none as %s', (text, pattern) => {
    expect(parseCdrTime(text, { pattern, zoneMinutes: 0 })).toBeUndefined();
  });

  test('needs a pattern with a day, and each part once', () => {
    expect(['HH:mm', 'YYYY-MM', 'YYYY-MM-DD DD'].map(isTimePattern)).toEqual([false, false, false]);
  });
});

describe('the lines of a file', () => {
  const map: CdrMap = {
    id: 'id',
    cost: 'cost',
    hasHeader: true,
    decimal: 'point',
    timeFormat: { pattern: 'iso', zoneMinutes: 0 },
  };
  const read = (text: string, changes: Partial<CdrMap> = {}): Promise<CdrChunk[]> =>
    all(readCdr(readCsv(inParts(text, 64), ';'), { ...map, ...changes }, 2));

  test('come so many at a time, with their numbers and exact amounts', async () => {
    expect(await read('\ufeffid;cost\nA;1,000.5\n\nB;0.00400000\nC;0.0041235\n')).toEqual([
      { lines: [2, 4], ids: ['A', 'B'], costs: ['1000.5', '0.004'] },
      { lines: [5], ids: ['C'], costs: ['0.004124'] },
    ]);
    expect(await read('x;1.000,25\n', { id: '1', cost: '2', hasHeader: false, decimal: 'comma' })).toEqual([
      { lines: [1], ids: ['x'], costs: ['1000.25'] },
    ]);
  });

  test.each([
    ['id;cost\nA;free\n', 'line 2: "free" is no amount with a decimal point'],
    ['id;cost\nA;0,004\n', 'line 2: "0,004" is no amount with a decimal point'],
    ['id;cost\nA;12,0040\n', 'line 2: "12,0040" is no amount with a decimal point'],
    ['id;cost\n;1\n', 'line 2 has nothing in the column of --id'],
    ['id;price\nA;1\n', 'the file has no column "cost"; it has id, price'],
  ])('%j is refused with its line', async (text, reason) => {
    await expect(read(text)).rejects.toThrow(reason);
  });

  test('are refused where their decimal sign is the other one, and not read as thousands', async () => {
    for (const cost of ['0.0040', '1,000.25', '12.34']) {
      const why = `line 2: "${cost}" is no amount with a decimal comma`;
      await expect(read(`id;cost\nA;${cost}\n`, { decimal: 'comma' })).rejects.toThrow(why);
    }
  });
});
