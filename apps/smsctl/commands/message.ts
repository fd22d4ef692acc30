import type { Command } from 'commander';
import { formatMicros } from '#billing';
import { findMessage, type MessageRecord } from '#persistence';
import { addCommand } from '../command.js';
import type { Session } from '../session.js';
import { facts, moment, table } from '../text.js';

export function addMessageCommands(message: Command, session: Session): void {
  addCommand(message, 'show', 'show a message, its segments and every change of its state', [
    'message show 019a3f1e-5c1b-7c3e-9d55-0c8e6f1a2b3c',
    'message show 019a3f1e-5c1b-7c3e-9d55-0c8e6f1a2b3c --with-text',
  ])
    .argument('<id>', 'the id that the send was answered with')
    .option('--with-text', 'show the text as well')
    .action((id: string, options: { withText?: boolean }, command: Command) =>
      session.answer(command, async (database) => {
        const found = await findMessage(database, id);
        const withText = options.withText === true;
        return { json: messageJson(found, withText), text: messageText(found, withText) };
      }),
    );
}

/** The text is the recipient's business: it is shown only when it is asked for. */
function messageJson({ message, ...record }: MessageRecord, withText: boolean): Record<string, unknown> {
  return {
    ...record,
    sequence: Number(record.sequence),
    price: formatMicros(record.price),
    amount: formatMicros(record.amount),
    ...(withText && { message }),
  };
}

function messageText(record: MessageRecord, withText: boolean): string {
  const { currency } = record;
  const parts = [
    facts([
      ['Message', record.id],
      ['Account', `${record.accountId}, its number ${record.sequence}`],
      ['State', record.carrierCode === undefined ? record.state : `${record.state} (${record.carrierCode})`],
      ['Recipient', record.recipient],
      ...(withText ? [['Text', record.message] as const] : []),
      ['Segments', `${record.segmentCount} ${record.encoding}`],
      ['Price', `${formatMicros(record.price)} ${currency}`],
      ['Charged', `${formatMicros(record.amount)} ${currency}`],
      ['Carrier', record.carrier],
      ['Attempts', record.attempts],
      ['Accepted', moment(record.createdAt)],
      ['Sent', moment(record.sentAt)],
      ['Final', moment(record.finalAt)],
      ['Valid until', moment(record.validUntil)],
      ['Next look', moment(record.dueAt)],
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
        moment(segment.submittedAt),
        moment(segment.acceptedAt),
        moment(segment.settledAt),
      ]),
      'Nothing was submitted yet.',
    ),
    table(
      ['at', 'from', 'to', 'by', 'code'],
      record.transitions.map(({ at, from, to, actor, carrierCode }) => [moment(at), from, to, actor, carrierCode]),
      'No change of state yet.',
    ),
  ];
  return parts.join('\n\n');
}
