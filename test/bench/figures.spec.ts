import { describe, expect, test } from '@jest/globals';
import { Bench } from '../../tools/bench/bench.js';
import { type Figure, publish, sumCounts, type Window } from '../../tools/bench/figures.js';
import { figureTable } from '../../tools/bench/report-text.js';
import { countsText, wholeNumber } from '../../tools/harness/table.js';

function windowOf(perSecond: number, more: Partial<Window> = {}): Window {
  return { perSecond, p50Ms: 10, p99Ms: 20, p999Ms: 40, unexpected: {}, cores: {}, ...more };
}

const ECHO: Figure = {
  id: 'echo',
  title: 'echo of single sends',
  unit: 'messages',
  windows: [windowOf(16_000), windowOf(10_000), windowOf(20_000)],
};

const SENDS: Figure = {
  id: 'sends',
  title: 'single sends',
  unit: 'messages',
  yardstick: 'echo',
  windows: [
    windowOf(4_000, { p99Ms: 31.26, cores: { gateway: 0.9 }, notes: { requestsPerCommit: 30 } }),
    windowOf(3_500, {
      p99Ms: 58,
      unexpected: { '503': 2 },
      cores: { gateway: 0.8, worker: 0.1 },
      notes: { requestsPerCommit: 10 },
    }),
    windowOf(5_000, {
      p99Ms: 30,
      unexpected: { '503': 1, ECONNRESET: 1 },
      cores: { gateway: 1 },
      notes: { requestsPerCommit: 20 },
    }),
  ],
};

describe('what the bench publishes', () => {
  test('a figure is the median of its windows, beside the smallest and the largest', () => {
    const [, sends] = publish([ECHO, SENDS]);
    expect(sends?.perSecond).toEqual({ min: 3_500, median: 4_000, max: 5_000 });
    expect(sends?.p99Ms).toEqual({ min: 30, median: 31.26, max: 58 });
    expect(sends?.notes).toEqual({ requestsPerCommit: 20 });
  });

  test('a figure is set against the echo of the same run, wherever that stands', () => {
    expect(publish([SENDS, ECHO])[0]?.ratioToYardstick).toBe(0.25);
    expect(publish([SENDS])[0]?.ratioToYardstick).toBeUndefined();
    expect(publish([ECHO])[0]?.ratioToYardstick).toBeUndefined();
  });

  test('no unexpected response of any window is lost on the way to the table', () => {
    const [sends] = publish([SENDS]);
    expect(sends?.unexpected).toEqual({ '503': 3, ECONNRESET: 1 });
    expect(sumCounts([{ a: 1 }, { a: 2, b: 1 }])).toEqual({ a: 3, b: 1 });
  });

  test('nor is one of the first windows of a short run, whose times do not count', () => {
    const bench = { options: { discardedWindows: 1 }, figures: [], say: () => undefined };
    Bench.prototype.add.call(bench as unknown as Bench, {
      ...ECHO,
      windows: [windowOf(900, { unexpected: { '500': 7 } }), ...ECHO.windows],
    });
    expect(publish(bench.figures)).toMatchObject([{ windows: ECHO.windows, unexpected: { '500': 7 } }]);
  });

  test('a window in which the host took part of the machine is in no median, but what went wrong in it is told', () => {
    const [first, second, third] = SENDS.windows.map((window, index) => ({
      ...window,
      cores: { ...window.cores, stolen: [0.02, 0.9, 0.1][index] ?? 0 },
    }));
    const disturbed = { ...SENDS, windows: [first, second, third].flatMap((window) => window ?? []) };
    const [, sends] = publish([ECHO, disturbed], 0.1);
    expect(sends).toMatchObject({ windowsLeftOut: 1, perSecond: { min: 4_000, median: 4_500, max: 5_000 } });
    expect(sends).toMatchObject({ notes: { requestsPerCommit: 25 }, unexpected: { '503': 3, ECONNRESET: 1 } });
    expect(sends?.ratioToYardstick).toBe(0.25);
    expect(sends?.windows.length).toBe(3);
    // A figure of disturbed windows is better than none; it says so.
    expect(publish([disturbed], 0.01)[0]).toMatchObject({ windowsLeftOut: 0, perSecond: { median: 4_000 } });
  });

  test('a process that was idle in a window counts as idle there', () => {
    expect(publish([SENDS])[0]?.cores).toEqual({ gateway: 0.9, worker: 0 });
  });

  test('the table has a row for each figure, with its unit, its spread, its ratio and its faults', () => {
    const lines = figureTable(publish([ECHO, SENDS])).split('\n');
    const rows = lines
      .filter((line) => /messages/.test(line))
      .map((line) => line.split('│').map((cell) => cell.trim()));
    expect(rows).toEqual([
      ['', 'echo of single sends, messages', '16,000', '10,000', '20,000', '10.0', '20.0', '40.0', '', '0', ''],
      [
        '',
        'single sends, messages',
        '4,000',
        '3,500',
        '5,000',
        '10.0',
        '31.3',
        '40.0',
        '0.25 of echo',
        '503: 3, ECONNRESET: 1',
        '',
      ],
    ]);
  });

  test('the table has no colour codes, so that it can be pasted', () => {
    expect(figureTable(publish([ECHO]))).not.toContain('\u001b');
  });

  test.each([
    [{}, '0'],
    [{ '401': 3 }, '401: 3'],
    [{ '401': 3, 'no response': 1 }, '401: 3, no response: 1'],
  ])('counts %j read %j', (counts, text) => {
    expect(countsText(counts)).toBe(text);
  });

  test.each([
    [999.4, '999'],
    [12_345.6, '12,346'],
    [1_000_000, '1,000,000'],
  ])('%d reads %s in every locale', (value, text) => {
    expect(wholeNumber(value)).toBe(text);
  });
});
