import { scrape } from '../../../test/support/metrics.js';
import type { System } from '../../harness/system.js';
import type { Bench, Lane } from '../bench.js';
import { copyLane } from '../copy-yardstick.js';
import type { About, Window } from '../figures.js';
import { batches, type OurLoad, singles, toEcho } from './loads.js';

export const ACCEPT_KINDS = ['single', 'many', 'batch'] as const;
type AcceptKind = (typeof ACCEPT_KINDS)[number];

const FIRST_DISPATCH_TIMEOUT_MS = 60_000;
/** Of what one hot account reaches, by the number of accounts. */
const FLOORS: Readonly<Record<string, number>> = { '100': 0.8, '1000': 0.7 };

/**
 * How fast sends are accepted, first with the worker stopped and the echo in turns, then beside a worker that
 * dispatches without a pause what the first part has left. The echo is a yardstick only on an otherwise idle machine,
 * and the service is meant to accept while it dispatches: hence both.
 */
export async function measureAccepting(bench: Bench): Promise<void> {
  const kinds = ACCEPT_KINDS.filter((kind) => bench.options.scenarios.includes(kind));
  await bench.service.stopWorker();
  for (const kind of kinds) await bench.inTurns(lanesOf(bench, kind, 'alone'));
  // A smoke run compares what took turns with its yardstick, and nothing did here.
  if (bench.options.smoke) return;
  // Earlier scenarios have sent as well: what counts is what is dispatched from now on.
  const fromMs = Date.now();
  bench.service.startWorker();
  await bench.until('the worker dispatches the backlog', FIRST_DISPATCH_TIMEOUT_MS, () =>
    bench.facts.hasDispatchedSince(fromMs),
  );
  for (const kind of kinds) await bench.inTurns(lanesOf(bench, kind, 'dispatching'));
}

const HOW = { alone: 'accepted, worker stopped', dispatching: 'accepted, while dispatching' } as const;
type When = keyof typeof HOW;

/** The yardsticks take their turns on the idle machine only. */
function lanesOf(bench: Bench, kind: AcceptKind, when: When): Lane[] {
  const { accounts } = bench;
  const isAlone = when === 'alone';
  const measure = isAlone ? withRequestsPerCommit : withDelivered;
  const sends = (load: OurLoad, about: Omit<About, 'title'>): Lane => ({
    ...about,
    title: `single sends ${HOW[when]}, ${load.title}`,
    measure: () => measure(bench, load),
  });
  const [hot, many] = [singles(bench, accounts.single), singles(bench, accounts.many)];
  switch (kind) {
    case 'single':
      return [
        ...(isAlone ? [echoLane(bench, 'echo-single', hot)] : []),
        sends(hot, { id: `hot-${when}`, yardstick: 'echo-single' }),
        sends(many, { id: `single-${when}`, yardstick: `hot-${when}` }),
      ];
    case 'many':
      return [hot, singles(bench, accounts.many, 100), many].map((load) => {
        const yardstick = load.id === '1' ? undefined : `many-${when}-1`;
        return sends(load, { id: `many-${when}-${load.id}`, yardstick, floor: FLOORS[load.id] });
      });
    case 'batch': {
      const batch = batches(bench, accounts.batch);
      const about = { id: `batch-${when}`, title: `batches ${HOW[when]}`, yardstick: 'echo-batch' };
      const lane: Lane = { ...about, measure: () => measure(bench, batch) };
      if (!isAlone) return [lane];
      const echo = echoLane(bench, 'echo-batch', batch);
      return [echo, { ...lane, secondYardstick: 'copy-batch' }, copyLane(bench, accounts.batch)];
    }
  }
}

export function echoLane(bench: Bench, id: string, load: OurLoad): Lane {
  const title = `echo of ${load.request.kind === 'send' ? 'single sends' : 'batches'}`;
  return { id, title, measure: () => bench.measure(toEcho(bench, load)) };
}

async function withRequestsPerCommit(bench: Bench, load: OurLoad): Promise<Window> {
  const before = await readCommits(bench.service);
  const window = await bench.measure(load);
  const after = await readCommits(bench.service);
  const requestsPerCommit = (after.requests - before.requests) / Math.max(1, after.commits - before.commits);
  return { ...window, notes: { requestsPerCommit } };
}

async function withDelivered(bench: Bench, load: OurLoad): Promise<Window> {
  const from = await bench.facts.now();
  const window = await bench.measure(load);
  const to = await bench.facts.now();
  const { perSecond: deliveredPerSecondMeanwhile } = await bench.facts.deliveredBetween(from, to);
  return { ...window, notes: { deliveredPerSecondMeanwhile } };
}

/**
 * How often the accept path has committed, and how many requests these commits held: from the gateway's own metrics.
 */
async function readCommits({ operatorPort, operatorPassword }: System) {
  const samples = await scrape(operatorPort, '/metrics', operatorPassword);
  const sum = (name: RegExp) => samples.reduce((all, sample) => all + (name.test(sample.name) ? sample.value : 0), 0);
  return { commits: sum(/^\w*commit\w*requests_count$/), requests: sum(/^\w*commit\w*requests_sum$/) };
}
