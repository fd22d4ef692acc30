import { type Command, Option } from 'commander';
import type { CarrierEndpoint } from '#carrier';
import {
  addCarrier,
  type CarrierSettings,
  type Database,
  listCarriers,
  liveProcesses,
  removeCarrier,
  type StoredCarrier,
  setCarrierPaused,
} from '#persistence';
import { count } from '../arguments.js';
import { type CarrierState, carrierState } from '../carrier-state.js';
import { addCommand, addGroup } from '../command.js';
import type { Answer, Session } from '../session.js';
import { table } from '../text.js';

interface AddOptions {
  window: number;
  tps?: number;
  messageId: CarrierSettings['messageIdFormat'];
  alphabet: CarrierSettings['defaultAlphabet'];
  inDoubt: CarrierSettings['inDoubtPolicy'];
}

export function addCarrierCommands(program: Command, session: Session): void {
  const carrier = addGroup(program, 'carrier', 'add, list, pause and remove carriers');
  addAdd(carrier, session);

  addCommand(carrier, 'list', 'list the carriers and whether workers are bound to them', ['carrier list']).action(
    (_options, command: Command) =>
      session.answer(command, async (database) => carriersAnswer(database, await listCarriers(database))),
  );

  const changes = [
    ['pause', 'hand no more messages to a carrier', (database, name) => setCarrierPaused(database, name, true)],
    ['resume', 'hand messages to a paused carrier again', (database, name) => setCarrierPaused(database, name, false)],
    ['remove', 'remove a carrier; its name may be used again', removeCarrier],
  ] as const satisfies [string, string, (database: Database, name: string) => Promise<StoredCarrier>][];
  for (const [verb, description, change] of changes) {
    addCommand(carrier, verb, description, [`carrier ${verb} acme`])
      .argument('<name>', 'its name')
      .action((name: string, _options, command: Command) =>
        session.answer(command, async (database) => {
          const changed = await change(database, name);
          const state = verb === 'remove' ? undefined : carrierState(changed, await liveProcesses(database, 'worker'));
          return {
            json: verb === 'remove' ? { name, removed: true } : carrierJson(changed, state),
            text: `Carrier ${name} ${verb}d.`,
          };
        }),
      );
  }
}

function addAdd(carrier: Command, session: Session): void {
  addCommand(carrier, 'add', 'add a carrier that is reached by SMPP 3.4', [
    'carrier add acme smpp://user:secret@smpp.acme.example:2775 --window 20 --tps 100',
    'carrier add acme smpps://user:p%40ss@smpp.acme.example:3550 --message-id hex-dec --in-doubt hold',
  ])
    .argument('<name>', 'letters a-z, digits and dashes')
    .argument('<url>', 'smpp://USER:PASSWORD@HOST:PORT; smpps:// for TLS')
    .option('--window <n>', 'submits that may wait for their response', count, 10)
    .option('--tps <n>', 'submits a second (default: no limit)', count)
    .addOption(
      new Option('--message-id <form>', 'how ids in receipts differ from those in submit responses')
        .choices(['as-is', 'hex-dec', 'dec-hex'])
        .default('as-is'),
    )
    .addOption(
      new Option('--alphabet <name>', 'what data_coding 0 means to it')
        .choices(['gsm0338', 'latin1'])
        .default('gsm0338'),
    )
    .addOption(
      new Option('--in-doubt <policy>', 'a segment without answer or receipt: send it again, or leave it unknown')
        .choices(['resend', 'hold'])
        .default('resend'),
    )
    .action(async (name: string, url: string, options: AddOptions, command: Command) => {
      const endpoint = await readUrl(url, command);
      await session.answer(command, async (database) => {
        const added = await addCarrier(database, {
          name,
          ...endpoint,
          windowSize: options.window,
          submitsPerSecond: options.tps,
          messageIdFormat: options.messageId,
          defaultAlphabet: options.alphabet,
          inDoubtPolicy: options.inDoubt,
        });
        return {
          json: carrierJson(added, carrierState(added, await liveProcesses(database, 'worker'))),
          text: `Carrier ${name} added: ${addressOf(added)}.`,
        };
      });
    });
}

/** The adapter's own reading of the URL; loaded here only, because the protocols come with it. */
async function readUrl(url: string, command: Command): Promise<CarrierEndpoint> {
  const { CarrierUrlError, parseCarrierEndpoint } = await import('#carrier');
  try {
    return parseCarrierEndpoint(url);
  } catch (error) {
    if (error instanceof CarrierUrlError) return command.error(`error: ${error.message}`, { exitCode: 2 });
    throw error;
  }
}

async function carriersAnswer(database: Database, carriers: readonly StoredCarrier[]): Promise<Answer> {
  const workers = await liveProcesses(database, 'worker');
  const rows = carriers.map((carrier) => ({ carrier, state: carrierState(carrier, workers) }));
  return {
    json: rows.map(({ carrier, state }) => carrierJson(carrier, state)),
    text: table(
      ['carrier', 'state', 'bound by', 'address', '>window', '>tps', 'message id', 'alphabet', 'in doubt'],
      rows.map(({ carrier, state }) => [
        carrier.name,
        state.state,
        `${state.workersBound} of ${state.workers} workers`,
        addressOf(carrier),
        carrier.windowSize,
        carrier.submitsPerSecond,
        carrier.messageIdFormat,
        carrier.defaultAlphabet,
        carrier.inDoubtPolicy,
      ]),
      'No carriers.',
    ),
  };
}

function carrierJson(carrier: StoredCarrier, state: CarrierState | undefined): Record<string, unknown> {
  return {
    name: carrier.name,
    ...state,
    address: addressOf(carrier),
    window: carrier.windowSize,
    tps: carrier.submitsPerSecond ?? null,
    messageId: carrier.messageIdFormat,
    alphabet: carrier.defaultAlphabet,
    inDoubt: carrier.inDoubtPolicy,
    createdAt: carrier.createdAt,
  };
}

/** Without the password. */
function addressOf({ tls, systemId, host, port }: StoredCarrier): string {
  return `${tls ? 'smpps' : 'smpp'}://${encodeURIComponent(systemId)}@${host.includes(':') ? `[${host}]` : host}:${port}`;
}
