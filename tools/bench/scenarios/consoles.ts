import { Agent, globalAgent } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { exchange } from '../../harness/http.js';
import { percentiles } from '../../harness/statistics.js';
import { readUsage } from '../../harness/usage.js';
import type { Bench } from '../bench.js';
import type { Window } from '../figures.js';

const CONSOLES = 1_000;
/** Of a core, for all of them together. */
const CORES_MAX = 0.05;
const TIMEOUT_MS = 20_000;
const WARM_TOGETHER = 20;
/** In this time the gateway has told the consoles how often to ask. */
const PACE_SETTLES_MS = 40_000;
const GATEWAY = 'gateway';

/** What an open page asks again by itself, and how often while something changes: as apps/console does. */
interface Poll {
  readonly path: string;
  readonly everyMs: number;
}

const OPERATORS: readonly Poll[] = [
  { path: '/api/overview', everyMs: 5_000 },
  { path: '/api/doctor', everyMs: 30_000 },
];
const OWNERS: readonly Poll[] = [
  { path: '/v1/account', everyMs: 15_000 },
  { path: '/v1/account/usage', everyMs: 60_000 },
  // The newest messages of a bad status are asked for when their number has changed: here as if one of the three did
  // each minute.
  { path: '/v1/account/messages?status=undelivered&limit=100', everyMs: 60_000 },
];

/** How much less often pages ask for what has been the same for two minutes: as apps/console/shell/poll-every.ts. */
const SLOWER = 4;
const slowed = (polls: readonly Poll[]) => polls.map(({ path, everyMs }) => ({ path, everyMs: everyMs * SLOWER }));

interface Viewers {
  readonly port: number;
  readonly polls: readonly Poll[];
  readonly headersOf: (viewer: number) => Readonly<Record<string, string>>;
}

/**
 * What 1,000 consoles that stay open on their first page cost the gateway, in cores: of operators, and of as many
 * accounts, while everything on them changes and while nothing does. Nothing else goes on, and what the gateway costs
 * without them is taken off.
 */
export async function measureConsoles(bench: Bench): Promise<void> {
  const { service, accounts } = bench;
  const cookie = await signIn(bench);
  const operators: Viewers = {
    port: service.operatorPort,
    polls: OPERATORS,
    headersOf: () => ({ cookie, 'sec-fetch-site': 'same-origin', 'x-background': '1', 'accept-encoding': 'gzip' }),
  };
  const owners: Viewers = {
    port: service.port,
    polls: OWNERS,
    headersOf: (viewer) => ({ 'x-authorization': accounts.many.apiKeys[viewer] ?? '', 'x-background': '1' }),
  };
  const idleCores = await coresDuring(bench, () => delay(bench.options.windowMs, undefined, { signal: bench.signal }));
  for (const [id, title, viewers] of [
    ['operators', 'consoles of operators', operators],
    ['operators-still', 'consoles of operators that show no change', { ...operators, polls: slowed(OPERATORS) }],
    ['owners', 'consoles of owners', owners],
    // No message fails, so none is asked for.
    ['owners-still', 'consoles of owners that show no change', { ...owners, polls: slowed(OWNERS.slice(0, 2)) }],
  ] as const) {
    const consoles = new Consoles(bench, viewers);
    await consoles.open();
    const windows = await bench.eachWindow(() => consoles.look(idleCores));
    consoles.close();
    bench.add({ id: `consoles-${id}`, title: `${CONSOLES} ${title}`, unit: 'requests', windows });
    const cores = Math.max(...windows.map(({ notes }) => notes?.gatewayCores ?? Number.POSITIVE_INFINITY));
    const name = `${CONSOLES} ${title} cost the gateway at most ${CORES_MAX} cores`;
    bench.check(name, cores <= CORES_MAX, `${cores} at most`);
  }
}

