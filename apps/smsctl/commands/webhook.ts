import { type Command, InvalidArgumentError } from 'commander';
import {
  disableEndpoint,
  enableEndpoint,
  findEndpoint,
  listAttempts,
  listEndpoints,
  OperatorError,
  type Resume,
  type WebhookAttempt,
  type WebhookEndpoint,
} from '#persistence';
import { addCommand } from '../command.js';
import type { Session } from '../session.js';
import { facts, moment, printable, table } from '../text.js';

const ID = 'its id, such as we_0f3k9x2m4q7t1b8z';
const ATTEMPTS_SHOWN = 10;

/** Clients make their webhooks themselves; operators look at them, stop them and start them again. */
export function addWebhookCommands(webhook: Command, session: Session): void {
  addCommand(webhook, 'list', 'list webhooks, of one account or of all', ['webhook list', 'webhook list 1001'])
    .argument('[account]', 'its id')
    .action((accountId: string | undefined, _options, command: Command) =>
      session.answer(command, async (database) => {
        const endpoints = await listEndpoints(database, accountId);
        return {
          json: endpoints.map(endpointJson),
          text: table(
            ['webhook', 'account', 'state', 'since', 'last success', 'address'],
            endpoints.map((one) => [
              one.endpointId,
              one.accountId,
              stateOf(one),
              moment(one.disabledAt ?? one.failingSince),
              moment(one.lastSuccessAt) || 'never',
              printable(one.url),
            ]),
            'No webhooks.',
          ),
        };
      }),
    );

  addCommand(webhook, 'show', 'show a webhook and its last failed attempts', ['webhook show we_0f3k9x2m4q7t1b8z'])
    .argument('<webhook>', ID)
    .action((endpointId: string, _options, command: Command) =>
      session.answer(command, async (database) => {
        const endpoint = await findEndpoint(database, endpointId);
        if (endpoint === undefined) throw new OperatorError(`there is no webhook ${endpointId}`);
        const attempts = await listAttempts(database, endpointId, ATTEMPTS_SHOWN);
        return {
          json: { ...endpointJson(endpoint), attempts },
          text: `${endpointFacts(endpoint)}\n\n${attemptTable(attempts)}`,
        };
      }),
    );

  addCommand(webhook, 'disable', 'send nothing more to a webhook; its events are kept for 14 days', [
    'webhook disable we_0f3k9x2m4q7t1b8z',
  ])
    .argument('<webhook>', ID)
    .action((endpointId: string, _options, command: Command) =>
      session.answer(command, async (database) => answerOf(await disableEndpoint(database, endpointId))),
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
      session.answer(command, async (database) => answerOf(await enableEndpoint(database, endpointId, options.resume))),
    );
}

function resume(text: string): Resume {
  if (text === 'cursor' || text === 'now') return text;
  throw new InvalidArgumentError('It must be cursor or now.');
}

function answerOf(endpoint: WebhookEndpoint) {
  return { json: endpointJson(endpoint), text: endpointFacts(endpoint) };
}

function stateOf({ disabledAt, disabledReason, failingSince }: WebhookEndpoint): string {
  if (disabledAt !== undefined) return `disabled (${disabledReason})`;
  return failingSince === undefined ? 'enabled' : 'failing';
}

function endpointJson(endpoint: WebhookEndpoint): Record<string, unknown> {
  const { disabledAt, disabledReason, failingSince, lastSuccessAt, lastError, overlapUntil, ...rest } = endpoint;
  return {
    ...rest,
    disabledAt: disabledAt ?? null,
    disabledReason: disabledReason ?? null,
    failingSince: failingSince ?? null,
    lastSuccessAt: lastSuccessAt ?? null,
    lastError: lastError ?? null,
    overlapUntil: overlapUntil ?? null,
  };
}

function endpointFacts(endpoint: WebhookEndpoint): string {
  return facts([
    ['Webhook', endpoint.endpointId],
    ['Account', endpoint.accountId],
    ['Address', printable(endpoint.url)],
    ['Events', endpoint.events.join(', ')],
    ['State', stateOf(endpoint)],
    ['Since', moment(endpoint.disabledAt ?? endpoint.failingSince) || moment(endpoint.createdAt)],
    ['Last success', moment(endpoint.lastSuccessAt) || 'never'],
    ['Last error', endpoint.lastError ?? 'none'],
  ]);
}

function attemptTable(attempts: readonly WebhookAttempt[]): string {
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
    'No failed attempts in the last 30 days.',
  );
}
