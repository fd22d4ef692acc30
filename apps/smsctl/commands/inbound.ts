import type { Command } from 'commander';
import { count } from '../arguments.js';
import { addCommand } from '../command.js';
import type { AnswerOf } from '../requests.js';
import type { Session } from '../session.js';
import { moment, preciseMoment, table } from '../text.js';

interface ListOptions {
  readonly account?: string;
  readonly unassigned?: boolean;
  readonly carrier?: string;
  readonly sender?: string;
  readonly recipient?: string;
  readonly withText?: boolean;
  readonly limit: number;
}

const LISTED_MAX = 50;

export function addInboundCommands(inbound: Command, session: Session): void {
  addCommand(inbound, 'list', 'list messages from handsets, newest first, without their texts', [
    'inbound list --unassigned',
    'inbound list --account 1001 --sender +46701234567 --with-text',
  ])
    .option('--account <id>', 'only those in the inbox of this account')
    .option('--unassigned', 'only those that no account has')
    .option('--carrier <name>', 'only those that this carrier brought')
    .option('--sender <number>', 'only those from this number')
    .option('--recipient <number>', 'only those to this number or sender')
    .option('--with-text', 'show the texts as well; the audit log has who read them')
    .option('--limit <n>', 'how many at most', count, LISTED_MAX)
    .action(async ({ limit, withText, ...options }: ListOptions, command: Command) => {
      const messages = await session.items('inbound.list', { ...options, texts: withText }, limit);
      const heads = ['received', 'account', 'message', 'from', 'to', 'carrier', 'keyword'];
      session.print(command, {
        json: messages,
        text: table(
          withText === true ? [...heads, 'text'] : heads,
          messages.map((one) => [...listRow(one), ...(withText === true ? [one.message ?? ''] : [])]),
          'No messages.',
        ),
      });
    });

  addCommand(inbound, 'assign', 'give an unassigned message to an account; a STOP or START in it is obeyed', [
    'inbound assign 019a3f1e-5c1b-7c3e-9d55-0c8e6f1a2b3c 1001',
  ])
    .argument('<id>', 'the id of the message, from `smsctl inbound list`')
    .argument('<account>', 'the account that gets it')
    .action((inboundId: string, accountId: string, _options, command: Command) =>
      session.show(
        command,
        'inbound.assign',
        { inboundId, accountId },
        (done) => `The message is in the inbox of account ${done.accountId}.`,
      ),
    );
}

export function addNumberCommands(number: Command, session: Session): void {
  addCommand(number, 'assign', 'give a number to an account: messages to it are in its inbox', [
    'number assign +46701234567 1001',
    'number assign 12345 1001',
  ])
    .argument('<number>', 'as handsets write to it')
    .argument('<account>', 'the account that gets the messages')
    .action((given: string, accountId: string, _options, command: Command) =>
      session.show(
        command,
        'number.assign',
        { number: given, accountId },
        (done) => `Messages to ${done.number} are in the inbox of account ${done.accountId} from now on.`,
      ),
    );

  addCommand(number, 'release', 'end the assignment of a number', ['number release +46701234567'])
    .argument('<number>', 'the number')
    .action((given: string, _options, command: Command) =>
      session.show(
        command,
        'number.release',
        { number: given },
        (done) => `${done.number} is assigned to no account any more.`,
      ),
    );

  addCommand(number, 'list', 'list the numbers that are assigned', ['number list --account 1001'])
    .option('--account <id>', 'only those of this account')
    .action(({ account }: { account?: string }, command: Command) =>
      session.show(command, 'number.list', { account }, (numbers) =>
        table(
          ['number', 'account', 'since'],
          numbers.map((one) => [one.number, one.accountId, moment(one.createdAt)]),
          'No numbers.',
        ),
      ),
    );
}

function listRow(one: AnswerOf<'inbound.list'>['data'][number]): (string | null)[] {
  return [
    preciseMoment(one.receivedAt),
    one.accountId ?? `nobody (${one.unassigned})`,
    one.inboundId,
    one.sender,
    one.recipient,
    one.carrier,
    one.keyword,
  ];
}
