import { type Command, InvalidArgumentError } from 'commander';
import type { Resume } from '#persistence';
import { addCommand } from '../command.js';
import type { AnswerOf } from '../requests.js';
import type { Session } from '../session.js';
import { facts, holderText, moment, printable, table } from '../text.js';

type Webhook = AnswerOf<'webhook.list'>[number];

const ID = 'its id, such as we_0f3k9x2m4q7t1b8z';

/** Clients make their webhooks themselves; operators look at them, stop them and start them again. */
export function addWebhookCommands(webhook: Command, session: Session): void {
  addCommand(webhook, 'list', 'list webhooks, of one account or of all', ['webhook list', 'webhook list 1001'])
    .argument('[account]', 'its id')
    .action((accountId: string | undefined, _options, command: Command) =>
      session.show(command, 'webhook.list', { accountId }, (endpoints) =>
        table(
          ['webhook', 'account', 'state', 'since', 'last success', 'address'],
          endpoints.map((one) => [
            one.endpointId,
            holderText(one),
            stateOf(one),
            moment(one.disabledAt ?? one.failingSince),
            moment(one.lastSuccessAt) || 'never',
            printable(one.url),
          ]),
          'No webhooks.',
        ),
      ),
    );

  addCommand(webhook, 'show', 'show a webhook and its last attempts that failed, or were tests or replays', [
    'webhook show we_0f3k9x2m4q7t1b8z',
  ])
    .argument('<webhook>', ID)
    .action((endpointId: string, _options, command: Command) =>
      session.show(
        command,
        'webhook.show',
        { endpointId },
        (shown) => `${endpointFacts(shown)}\n\n${attemptTable(shown.attempts)}`,
      ),
    );

  addCommand(webhook, 'disable', 'send nothing more to a webhook; its events are kept for 14 days', [
    'webhook disable we_0f3k9x2m4q7t1b8z',
  ])
    .argument('<webhook>', ID)
    .action((endpointId: string, _options, command: Command) =>
      session.show(command, 'webhook.disable', { endpointId }, endpointFacts),
    );

  addCommand(webhook, 'enable', 'send to a webhook again', ['webhook enable we_0f3k9x2m4q7t1b8z --resume now'])
    .argument('<webhook>', ID)
    .option(
      '--resume <where>',
      'cursor: with all that it has missed; now: with what happens from now on',
      resume,
      'cursor',
    )
    .action((endpointId: string, options: { resume: Resume }, command: Command) =>
      session.show(command, 'webhook.enable', { endpointId, resume: options.resume }, endpointFacts),
    );
}

function resume(text: string): Resume {
  if (text === 'cursor' || text === 'now') return text;
  throw new InvalidArgumentError('It must be cursor or now.');
}

function stateOf({ disabledAt, disabledReason, failingSince }: Webhook): string {
  if (disabledAt !== null) return `disabled (${disabledReason})`;
  return failingSince === null ? 'enabled' : 'failing';
}

function endpointFacts(endpoint: Webhook): string {
  return facts([
    ['Webhook', endpoint.endpointId],
    ['Account', holderText(endpoint)],
    ['Address', printable(endpoint.url)],
    ['Events', endpoint.events.join(', ')],
    ['State', stateOf(endpoint)],
    ['Since', moment(endpoint.disabledAt ?? endpoint.failingSince) || moment(endpoint.createdAt)],
    ['Last success', moment(endpoint.lastSuccessAt) || 'never'],
    ['Last error', endpoint.lastError ?? 'none'],
  ]);
}

function attemptTable(attempts: AnswerOf<'webhook.show'>['attempts']): string {
  return table(
    ['at', 'event', 'type', '>attempt', 'outcome', 'error', 'next'],
    attempts.map((one) => [
      moment(one.at),
      one.eventId,
      one.type,
      one.attempt,
      one.outcome,
      one.error,
      moment(one.nextAttemptAt),
    ]),
    'No failed attempts, tests or replays in the last 30 days.',
  );
}
