import { expect, test } from '@jest/globals';
import { axisSteps } from '../../apps/console/shell/chart/chart-lines.js';

const chartOf = (...values: number[][]) => ({
  kind: 'lines' as const,
  momentName: 'Day',
  moments: [0, 1],
  series: values.map((each) => ({ name: 'Accepted', color: 'beam-6', values: each })),
});

test('the axis of a chart of messages has whole numbers only', () => {
  const steps = axisSteps(chartOf([0, 1], [0, 0])) ?? [];
  expect(steps.slice(0, 5)).toEqual([1, 2, 5, 10, 20]);
  expect(steps.every(Number.isInteger)).toBe(true);
  expect(axisSteps(chartOf([0, 0.0376]))).toBeUndefined();
});
