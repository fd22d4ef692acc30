import { type Command, InvalidArgumentError, Option } from 'commander';
import { counted } from '#operations';
import type { Resolution } from '#persistence';
import { instant } from '../arguments.js';
import { addCommand, wrongUsage } from '../command.js';
import type { AnswerOf } from '../requests.js';
import type { Session } from '../session.js';
import { moment, table } from '../text.js';

interface ResolveOptions {
  readonly as: Resolution;
  readonly account?: string;
  readonly from?: Date;
  readonly to?: Date;
  readonly state?: 'queued' | 'sending';
  readonly carrier?: string;
}

export function addHoldCommands(hold: Command, session: Session): void {
  addCommand(hold, 'show', 'show the hold, and what it keeps back', ['hold show', 'hold show --json']).action(
    (_options, command: Command) => session.show(command, 'hold.show', {}, holdText),
  );

  addCommand(hold, 'set', 'hold every open message that was accepted before a time; later ones go out', [
    `hold set --reason 'disk snapshot of 03:00 restored'`,
    'hold set --before 2026-11-20T03:00:00Z --reason "carrier took messages twice"',
  ])
    .requiredOption('--reason <text>', 'why, for whoever sees it later', notEmpty)
    .option('--before <time>', 'hold messages accepted before it (default: now)', instant)
    .action(({ reason, before }: { reason: string; before?: Date }, command: Command) =>
      session.show(
        command,
        'hold.set',
        { reason, before: before?.toISOString() },
        ({ heldBefore }) =>
          `Open messages accepted before ${moment(heldBefore)} are held. See them with: smsctl hold show`,
      ),
    );

  addCommand(hold, 'resolve', 'decide about held messages; the hold itself stays', [
    'hold resolve --as resend --account 1001',
    'hold resolve --as unknown --to 2026-11-20T03:00:00Z',
    'hold resolve --as refund --state queued',
  ])
    .addOption(
      new Option(
        '--as <decision>',
        'resend: dispatch them; unknown: charged, may have arrived; refund: failed, released',
      )
        .choices(['resend', 'unknown', 'refund'])
        .makeOptionMandatory(),
    )
    .option('--account <id>', 'only those of this account', accountId)
    .option('--from <time>', 'only those accepted at or after it', instant)
    .option('--to <time>', 'only those accepted before it', instant)
    .addOption(new Option('--state <state>', 'only those in this state').choices(['queued', 'sending']))
    .option('--carrier <name>', 'with --as unknown: the carrier whose receipts may come, if none is recorded')
    .action(async (options: ResolveOptions, command: Command) => {
      if (options.carrier !== undefined && options.as !== 'unknown') {
        wrongUsage(command, '--carrier works with --as unknown only');
      }
      const { as, account, from, to, state, carrier } = options;
      const wanted = { as, account, from: from?.toISOString(), to: to?.toISOString(), state, carrier };
      await session.show(
        command,
        'hold.resolve',
        wanted,
        ({ resolved, left }) => `${counted(resolved, ...RESOLVED[as])}; ${left} still held.`,
      );
    });

  addCommand(hold, 'release', 'end the hold; messages that are still held are dispatched as usual', [
    'hold release',
  ]).action((_options, command: Command) =>
    session.show(
      command,
      'hold.release',
      {},
      ({ released }) =>
        `The hold has ended; ${counted(released, 'message that was held is', 'messages that were held are')} dispatched as usual.`,
    ),
  );
}

/** The words for one message, and for several. */
const RESOLVED: Readonly<Record<Resolution, readonly [string, string]>> = {
  resend: ['message is dispatched as usual', 'messages are dispatched as usual'],
  unknown: ['message ended as unknown, or as its receipt says', 'messages ended as unknown, or as their receipts say'],
  refund: ['message ended as failed and was released', 'messages ended as failed and were released'],
};

function holdText(hold: AnswerOf<'hold.show'>): string {
  if (!hold.isActive) return 'No hold is active.';
  const rows = table(
    ['account', 'name', 'state', '>messages', 'oldest', 'newest', '>in doubt', '>past validity'],
    hold.held.map((one) => [
      one.accountId,
      one.accountName,
      one.state,
      one.orders,
      moment(one.oldestAt),
      moment(one.newestAt),
      one.inDoubt,
      one.expired,
    ]),
    'Nothing is held any more: smsctl hold release',
  );
  return `Held since ${moment(hold.setAt)}: ${hold.reason}.\n${counted(hold.messages, 'message')} accepted before ${moment(hold.heldBefore)}.\n\n${rows}`;
}

function notEmpty(text: string): string {
  if (text.trim() === '') throw new InvalidArgumentError('It must not be empty.');
  return text;
}

function accountId(text: string): string {
  if (!/^[1-9][0-9]{0,17}$/.test(text)) throw new InvalidArgumentError('An account is a number such as 1001.');
  return text;
}
