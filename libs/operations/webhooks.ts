import {
  type Database,
  disableEndpoint,
  enableEndpoint,
  findAccount,
  findEndpoint,
  isSandbox,
  listAttempts,
  listEndpoints,
  OperatorError,
  ownerOf,
  type Resume,
  replayEvent,
  replayRange,
  sandboxOf,
  type WebhookAttempt,
  type WebhookEndpoint,
} from '#persistence';
import { checkPeriod, momentOf, type Page, type Paging, pageBy } from './wire.js';

const ATTEMPTS_SHOWN = 10;

/** A webhook of a client. */
interface WebhookAnswer
  extends Omit<
    WebhookEndpoint,
    'disabledAt' | 'disabledReason' | 'failingSince' | 'lastSuccessAt' | 'lastError' | 'overlapUntil'
  > {
  /** It belongs to the test keys of its account. */
  readonly test: boolean;
  readonly disabledAt: Date | null;
  readonly disabledReason: NonNullable<WebhookEndpoint['disabledReason']> | null;
  readonly failingSince: Date | null;
  readonly lastSuccessAt: Date | null;
  readonly lastError: string | null;
  readonly overlapUntil: Date | null;
}

interface OfWebhook {
  readonly endpointId: string;
}

/**
 * Those of test keys as well.
 *
 * @throws OperatorError when there is no such account
 */
export async function webhookList(
  database: Database,
  { accountId }: { readonly accountId?: string | undefined },
): Promise<readonly WebhookAnswer[]> {
  if (accountId === undefined) return (await listEndpoints(database)).map(webhookAnswer);
  await findAccount(database, accountId);
  const own = await listEndpoints(database, { accountId });
  return [...own, ...(await listEndpoints(database, { accountId: sandboxOf(accountId) }))].map(webhookAnswer);
}

export async function webhookShow(
  database: Database,
  { endpointId }: OfWebhook,
): Promise<WebhookAnswer & { readonly attempts: readonly WebhookAttempt[] }> {
  const endpoint = await existing(database, endpointId);
  return { ...webhookAnswer(endpoint), attempts: await listAttempts(database, endpointId, ATTEMPTS_SHOWN) };
}

/**
 * The failed attempts of the last 30 days and the successes after them, and all of tests and of events replayed by
 * their id; the newest first.
 */
export async function webhookAttempts(
  database: Database,
  { endpointId, ...paging }: OfWebhook & Paging,
): Promise<Page<WebhookAttempt>> {
  await existing(database, endpointId);
  return pageBy(
    paging,
    (limit, before) => listAttempts(database, endpointId, limit, before === undefined ? undefined : Number(before)),
    ({ attemptId }) => String(attemptId),
    (attempt) => attempt,
  );
}

export async function webhookDisable(database: Database, { endpointId }: OfWebhook): Promise<WebhookAnswer> {
  return webhookAnswer(await disableEndpoint(database, endpointId));
}

export async function webhookEnable(
  database: Database,
  { endpointId, resume = 'cursor' }: OfWebhook & { readonly resume?: Resume | undefined },
): Promise<WebhookAnswer> {
  return webhookAnswer(await enableEndpoint(database, endpointId, resume));
}

/** @throws OperatorError unless an event or a time is given, when the time is none, or the webhook is disabled */
export async function webhookReplay(
  database: Database,
  wanted: OfWebhook & {
    readonly eventId?: string | undefined;
    readonly from?: string | undefined;
    readonly until?: string | undefined;
  },
): Promise<WebhookAnswer> {
  const { endpointId, eventId, from, until } = wanted;
  if (eventId !== undefined && from === undefined && until === undefined) {
    await replayEvent(database, endpointId, eventId);
  } else if (eventId === undefined && from !== undefined && until !== undefined) {
    checkPeriod(from, until);
    await replayRange(database, endpointId, { from: momentOf(from), until: momentOf(until) });
  } else throw new OperatorError('give an eventId, or from and until');
  return webhookAnswer(await existing(database, endpointId));
}

async function existing(database: Database, endpointId: string): Promise<WebhookEndpoint> {
  const endpoint = await findEndpoint(database, endpointId);
  if (endpoint === undefined) throw new OperatorError(`there is no webhook ${endpointId}`, 'missing');
  return endpoint;
}

function webhookAnswer(endpoint: WebhookEndpoint): WebhookAnswer {
  const { disabledAt, disabledReason, failingSince, lastSuccessAt, lastError, overlapUntil, ...rest } = endpoint;
  return {
    ...rest,
    accountId: ownerOf(rest.accountId),
    test: isSandbox(rest.accountId),
    disabledAt: disabledAt ?? null,
    disabledReason: disabledReason ?? null,
    failingSince: failingSince ?? null,
    lastSuccessAt: lastSuccessAt ?? null,
    lastError: lastError ?? null,
    overlapUntil: overlapUntil ?? null,
  };
}
