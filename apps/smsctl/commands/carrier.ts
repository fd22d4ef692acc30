import type { Command } from 'commander';
import {
  addCarrier,
  type CarrierChange,
  carrierState,
  changeCarrier,
  type Database,
  findCarrier,
  listCarriers,
  liveProcesses,
  openCarrier,
  removeCarrier,
  type StoredCarrier,
  setCarrierPaused,
} from '#persistence';
import { addressOf, adviceOn } from '../carrier-endpoint.js';
import {
  addCarrierFlags,
  CARRIER_DEFAULTS,
  type CarrierFlags,
  type ProtocolOptions,
  readCarrierFlags,
  unsetFlags,
} from '../carrier-flags.js';
import { carrierAnswer, carrierJson, carriersAnswer } from '../carrier-views.js';
import { checkCarrier } from '../check-carrier.js';
import { addCommand, wrongUsage } from '../command.js';
import { rereadUnmatchedReceipts } from '../reread-receipts.js';
import type { Session } from '../session.js';
import { counted } from '../text.js';
import { readTraffic, trafficOf, withNotes } from '../traffic-notes.js';
import { addCarrierTest } from './carrier-test.js';

/** @param protocols the options of the carriers of each protocol */
export function addCarrierCommands(carrier: Command, session: Session, protocols: ProtocolOptions): void {
  addAdd(carrier, session, protocols);
  addSet(carrier, session, protocols);
  addCarrierTest(carrier, session);

  addCommand(carrier, 'list', 'list the carriers and whether workers are bound to them', ['carrier list']).action(
    (_options, command: Command) =>
      session.answer(command, async (database) => carriersAnswer(database, await listCarriers(database))),
  );

  addCommand(carrier, 'show', 'show the settings of a carrier, its binds and what waits for it', ['carrier show acme'])
    .argument('<name>', 'its name')
    .action((name: string, _options, command: Command) =>
      session.answer(command, async (database) => carrierAnswer(database, await findCarrier(database, name))),
    );

  const changes = [
    ['pause', 'hand no more messages to a carrier', (database, name) => setCarrierPaused(database, name, true)],
    ['resume', 'hand messages to a paused carrier again', (database, name) => setCarrierPaused(database, name, false)],
  ] as const satisfies [string, string, (database: Database, name: string) => Promise<StoredCarrier>][];
  for (const [verb, description, change] of changes) {
    addCommand(carrier, verb, description, [`carrier ${verb} acme`])
      .argument('<name>', 'its name')
      .action((name: string, _options, command: Command) =>
        session.answer(command, async (database) => {
          const { changed, notes } = await withNotes(database, () => change(database, name));
          const taken = verb === 'resume' ? [trafficOf(changed, await readTraffic(database))] : notes;
          return {
            json: {
              ...carrierJson(changed, carrierState(changed, await liveProcesses(database, 'worker'))),
              notes: taken,
            },
            text: [`Carrier ${name} ${verb}d.`, ...taken].join('\n'),
          };
        }),
      );
  }

  addCommand(carrier, 'remove', 'remove a carrier; its name may be used again', [
    'carrier remove acme',
    'carrier remove acme --with-routes',
  ])
    .argument('<name>', 'its name')
    .option('--with-routes', 'remove the routes that name it as well')
    .action((name: string, options: { withRoutes?: boolean }, command: Command) =>
      session.answer(command, async (database) => {
        const { notes } = await withNotes(database, () => removeCarrier(database, name, options.withRoutes));
        return {
          json: { name, removed: true, notes },
          text: [`Carrier ${name} removed.`, ...notes].join('\n'),
        };
      }),
    );
}

type AddFlags = CarrierFlags & { readonly paused?: boolean };

