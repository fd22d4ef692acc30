import { spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { getPriority } from 'node:os';
import { text } from 'node:stream/consumers';
import { expect, test } from '@jest/globals';

const GIVE_WAY = new URL('../../apps/worker/operations/give-way.js', import.meta.url).href;
const SESSION_PRIORITY = '/proc/self/autogroup';

interface Priorities {
  readonly nice: number;
  /** What the system says of the session, e.g. `/autogroup-12 nice 7`; empty where it knows no such thing. */
  readonly session: string;
}

/** What a process has after giving way. */
async function afterGivingWay(
  niceness: number,
  { detached, before = 0 }: { readonly detached: boolean; readonly before?: number },
): Promise<Priorities> {
  const script = `
    import { existsSync, readFileSync } from 'node:fs';
    import { getPriority, setPriority } from 'node:os';
    if (${before} > getPriority()) setPriority(${before});
    const { giveWay } = await import('${GIVE_WAY}');
    // Left alone this process would end before it may try again.
    const alive = setInterval(() => {}, 1_000);
    await giveWay(${niceness});
    clearInterval(alive);
    const session = existsSync('${SESSION_PRIORITY}') ? readFileSync('${SESSION_PRIORITY}', 'utf8').trim() : '';
    console.log(JSON.stringify({ nice: getPriority(), session }));`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
    detached,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  return JSON.parse(await text(child.stdout)) as Priorities;
}

/** These tests may have been started with a low priority themselves. */
const atLeast = (nice: number) => Math.max(nice, getPriority());
const sessionsHavePriorities = existsSync(SESSION_PRIORITY);

test('a worker that has a session for itself lowers that as well: where there are such, nice values count inside of one only', async () => {
  const all = await Promise.all([7, 8, 9].map((niceness) => afterGivingWay(niceness, { detached: true })));
  expect(all.map(({ nice }) => nice)).toEqual([7, 8, 9].map(atLeast));
  expect(all.map(({ session }) => session.split(' nice ')[1])).toEqual(
    ['7', '8', '9'].map((nice) => (sessionsHavePriorities ? nice : undefined)),
  );
});

test('one that shares its session with others lowers itself alone', async () => {
  const { nice, session } = await afterGivingWay(7, { detached: false });
  expect(nice).toBe(atLeast(7));
  expect(session).toBe(sessionsHavePriorities ? readFileSync(SESSION_PRIORITY, 'utf8').trim() : '');
});

test('one that was started with a lower priority than it is set to keeps that', async () => {
  expect((await afterGivingWay(5, { detached: true, before: 12 })).nice).toBe(atLeast(12));
});
