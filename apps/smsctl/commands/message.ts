import { type Command, InvalidArgumentError, Option } from 'commander';
import { ORDER_STATES, type OrderState, parseRecipient } from '#billing';
import { count, instant } from '../arguments.js';
import { addCommand } from '../command.js';
import type { AnswerOf } from '../requests.js';
import type { Session } from '../session.js';
import { facts, holderText, preciseMoment, table } from '../text.js';

type Listed = AnswerOf<'message.list'>['data'][number];

export function addMessageCommands(message: Command, session: Session): void {
  addList(message, session);
  addCommand(message, 'show', 'show a message, its segments and every change of its state', [
    'message show 019a3f1e-5c1b-7c3e-9d55-0c8e6f1a2b3c',
    'message show 019a3f1e-5c1b-7c3e-9d55-0c8e6f1a2b3c --with-text',
  ])
    .argument('<id>', 'the id that the send was answered with')
    .option('--with-text', 'show the text as well; the audit log has who read it')
    .action((id: string, { withText }: { withText?: boolean }, command: Command) =>
      session.show(command, 'message.show', { id, text: withText }, messageText),
    );
}

interface ListOptions {
  readonly test?: boolean;
  readonly account?: string;
  readonly recipient?: string;
  readonly state?: OrderState;
  readonly carrier?: string;
  readonly reference?: string;
  readonly tag?: string;
  readonly since?: Date;
  readonly until?: Date;
  readonly limit: number;
}

const LISTED_MAX = 50;

function addList(message: Command, session: Session): void {
  addCommand(message, 'list', 'list messages, newest first, without their texts', [
    'message list --account 1001 --state failed',
    'message list --recipient +46701234567 --since 2026-11-20T00:00:00Z',
    'message list --carrier acme --state sent --limit 200 --json',
  ])
    .option('--account <id>', 'only those of this account')
    .option('--recipient <number>', 'only those to this number, written as clients write it', destination)
    .addOption(new Option('--state <state>', 'only those in this state').choices(ORDER_STATES))
    .option('--carrier <name>', 'only those that this carrier has, or had last')
    .option('--reference <text>', 'only those that the client sent with it; give --account as well')
    .option('--tag <text>', 'only those that the client sent with it; give --account as well')
    .option('--since <time>', 'only those accepted at or after it', instant)
    .option('--until <time>', 'only those accepted before it', instant)
    .option('--test', 'only those of test keys, which are left out otherwise')
    .option('--limit <n>', 'how many at most', count, LISTED_MAX)
    .action(async ({ limit, since, until, ...options }: ListOptions, command: Command) => {
      const { account, recipient, state, carrier, reference, tag, test } = options;
      const times = { since: since?.toISOString(), until: until?.toISOString() };
      const selection = { account, recipient, state, carrier, reference, tag, test, ...times };
      const messages = await session.items('message.list', selection, limit);
      session.print(command, {
        json: messages,
        text: table(
          [
            'accepted',
            'account',
            'message',
            'recipient',
            'state',
            'carrier',
            'code',
            '>segments',
            '>amount',
            'currency',
          ],
          messages.map(listRow),
          'No messages.',
        ),
      });
    });
}

function listRow(one: Listed): (string | number | null)[] {
  return [
    preciseMoment(one.createdAt),
    holderText(one),
    one.id,
    one.recipient,
    one.state,
    one.carrier,
    one.carrierCode,
    one.segmentCount,
    one.amount,
    one.currency,
  ];
}

function destination(text: string): string {
  const number = parseRecipient(text);
  if (number === undefined) throw new InvalidArgumentError('It is not a number that a message can go to.');
  return number;
}

function messageText(record: AnswerOf<'message.show'>): string {
  const { currency } = record;
  const parts = [
    facts([
      ['Message', record.id],
      ['Account', `${holderText(record)}, its number ${record.sequence}`],
      ['State', record.carrierCode === undefined ? record.state : `${record.state} (${record.carrierCode})`],
      ['Recipient', record.recipient],
      ['Reference', record.reference],
      ['Tag', record.tag],
      ...(record.message === undefined ? [] : [['Text', record.message] as const]),
      ['Segments', `${record.segmentCount} ${record.encoding}`],
      ['Price', `${record.price} ${currency}`],
      ['Charged', `${record.amount} ${currency}`],
      ['Carrier', record.carrier],
      ['Attempts', record.attempts],
      ['Accepted', preciseMoment(record.createdAt)],
      ['Sent', preciseMoment(record.sentAt)],
      ['Final', preciseMoment(record.finalAt)],
      ['Scheduled for', preciseMoment(record.sendAt)],
      ['Sender', record.sender],
      ['Valid until', preciseMoment(record.validUntil)],
      ['Due', preciseMoment(record.dueAt)],
    ]),
    table(
      ['>segment', 'state', 'carrier', 'carrier id', 'code', '>attempt', 'submitted', 'accepted', 'settled'],
      record.segments.map((segment) => [
        segment.position,
        segment.state,
        segment.carrier,
        segment.carrierMessageId,
        segment.carrierCode,
        segment.attempt,
        preciseMoment(segment.submittedAt),
        preciseMoment(segment.acceptedAt),
        preciseMoment(segment.settledAt),
      ]),
      'Nothing was submitted yet.',
    ),
    table(
      ['at', 'from', 'to', 'by', 'code'],
      record.transitions.map(({ at, from, to, actor, carrierCode }) => [
        preciseMoment(at),
        from,
        to,
        actor,
        carrierCode,
      ]),
      'No change of state yet.',
    ),
  ];
  return parts.join('\n\n');
}
