import { describe, expect, test } from '@jest/globals';
import { parseCommandLine } from '../../tools/bench/command-line.js';
import { type Figure, publish, type Window } from '../../tools/bench/figures.js';
import { processorMaker, readBaseline, readBaselines } from '../../tools/bench/guard/baseline-file.js';
import { compareWithBaseline, comparisonText, guardedRatios, hasFallen } from '../../tools/bench/guard/ratios.js';

function windowOf(perSecond: number, cores: Readonly<Record<string, number>>): Window {
  return { perSecond, p50Ms: 1, p99Ms: 2, p999Ms: 3, unexpected: {}, cores };
}

function figure(id: string, windows: readonly Window[], more: Partial<Figure> = {}): Figure {
  return { id, title: id, unit: 'messages', windows, ...more };
}

const ECHO = { echo: 1, generator: 0.5 };
const SERVICE = { gateway: 0.5, postgres: 0.3, redis: 0.2, generator: 0.5, others: 0.1 };

describe('the ratios that guard', () => {
  test('each window is set against its neighbour, so that a slow spell of the machine slows both sides of it', () => {
    const figures = publish([
      figure('echo-single', [windowOf(8_000, ECHO), windowOf(800, ECHO), windowOf(8_000, ECHO)]),
      figure('single-alone', [windowOf(4_000, SERVICE), windowOf(400, SERVICE), windowOf(4_000, SERVICE)], {
        yardstick: 'echo-single',
      }),
    ]);
    expect(guardedRatios(figures)).toEqual({ 'single-alone of echo-single': { rate: 0.5, perProcessorSecond: 0.5 } });
  });

  test('a strangled machine changes what is done in a second, and not what is done in a second of the processor', () => {
    const strangled = { gateway: 0.1, postgres: 0.06, redis: 0.04, generator: 0.1, others: 1.7 };
    const figures = publish([
      figure('echo-single', [windowOf(8_000, ECHO)]),
      figure('single-alone', [windowOf(800, strangled)], { yardstick: 'echo-single' }),
    ]);
    const ratio = guardedRatios(figures)['single-alone of echo-single'];
    expect(ratio?.rate).toBeCloseTo(0.1);
    expect(ratio?.perProcessorSecond).toBeCloseTo(0.5);
  });

  test('a figure is set against both of its yardsticks', () => {
    const figures = publish([
      figure('echo-batch', [windowOf(80_000, ECHO)]),
      figure('copy-batch', [windowOf(40_000, { postgres: 1 })]),
      figure('batch-alone', [windowOf(20_000, SERVICE)], { yardstick: 'echo-batch', secondYardstick: 'copy-batch' }),
    ]);
    expect(guardedRatios(figures)).toEqual({
      'batch-alone of echo-batch': { rate: 0.25, perProcessorSecond: 0.25 },
      'batch-alone of copy-batch': { rate: 0.5, perProcessorSecond: 0.5 },
    });
  });
});