/** Consoles that ask as pages do: of each kind of poll one after the other, evenly spread. */
class Consoles {
  private readonly agent = new Agent({ keepAlive: true, maxSockets: CONSOLES });
  /** How many times less often they ask, as the gateway has told them last. */
  private paceFactor = 1;
  private unexpected: Record<string, number> = {};
  private times: number[] = [];

  constructor(
    private readonly bench: Bench,
    private readonly viewers: Viewers,
  ) {}

  /** Consoles stay open for hours: what a gateway needs to become fast, and to pace them, is not theirs. */
  async open(): Promise<void> {
    for (let viewer = 0; viewer < CONSOLES; viewer += WARM_TOGETHER) {
      const some = Array.from({ length: WARM_TOGETHER }, (_, index) => viewer + index);
      await Promise.all(this.viewers.polls.flatMap(({ path }) => some.map((one) => this.ask(path, one))));
    }
    await this.pollFor(PACE_SETTLES_MS);
  }

  /** All their polls for the length of a window. */
  async look(idleCores: number): Promise<Window> {
    this.times = [];
    this.unexpected = {};
    const startMs = performance.now();
    const cores = await coresDuring(this.bench, () => this.pollFor(this.bench.options.windowMs));
    const perSecond = this.times.length / ((performance.now() - startMs) / 1_000);
    const notes = { gatewayCores: Math.round((cores - idleCores) * 1_000) / 1_000 };
    return { perSecond, ...percentiles(this.times), unexpected: this.unexpected, cores: {}, notes };
  }

  close(): void {
    this.agent.destroy();
  }

  private async pollFor(forMs: number): Promise<void> {
    const endMs = performance.now() + forMs;
    await Promise.all(this.viewers.polls.map((poll) => this.pollUntil(endMs, poll)));
  }

  private async pollUntil(endMs: number, { path, everyMs }: Poll): Promise<void> {
    const asked: Promise<void>[] = [];
    let viewer = 0;
    for (let dueMs = performance.now(); dueMs < endMs; dueMs += (everyMs * this.paceFactor) / CONSOLES) {
      if (dueMs > performance.now()) await delay(dueMs - performance.now(), undefined, { signal: this.bench.signal });
      asked.push(this.ask(path, viewer));
      viewer = (viewer + 1) % CONSOLES;
    }
    await Promise.all(asked);
  }

  private async ask(path: string, viewer: number): Promise<void> {
    const startMs = performance.now();
    const { port, headersOf } = this.viewers;
    const answer = await exchange({ port, path, headers: headersOf(viewer), agent: this.agent, timeoutMs: TIMEOUT_MS });
    const { status, code, headers } = answer;
    if (status === 200 || status === 304) this.times.push(performance.now() - startMs);
    else this.unexpected[code ?? status] = (this.unexpected[code ?? status] ?? 0) + 1;
    this.paceFactor = Number(headers['x-poll-factor'] ?? 1);
  }
}

/** Cores that the gateway keeps busy while something runs. */
async function coresDuring(bench: Bench, work: () => Promise<unknown>): Promise<number> {
  const before = readUsage(bench.roots());
  await work();
  const after = readUsage(bench.roots());
  const seconds = (after.seconds.get(GATEWAY) ?? Number.NaN) - (before.seconds.get(GATEWAY) ?? Number.NaN);
  return (seconds / (after.atMs - before.atMs)) * 1_000;
}

/** As the first admin, whose password is OPERATOR_PASSWORD. Returns the cookie of the session. */
async function signIn({ service }: Bench): Promise<string> {
  const { status, headers, text } = await exchange({
    port: service.operatorPort,
    method: 'POST',
    path: '/api/session',
    headers: { 'content-type': 'application/json', 'sec-fetch-site': 'same-origin' },
    body: JSON.stringify({ name: 'admin', password: service.operatorPassword }),
    agent: globalAgent,
    timeoutMs: TIMEOUT_MS,
  });
  const [cookie] = headers['set-cookie']?.[0]?.split(';') ?? [];
  if (status !== 204 || cookie === undefined) throw new Error(`the admin cannot sign in: ${status} ${text}`);
  return cookie;
}
