import { spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { getPriority } from 'node:os';
import { text } from 'node:stream/consumers';
import { expect, test } from '@jest/globals';

const GIVE_WAY = new URL('../../apps/worker/operations/give-way.js', import.meta.url).href;

/** What a process has after giving way: its nice value, and that of its session where the system knows one. */
async function afterGivingWay(
  niceness: number,
  { detached, before = 0 }: { readonly detached: boolean; readonly before?: number },
): Promise<{ nice: number; session?: number }> {
  const script = `
    import { existsSync, readFileSync } from 'node:fs';
    import { getPriority, setPriority } from 'node:os';
    if (${before} > getPriority()) setPriority(${before});
    const { giveWay } = await import('${GIVE_WAY}');
    // Left alone this process would end before it may try again.
    const alive = setInterval(() => {}, 1_000);
    await giveWay(${niceness});
    clearInterval(alive);
    const session = existsSync('/proc/self/autogroup')
      ? Number(readFileSync('/proc/self/autogroup', 'utf8').split(' nice ')[1]) : undefined;
    console.log(JSON.stringify({ nice: getPriority(), session }));`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
    detached,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  return JSON.parse(await text(child.stdout)) as { nice: number; session?: number };
}

/** These tests may have been started with a low priority themselves. */
const atLeast = (nice: number) => Math.max(nice, getPriority());
const sessionsHavePriorities = existsSync('/proc/self/autogroup');

test('a worker that has a session for itself lowers that as well: where there are such, nice values count inside of one only', async () => {
  const all = await Promise.all([7, 8, 9].map((niceness) => afterGivingWay(niceness, { detached: true })));
  expect(all).toEqual(
    [7, 8, 9].map((nice) => ({ nice: atLeast(nice), ...(sessionsHavePriorities && { session: nice }) })),
  );
});

test('one that shares its session with others lowers itself alone', async () => {
  const { nice, session } = await afterGivingWay(7, { detached: false });
  expect(nice).toBe(atLeast(7));
  expect(session).toBe(
    sessionsHavePriorities ? Number(readFileSync('/proc/self/autogroup', 'utf8').split(' nice ')[1]) : undefined,
  );
});

test('one that was started with a lower priority than it is set to keeps that', async () => {
  expect((await afterGivingWay(5, { detached: true, before: 12 })).nice).toBe(atLeast(12));
});