describe('the comparison with the baseline', () => {
  const baseline = { a: { rate: 0.6, perProcessorSecond: 0.3 } };
  const verdicts = (...runs: { rate: number; perProcessorSecond: number }[]) =>
    compareWithBaseline(
      baseline,
      runs.map((a) => ({ a })),
      false,
    ).map(({ verdict }) => verdict);

  test.each([
    [{ rate: 0.6, perProcessorSecond: 0.3 }, ['kept', 'kept']],
    [{ rate: 0.41, perProcessorSecond: 0.21 }, ['kept', 'kept']],
    [{ rate: 0.39, perProcessorSecond: 0.21 }, ['fallen', 'kept']],
    [{ rate: 0.9, perProcessorSecond: 0.19 }, ['kept', 'fallen']],
  ])('a fall by more than a third fails, and nothing less: %j', (measured, expected) => {
    expect(verdicts(measured)).toEqual(expected);
  });

  test('what is well when it is measured once more has not fallen', () => {
    expect(verdicts({ rate: 0.1, perProcessorSecond: 0.3 }, { rate: 0.5, perProcessorSecond: 0.1 })).toEqual([
      'kept',
      'kept',
    ]);
  });

  test('what the baseline has and the run does not is a fall, and no measured value is taken for one', () => {
    const nothing = compareWithBaseline(baseline, [{}], true);
    expect(nothing.map(({ verdict }) => verdict)).toEqual(['fallen', 'fallen']);
    expect(verdicts({ rate: Number.NaN, perProcessorSecond: Number.POSITIVE_INFINITY })).toEqual(['fallen', 'fallen']);
  });

  test('where others have the machine, a second of it may do half of what it did, and no less', () => {
    const verdictOf = (perProcessorSecond: number) =>
      compareWithBaseline(baseline, [{ a: { rate: 0.6, perProcessorSecond } }], true)[1]?.verdict;
    expect([0.3, 0.16, 0.14].map(verdictOf)).toEqual(['kept', 'kept', 'fallen']);
  });

  test('where others have the machine, waiting for it is not held against the code, but processor time is', () => {
    const runs = [{ a: { rate: 0.1, perProcessorSecond: 0.1 } }];
    const comparisons = compareWithBaseline(baseline, runs, true);
    expect(comparisons.map(({ verdict }) => verdict)).toEqual(['unjudged', 'fallen']);
    expect(hasFallen(comparisons)).toBe(true);
    expect(comparisons.map(comparisonText)).toEqual([
      "ok   a, rate: 0.100, 17 % of the baseline's 0.600 (not judged: others had the machine)",
      "FAIL a, per processor second: 0.100, 33 % of the baseline's 0.300",
    ]);
  });

  test('the committed baseline guards accepting and delivering, of one account and of many, on both queues, and batches and reads', () => {
    const ofTheQueue = [
      'e2e of hot-e2e',
      'hot-alone of echo-single',
      'hot-e2e of echo-e2e',
      'single-alone of hot-alone',
    ];
    for (const committed of Object.values(readBaselines())) {
      expect(Object.keys(committed.postgres ?? {}).sort()).toEqual(ofTheQueue);
      expect(Object.keys(committed.redis ?? {}).sort()).toEqual(
        [...ofTheQueue, 'batch-alone of copy-batch', 'batch-alone of echo-batch', 'read-messages of echo-page'].sort(),
      );
      for (const { rate, perProcessorSecond } of Object.values(committed).flatMap((ratios) => Object.values(ratios))) {
        expect(rate).toBeGreaterThan(0);
        expect(perProcessorSecond).toBeGreaterThan(0);
      }
    }
  });

  test('each maker of processors has a baseline of its own, and what is expected of an unknown one all known ones reach', () => {
    expect(['Intel(R) Xeon(R) Processor @ 2.50GHz', 'AMD EPYC', ''].map(processorMaker)).toEqual([
      'Intel',
      'AMD',
      'unknown',
    ]);
    const { Intel, AMD } = readBaselines();
    expect(readBaseline('redis', 'Intel')).toEqual(Intel?.redis);
    expect(readBaseline('redis', 'AMD')).toEqual(AMD?.redis);
    for (const [pair, { rate, perProcessorSecond }] of Object.entries(readBaseline('redis', 'unknown'))) {
      const known = [Intel, AMD].map((baseline) => baseline?.redis?.[pair]);
      expect(rate).toBe(Math.min(...known.map((ratio) => ratio?.rate ?? Number.NaN)));
      expect(perProcessorSecond).toBe(Math.min(...known.map((ratio) => ratio?.perProcessorSecond ?? Number.NaN)));
    }
  });
});

describe('how the guard is asked for', () => {
  test('a smoke run is short, drops the first window of each figure, and asks for as many messages as a median needs', () => {
    expect(parseCommandLine(['--smoke', '--windows', '9'])).toMatchObject({
      smoke: true,
      writeBaseline: false,
      windows: 4,
      discardedWindows: 1,
      windowMs: 600,
      scenarios: ['e2e', 'reads', 'single', 'batch'],
    });
  });

  test('the baseline is refreshed by a smoke run', () => {
    expect(parseCommandLine(['--write-baseline'])).toMatchObject({ smoke: true, writeBaseline: true });
  });
});