function addAdd(carrier: Command, session: Session, protocols: ProtocolOptions): void {
  const add = addCommand(carrier, 'add', 'add a carrier', [
    'carrier add acme smpp://user@smpp.acme.example:2775 --password-file acme.password --window 20 --tps 100',
    'carrier add acme smpps://user@smpp.acme.example:3550 --password-file acme.password --paused',
  ])
    .argument('<name>', 'letters a-z, digits and dashes')
    .argument(
      '<url>',
      'smpp://USER@HOST:PORT; smpps:// for TLS; USER:PASSWORD@ works too, and shows the password in ps',
    );
  add.option('--paused', 'it connects and takes no messages until `carrier resume`');
  addCarrierFlags(add, protocols).action((name: string, url: string, flags: AddFlags, command: Command) =>
    session.answer(command, async (database) => {
      const said = await readCarrierFlags(url, flags, protocols, session.environment, undefined);
      const { host = '', port = 0, systemId = '', password = '', tls = false } = said;
      const settings = { ...CARRIER_DEFAULTS, ...said, name, host, port, systemId, password, tls };
      await checkCarrier(settings);
      const added = await addCarrier(database, { ...settings, paused: flags.paused === true });
      const taken = trafficOf(added, await readTraffic(database));
      return {
        json: {
          ...carrierJson(added, carrierState(added, await liveProcesses(database, 'worker'))),
          notes: [taken],
        },
        text: `Carrier ${name} added: ${addressOf(added)}.${await adviceOn(added)}\n${taken}`,
      };
    }),
  );
}

function addSet(carrier: Command, session: Session, protocols: ProtocolOptions): void {
  const set = addCommand(carrier, 'set', 'change settings of a carrier; workers follow at once', [
    'carrier set acme --tps 200 --binds 4',
    'carrier set acme --url smpps://user@smpp2.acme.example:3550',
    'carrier set acme --unset tps --unset system-type',
  ])
    .argument('<name>', 'its name')
    .option('--url <url>', 'another address and user; the password stays unless it is given')
    .option(
      '--unset <flag>',
      'back to what holds when nothing is said; may be repeated',
      (flag, flags: string[]) => [...flags, flag],
      [],
    );
  addCarrierFlags(set, protocols).action(
    (name: string, { unset, ...flags }: CarrierFlags & { unset: string[] }, command: Command) =>
      session.answer(command, async (database) => {
        const before = await findCarrier(database, name);
        const said = await readCarrierFlags(flags.url, flags, protocols, session.environment, before);
        const change = { ...said, ...unsetFlags(unset, { ...before, options: said.options ?? {} }, protocols) };
        if (unset.length === 0 && Object.keys(flags).every((flag) => flag === 'json') && said.password === undefined) {
          wrongUsage(command, 'nothing to change: see `smsctl carrier set --help`');
        }
        await checkChange(database, before, change);
        const { changed, notes } = await withNotes(database, () => changeCarrier(database, name, change));
        const format = change.messageIdFormat;
        const reread = format === undefined ? 0 : await rereadUnmatchedReceipts(database, before, format);
        return {
          json: {
            ...carrierJson(changed, carrierState(changed, await liveProcesses(database, 'worker'))),
            ...(format !== undefined && { rereadReceipts: reread }),
            notes,
          },
          text: [
            `Carrier ${name} changed.`,
            ...(reread > 0
              ? [
                  `${counted(reread, 'unmatched receipt names a message now; it counts', 'unmatched receipts name messages now; they count')} within a minute.`,
                ]
              : []),
            ...notes,
          ].join('\n'),
        };
      }),
  );
}

/**
 * Checks that a carrier can work with its new settings.
 *
 * @throws OperatorError naming the setting that cannot work, or the secret that cannot be read for the check
 */
async function checkChange(database: Database, before: StoredCarrier, change: CarrierChange): Promise<void> {
  // New values are in clear already and need no decryption.
  const { password: newPassword, options = before.options, ...rest } = change;
  const password = newPassword === undefined ? before.password : { stored: newPassword };
  await checkCarrier(openCarrier(database.secretKeys, { ...before, ...rest, password, options }));
}
