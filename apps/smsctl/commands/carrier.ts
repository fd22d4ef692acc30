import type { Command } from 'commander';
import { counted } from '#operations';
import { addCarrierFlags, type CarrierFlags, type ProtocolOptions, readCarrierFlags } from '../carrier-flags.js';
import { carrierFacts, carrierTable } from '../carrier-views.js';
import { addCommand, wrongUsage } from '../command.js';
import type { Session } from '../session.js';
import { addCarrierTest } from './carrier-test.js';

export function addCarrierCommands(carrier: Command, session: Session, protocols: ProtocolOptions): void {
  addAdd(carrier, session, protocols);
  addSet(carrier, session, protocols);
  addCarrierTest(carrier, session);

  addCommand(carrier, 'list', 'list the carriers and whether workers are bound to them', ['carrier list']).action(
    (_options, command: Command) => session.show(command, 'carrier.list', {}, carrierTable),
  );

  addCommand(carrier, 'show', 'show the settings of a carrier, its binds and what waits for it', ['carrier show acme'])
    .argument('<name>', 'its name')
    .action((name: string, _options, command: Command) =>
      session.show(command, 'carrier.show', { name }, carrierFacts),
    );

  addCommand(carrier, 'pause', 'hand no more messages to a carrier', ['carrier pause acme'])
    .argument('<name>', 'its name')
    .action((name: string, _options, command: Command) =>
      session.show(command, 'carrier.pause', { name }, ({ notes }) => [`Carrier ${name} paused.`, ...notes].join('\n')),
    );

  addCommand(carrier, 'resume', 'hand messages to a paused carrier again', ['carrier resume acme'])
    .argument('<name>', 'its name')
    .action((name: string, _options, command: Command) =>
      session.show(command, 'carrier.resume', { name }, ({ notes }) =>
        [`Carrier ${name} resumed.`, ...notes].join('\n'),
      ),
    );

  addCommand(carrier, 'remove', 'remove a carrier; its name may be used again', [
    'carrier remove acme',
    'carrier remove acme --with-routes',
  ])
    .argument('<name>', 'its name')
    .option('--with-routes', 'remove the routes that name it as well')
    .action((name: string, { withRoutes }: { withRoutes?: boolean }, command: Command) =>
      session.show(command, 'carrier.remove', { name, withRoutes }, ({ notes }) =>
        [`Carrier ${name} removed.`, ...notes].join('\n'),
      ),
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
      'smpp://USER@HOST:PORT; smpps:// for TLS; https://ACCOUNT@HOST for an HTTP API; USER:PASSWORD@ works too, and shows the password in ps',
    );
  add.option('--paused', 'it connects and takes no messages until `carrier resume`');
  addCarrierFlags(add, protocols).action(async (name: string, url: string, flags: AddFlags, command: Command) => {
    const wishes = await readCarrierFlags({ url, flags }, protocols, session.environment);
    await session.show(command, 'carrier.add', { ...wishes, name, url, paused: flags.paused }, ({ address, notes }) =>
      [`Carrier ${name} added: ${address}.`, ...notes].join('\n'),
    );
  });
}

function addSet(carrier: Command, session: Session, protocols: ProtocolOptions): void {
  const set = addCommand(carrier, 'set', 'change the settings that are given; workers follow at once', [
    'carrier set acme --tps 200 --binds 4',
    'carrier set acme --url smpps://user@smpp2.acme.example:3550',
    'carrier set acme --unset tps --unset system-type',
  ])
    .argument('<name>', 'its name')
    .option('--url <url>', 'another address and user; the password stays unless it is given')
    .option(
      '--unset <flag>',
      'puts back the default of another flag; may be repeated',
      (flag, flags: string[] = []) => [...flags, flag],
    );
  addCarrierFlags(set, protocols).action(
    async (name: string, { unset = [], ...flags }: CarrierFlags & { unset?: string[] }, command: Command) => {
      const wishes = await readCarrierFlags({ url: flags.url, flags, unset }, protocols, session.environment);
      if (Object.values(wishes).every((wish) => wish === undefined)) {
        wrongUsage(command, 'nothing to change: see `smsctl carrier set --help`');
      }
      await session.show(command, 'carrier.set', { ...wishes, name }, ({ rereadReceipts: reread = 0, notes }) =>
        [
          `Carrier ${name} changed.`,
          ...(reread > 0
            ? [
                `${counted(reread, 'unmatched receipt names a message now; it counts', 'unmatched receipts name messages now; they count')} within a minute.`,
              ]
            : []),
          ...notes,
        ].join('\n'),
      );
    },
  );
}
