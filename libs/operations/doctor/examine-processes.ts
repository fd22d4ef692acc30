import { type ProcessDetails, queuePlace, redisUrlProblem, VERSION } from '#config/light';
import { type Database, lacksQueues, type SeenProcess, seenProcesses } from '#persistence';
import type { Finding, ServersInUse } from './finding.js';

/** BullMQ in PostgreSQL uses the workers' clocks, and tolerates two seconds. */
const CLOCK_WARN_MS = 2_000;
const OLDER_THAN_TOLD = 'older than 0.2.0';

/** Whether processes of each kind run, and whether they agree on versions, queue, settings and clocks. */
export async function examineProcesses(database: Database, { redisUrl, examiner }: ServersInUse): Promise<Finding[]> {
  const seen = await seenProcesses(database);
  const live = seen.filter(({ isAlive }) => isAlive);
  const withQueue = live.filter(({ role }) => role !== 'webhooks');
  return [
    aliveOf(live, 'gateway'),
    aliveOf(live, 'worker'),
    ...silent(seen),
    ...(live.length > 0 ? [versions(live, examiner)] : []),
    ...(withQueue.length > 0 ? [queue(withQueue, redisUrl, examiner)] : []),
    ...(live.length > 0 ? [settings(live), clocks(live)] : []),
  ];
}

function aliveOf(live: readonly SeenProcess[], role: 'gateway' | 'worker'): Finding {
  const count = live.filter((each) => each.role === role).length;
  return {
    check: `${role}s`,
    state: count > 0 ? 'ok' : 'fail',
    detail: count > 0 ? `${count} alive` : 'none is alive',
  };
}

/** A process that stops in order removes its heartbeat; these processes did not. */
function silent(seen: readonly SeenProcess[]): Finding[] {
  const gone = seen.filter(({ isAlive }) => !isAlive);
  if (gone.length === 0) return [];
  const words = gone.map(({ processId, silentSeconds }) => `${processId} for ${Math.round(silentSeconds)} s`);
  const detail = `silent without having stopped: ${words.join(', ')}; it died, or it cannot reach the database`;
  return [{ check: 'silent processes', state: 'warn', detail }];
}

function versions(live: readonly SeenProcess[], examiner: string): Finding {
  const byVersion = groups(live, ({ details }) => detailsOf(details).version ?? OLDER_THAN_TOLD);
  const [first] = byVersion.keys();
  const words = spoken(byVersion);
  if (byVersion.size > 1) return { check: 'versions', state: 'warn', detail: `different ones run: ${words}` };
  if (first !== VERSION) {
    return { check: 'versions', state: 'warn', detail: `the processes are ${first}, ${examiner} is ${VERSION}` };
  }
  return { check: 'versions', state: 'ok', detail: `${first}, of all processes and of ${examiner}` };
}

/** The examiner must look at the queue that the processes use; otherwise its finding about the queue means nothing. */
function queue(live: readonly SeenProcess[], redisUrl: string | undefined, examiner: string): Finding {
  const check = 'queue of processes';
  const telling = live.filter(({ details }) => detailsOf(details).queue !== undefined);
  const byPlace = groups(telling, ({ details }) => detailsOf(details).queue ?? '');
  if (byPlace.size === 0)
    return { check, state: 'warn', detail: `the processes are ${OLDER_THAN_TOLD} and do not tell` };
  if (new Set([...byPlace.keys()].map(sameHere)).size > 1) {
    const detail = `they use different queues: ${spoken(byPlace)}; set the same REDIS_URL for all of them`;
    return { check, state: 'fail', detail };
  }
  const [place = ''] = byPlace.keys();
  if (redisUrl !== undefined && redisUrlProblem(redisUrl) !== undefined) {
    return { check, state: 'fail', detail: `the processes use ${place}; REDIS_URL of ${examiner} cannot be read` };
  }
  const own = queuePlace(redisUrl);
  if (sameHere(own) !== sameHere(place)) {
    const advice =
      redisUrl === undefined ? `set REDIS_URL for ${examiner}` : `set REDIS_URL for ${examiner} as they have it`;
    return { check, state: 'fail', detail: `the processes use ${place}, but ${examiner} looked at ${own}: ${advice}` };
  }
  const unanswered = live.filter(lacksQueues).map(({ processId }) => processId);
  if (unanswered.length === 0) return { check, state: 'ok', detail: place };
  const whose = unanswered.length === 1 ? 'whose log says why' : 'whose logs say why';
  return { check, state: 'fail', detail: `${place} does not answer ${unanswered.join(', ')}, ${whose}` };
}

function settings(live: readonly SeenProcess[]): Finding {
  const names = new Set(live.flatMap(({ details }) => Object.keys(detailsOf(details).settings ?? {})));
  const differing = [...names].flatMap((name) => {
    const telling = live.filter(({ details }) => detailsOf(details).settings?.[name] !== undefined);
    const byValue = groups(telling, ({ details }) => detailsOf(details).settings?.[name] ?? '');
    return byValue.size > 1 ? [`${name} is ${spoken(byValue)}`] : [];
  });
  return {
    check: 'settings',
    state: differing.length > 0 ? 'warn' : 'ok',
    detail: differing.length > 0 ? `processes differ: ${differing.join('; ')}` : 'alike where processes must agree',
  };
}

function clocks(live: readonly SeenProcess[]): Finding {
  const off = live.filter(({ clockOffsetMs = 0 }) => Math.abs(clockOffsetMs) >= CLOCK_WARN_MS);
  const words = off.map(({ processId, clockOffsetMs = 0 }) => {
    const seconds = (Math.abs(clockOffsetMs) / 1_000).toFixed(1);
    return `${processId} is ${seconds} s ${clockOffsetMs < 0 ? 'behind' : 'ahead'}`;
  });
  return {
    check: 'clocks of processes',
    state: off.length > 0 ? 'warn' : 'ok',
    detail: off.length > 0 ? `not as the database's: ${words.join(', ')}` : "as the database's",
  };
}

/** Heartbeats of an older version have fewer fields. */
function detailsOf(details: Readonly<Record<string, unknown>>): Partial<ProcessDetails> {
  return details as Partial<ProcessDetails>;
}

function groups(
  processes: readonly SeenProcess[],
  of: (process: SeenProcess) => string,
): ReadonlyMap<string, readonly string[]> {
  const found = new Map<string, string[]>();
  for (const process of processes) found.set(of(process), [...(found.get(of(process)) ?? []), process.processId]);
  return found;
}

/** E.g. `500 (gateway-a), 1000 (gateway-b, gateway-c)`. */
function spoken(found: ReadonlyMap<string, readonly string[]>): string {
  return [...found].map(([value, processes]) => `${value} (${processes.join(', ')})`).join(', ');
}

/** All names of this machine count as one. */
function sameHere(place: string): string {
  return place.replaceAll(/(localhost|::1)(?=:\d)/g, '127.0.0.1');
}
