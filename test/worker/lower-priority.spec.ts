import { spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { getPriority } from 'node:os';
import { text } from 'node:stream/consumers';
import { expect, test } from '@jest/globals';

const LOWER_PRIORITY = new URL('../../libs/telemetry/lower-priority.js', import.meta.url).href;
const SESSION_PRIORITY = '/proc/self/autogroup';

interface Priorities {
  readonly nice: number;
  /** The system's priority of the session, e.g. `/autogroup-12 nice 7`; empty if the system has none. */
  readonly session: string;
}

/** The priorities of a process after it has lowered its own. */
async function afterLowering(
  niceness: number,
  { detached, before = 0 }: { readonly detached: boolean; readonly before?: number },
): Promise<Priorities> {
  const script = `
    import { existsSync, readFileSync } from 'node:fs';
    import { getPriority, setPriority } from 'node:os';
    if (${before} > getPriority()) setPriority(${before});
    const { lowerPriority } = await import('${LOWER_PRIORITY}');
    // Left alone this process would end before it may try again.
    const alive = setInterval(() => {}, 1_000);
    await lowerPriority(${niceness});
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

test('a worker with a session of its own also lowers the priority of the session', async () => {
  const all = await Promise.all([7, 8, 9].map((niceness) => afterLowering(niceness, { detached: true })));
  expect(all.map(({ nice }) => nice)).toEqual([7, 8, 9].map(atLeast));
  expect(all.map(({ session }) => session.split(' nice ')[1])).toEqual(
    ['7', '8', '9'].map((nice) => (sessionsHavePriorities ? nice : undefined)),
  );
});

test('a worker that shares its session lowers only its own priority', async () => {
  const { nice, session } = await afterLowering(7, { detached: false });
  expect(nice).toBe(atLeast(7));
  expect(session).toBe(sessionsHavePriorities ? readFileSync(SESSION_PRIORITY, 'utf8').trim() : '');
});

test('a worker that was started with a lower priority keeps it', async () => {
  expect((await afterLowering(5, { detached: true, before: 12 })).nice).toBe(atLeast(12));
});
