import {
  type CarrierError,
  type CarrierState,
  carrierState,
  type Database,
  listRoutes,
  liveProcesses,
  type StoredCarrier,
  workerBinds,
} from '#persistence';
import { addressOf } from './carrier-endpoint.js';
import { flagOf } from './carrier-flags.js';
import type { Answer } from './session.js';
import { facts, moment, table } from './text.js';

/** All carriers, one a line. */
export async function carriersAnswer(database: Database, carriers: readonly StoredCarrier[]): Promise<Answer> {
  const workers = await liveProcesses(database, 'worker');
  const rows = carriers.map((carrier) => ({ carrier, state: carrierState(carrier, workers) }));
  return {
    json: rows.map(({ carrier, state }) => carrierJson(carrier, state)),
    text: table(
      ['carrier', 'state', 'binds', 'bound by', 'address', '>window', '>tps', 'in doubt', 'note', 'last error'],
      rows.map(({ carrier, state }) => [
        carrier.name,
        state.state,
        `${state.bindsUp} of ${state.bindsWanted}`,
        `${state.workersBound} of ${state.workers} workers`,
        addressOf(carrier),
        carrier.windowSize,
        carrier.submitsPerSecond,
        carrier.inDoubtPolicy,
        carrier.simulator ? 'simulator' : undefined,
        errorWords(state.lastError),
      ]),
      'No carriers.',
    ),
  };
}

/** Everything about one carrier, except its secrets. */
export async function carrierAnswer(database: Database, carrier: StoredCarrier): Promise<Answer> {
  const workers = await liveProcesses(database, 'worker');
  const state = carrierState(carrier, workers);
  const binds = workerBinds(carrier.name, workers);
  const routes = (await listRoutes(database)).filter(({ carrierId }) => carrierId === carrier.carrierId);
  const prefixes = routes.map(({ prefix }) => (prefix === '' ? '*' : prefix));
  return {
    json: { ...carrierJson(carrier, state), workerBinds: binds, routes: prefixes },
    text: `${facts([
      ['Carrier', carrier.name],
      ['State', state.state],
      ...(carrier.simulator ? [['Simulator', 'yes: it reaches nobody'] as const] : []),
      ['Address', addressOf(carrier)],
      [
        'Binds',
        `${state.bindsUp} of ${state.bindsWanted}${carrier.bindCount === undefined ? ', one for each worker' : ', shared by all workers'}`,
      ],
      ['Window', String(carrier.windowSize)],
      ['Submits a second', carrier.submitsPerSecond === undefined ? 'no limit' : String(carrier.submitsPerSecond)],
      ['Message ids', carrier.messageIdFormat],
      ['Alphabet', carrier.defaultAlphabet],
      ['In doubt', carrier.inDoubtPolicy],
      ...Object.keys(carrier.options).map((name): [string, string] => [flagOf(name), shownOption(carrier, name)]),
      ['Routes', prefixes.length === 0 ? 'none' : prefixes.join(', ')],
      ['Last error', errorWords(state.lastError) ?? 'none'],
      ['Waiting jobs', state.waitingJobs ?? 'none'],
      ['Added', moment(carrier.createdAt)],
    ])}\n\n${table(
      ['worker', 'bind', 'state', 'since'],
      binds.map((bind) => [bind.worker, bind.role, bind.state, bind.boundSince ?? undefined]),
      'No worker has it.',
    )}`,
  };
}

/** E.g. `2026-11-22 10:20:30Z: the bind was refused`. */
export function errorWords(error: CarrierError | undefined): string | undefined {
  return error && `${moment(error.at)}: ${error.reason}`;
}

export function carrierJson(carrier: StoredCarrier, state: CarrierState | undefined): Record<string, unknown> {
  return {
    name: carrier.name,
    protocol: carrier.protocol,
    ...state,
    lastError: state?.lastError ?? null,
    paused: carrier.paused,
    simulator: carrier.simulator,
    address: addressOf(carrier),
    window: carrier.windowSize,
    tps: carrier.submitsPerSecond ?? null,
    binds: carrier.bindCount ?? null,
    messageId: carrier.messageIdFormat,
    alphabet: carrier.defaultAlphabet,
    inDoubt: carrier.inDoubtPolicy,
    options: Object.fromEntries(Object.keys(carrier.options).map((name) => [name, shownOption(carrier, name)])),
    createdAt: carrier.createdAt,
  };
}

/** For an option with a key or a secret, shows only that it is set. */
function shownOption({ options }: StoredCarrier, name: string): string {
  if (/key|secret|password|token/i.test(name)) return '(set)';
  const value = options[name];
  return typeof value === 'string' ? value : JSON.stringify(value);
}
