import { scrape } from '../../../test/support/metrics.js';
import type { System } from '../../harness/system.js';
import type { Bench, Lane, Measured } from '../bench.js';
import { CopyYardstick } from '../copy-yardstick.js';
import type { Figure } from '../figures.js';
import { batches, jobOf, type SendLoad, singles } from './loads.js';

export const ACCEPT_KINDS = ['single', 'many', 'batch'] as const;
type AcceptKind = (typeof ACCEPT_KINDS)[number];

const FIRST_DELIVERY_TIMEOUT_MS = 60_000;
/** Of what one hot account reaches. */
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
  bench.service.startWorker();
  const sent = bench.accounts[kinds[0] === 'batch' ? 'batch' : 'many'];
  await bench.until('the worker dispatches the backlog', FIRST_DELIVERY_TIMEOUT_MS, () =>
    bench.facts.hasDelivered(sent.ids),
  );
  for (const kind of kinds) await bench.inTurns(lanesOf(bench, kind, 'dispatching'));
}

const HOW = { alone: 'accepted, worker stopped', dispatching: 'accepted, while dispatching' } as const;
type When = keyof typeof HOW;

/** The yardsticks take their turns on the idle machine only. */
function lanesOf(bench: Bench, kind: AcceptKind, when: When): Lane[] {
  const how = HOW[when];
  const isAlone = when === 'alone';
  const { single, many: thousand, batch: batchAccount } = bench.accounts;
  const [hot, hundred, many] = [singles(bench, single), singles(bench, thousand, 100), singles(bench, thousand)];
  const batch = batches(bench, batchAccount);
  const noting = isAlone ? withRequestsPerCommit : withDelivered;
  const lane = (figure: About, load: SendLoad): Lane => ({
    figure: { unit: 'messages', ...figure },
    measure: () => noting(bench, () => send(bench, load)),
  });
  switch (kind) {
    case 'single':
      return [
        ...(isAlone ? [echoLane(bench, 'echo-single', hot)] : []),
        lane({ id: `hot-${when}`, title: `single sends ${how}, ${hot.title}`, yardstick: 'echo-single' }, hot),
        lane({ id: `single-${when}`, title: `single sends ${how}, ${many.title}`, yardstick: `hot-${when}` }, many),
      ];
    case 'many':
      return [hot, hundred, many].map((load) => lane(ofMany(when, load), load));
    case 'batch': {
      const figure = { id: `batch-${when}`, title: `batches ${how}`, yardstick: 'echo-batch' };
      if (!isAlone) return [lane(figure, batch)];
      return [
        echoLane(bench, 'echo-batch', batch),
        lane({ ...figure, secondYardstick: 'copy-batch' }, batch),
        copyLane(bench),
      ];
    }
  }
}

type About = Pick<Figure, 'id' | 'title' | 'yardstick' | 'secondYardstick' | 'floor'>;

/** Set against one hot account, with the floor for so many. */
function ofMany(when: When, { id, title }: SendLoad): About {
  const floor = FLOORS[id];
  const yardstick = id === '1' ? {} : { yardstick: `many-${when}-1` };
  return {
    id: `many-${when}-${id}`,
    title: `single sends ${HOW[when]}, ${title}`,
    ...yardstick,
    ...(floor && { floor }),
  };
}

/** The same requests to the echo, on the same number of connections. */
export function echoLane(bench: Bench, id: string, load: SendLoad): Lane {
  return {
    figure: { id, title: `echo of ${load.entries === 1 ? 'single sends' : 'batches'}`, unit: 'messages' },
    measure: async () => ({ window: (await shoot(bench, { ...load, port: bench.echoPort })).window }),
  };
}

/** One window of a load on the service. */
export async function send(bench: Bench, load: SendLoad): Promise<Measured> {
  const { window, answeredInAll } = await shoot(bench, load);
  bench.countAccepted(load.accounts, answeredInAll * load.entries);
  return { window };
}

async function shoot(bench: Bench, load: SendLoad) {
  const { window, result } = await bench.measure(jobOf(load));
  return { window: { ...window, perSecond: window.perSecond * load.entries }, answeredInAll: result.answeredInAll };
}

async function withRequestsPerCommit(bench: Bench, work: () => Promise<Measured>): Promise<Measured> {
  const before = await readCommits(bench.service);
  const measured = await work();
  const after = await readCommits(bench.service);
  const requestsPerCommit = (after.requests - before.requests) / Math.max(1, after.commits - before.commits);
  return { ...measured, notes: { requestsPerCommit } };
}

async function withDelivered(bench: Bench, work: () => Promise<Measured>): Promise<Measured> {
  const from = await bench.facts.now();
  const measured = await work();
  const to = await bench.facts.now();
  const deliveredPerSecondMeanwhile = await bench.facts.allDeliveredPerSecond(from, to);
  return { ...measured, notes: { deliveredPerSecondMeanwhile } };
}

function copyLane(bench: Bench): Lane {
  let yardstick: CopyYardstick | undefined;
  let windows = 0;
  return {
    figure: { id: 'copy-batch', title: 'the same order rows by COPY', unit: 'messages' },
    measure: async () => {
      yardstick ??= await CopyYardstick.prepare(bench, bench.accounts.batch);
      const window = await yardstick.measure(bench);
      windows += 1;
      if (windows === bench.options.windows) await yardstick.close();
      return { window };
    },
  };
}

/**
 * How often the accept path has committed, and how many requests these commits held: from the gateway's own metrics.
 */
async function readCommits({ operatorPort, operatorPassword }: System) {
  const samples = await scrape(operatorPort, '/metrics', operatorPassword);
  const sum = (name: RegExp) => samples.reduce((all, sample) => all + (name.test(sample.name) ? sample.value : 0), 0);
  return { commits: sum(/^\w*commit\w*requests_count$/), requests: sum(/^\w*commit\w*requests_sum$/) };
}
