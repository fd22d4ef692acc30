import { flagOf } from './carrier-flags.js';
import type { AnswerOf } from './requests.js';
import { facts, moment, table } from './text.js';

type Carrier = AnswerOf<'carrier.list'>[number];

/** All carriers, one a line. */
export function carrierTable(carriers: readonly Carrier[]): string {
  return table(
    ['carrier', 'state', 'binds', 'bound by', 'address', '>window', '>tps', 'in doubt', 'note', 'last error'],
    carriers.map((carrier) => [
      carrier.name,
      carrier.state,
      `${carrier.bindsUp} of ${carrier.bindsWanted}`,
      `${carrier.workersBound} of ${carrier.workers} workers`,
      carrier.address,
      carrier.window,
      carrier.tps,
      carrier.inDoubt,
      carrier.simulator ? 'simulator' : undefined,
      errorWords(carrier.lastError),
    ]),
    'No carriers.',
  );
}

/** Everything about one carrier, except its secrets. */
export function carrierFacts(carrier: AnswerOf<'carrier.show'>): string {
  const { routes, workerBinds } = carrier;
  return `${facts([
    ['Carrier', carrier.name],
    ['State', carrier.state],
    ...(carrier.simulator ? [['Simulator', 'yes: it reaches nobody'] as const] : []),
    ['Address', carrier.address],
    [
      'Binds',
      `${carrier.bindsUp} of ${carrier.bindsWanted}${carrier.binds === null ? ', one for each worker' : ', shared by all workers'}`,
    ],
    ['Window', carrier.window],
    ['Submits a second', carrier.tps === null ? 'no limit' : carrier.tps],
    ['Message ids', carrier.messageId],
    ['Alphabet', carrier.alphabet],
    ['In doubt', carrier.inDoubt],
    ...Object.entries(carrier.options).map(([name, value]): [string, string] => [flagOf(name), value]),
    ['Routes', routes.length === 0 ? 'none' : routes.join(', ')],
    ['Last error', errorWords(carrier.lastError) ?? 'none'],
    ['Waiting jobs', carrier.waitingJobs ?? 'none'],
    ['Added', moment(carrier.createdAt)],
  ])}\n\n${table(
    ['worker', 'bind', 'state', 'since'],
    workerBinds.map((bind) => [
      bind.worker,
      bind.role,
      bind.state,
      bind.boundSince === null ? undefined : moment(bind.boundSince),
    ]),
    'No worker has it.',
  )}`;
}

/** E.g. `2026-11-22 10:20:30Z: the bind was refused`. */
function errorWords(error: Carrier['lastError']): string | undefined {
  return error === null ? undefined : `${moment(error.at)}: ${error.reason}`;
}
