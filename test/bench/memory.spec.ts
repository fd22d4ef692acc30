import { describe, expect, test } from '@jest/globals';
import { MemorySampler, memoryTrends, parseStatus, readMemory, slope } from '../../tools/harness/usage.js';

const MB = 2 ** 20;
const sample = (atMs: number, worker: number) => ({ atMs, bytes: new Map([['worker', worker * MB]]) });

describe('what the bench says of memory', () => {
  test('what a process holds by itself is told from what it shares', () => {
    const status =
      'Name:\tnode\nVmRSS:\t   460 kB\nRssAnon:\t     300 kB\nRssFile:\t     100 kB\nRssShmem:\t      60 kB\n';
    expect(parseStatus(status)).toEqual({ own: 400 * 1024, shared: 60 * 1024 });
    expect(parseStatus('')).toEqual({ own: 0, shared: 0 });
  });

  test('this very process has memory, and one that is not there has none', () => {
    const memory = readMemory(new Map([[process.pid, 'self']]));
    expect(memory.get('self')).toBeGreaterThan(10 * MB);
    expect(readMemory(new Map([[2 ** 30, 'nobody']])).size).toBe(0);
  });

  test('growth shows as a slope, and noise around a level as none', () => {
    const growing = Array.from({ length: 20 }, (_, hour) => sample(hour, 100 + 3 * hour));
    const [trend] = memoryTrends(
      'soak',
      growing,
      growing.map(({ atMs }) => atMs),
      'hour',
    );
    expect(trend).toMatchObject({ process: 'worker', samples: 20, maxMb: 157, per: 'hour' });
    expect(trend?.slopeMb).toBeCloseTo(3);
    expect([trend?.startMb, trend?.endMb]).toEqual([101.5, 155.5]);
    const level = [90, 110, 110, 90].map((y, x) => ({ x, y }));
    expect(slope(level)).toBeCloseTo(0);
    expect(slope([{ x: 1, y: 5 }])).toBe(0);
  });

  test('a sampler has a sample of its start and of its end at least', () => {
    const sampler = new MemorySampler(() => new Map([[process.pid, 'self']]), 60_000);
    expect(sampler.stop()).toHaveLength(2);
  });
});
