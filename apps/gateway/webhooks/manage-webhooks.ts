import { Inject, Injectable } from '@nestjs/common';
import type { Config } from '#config';
import {
  addEndpoint,
  changeEndpoint,
  countAttempts,
  Database,
  disableEndpoint,
  EVENT_DAYS,
  enableEndpoint,
  findEndpoint,
  type KeyManager,
  KeyRefused,
  listAttempts,
  listEndpoints,
  OperatorError,
  removeEndpoint,
  replayEvent,
  replayRange,
  rotateEndpointSecret,
  sendTestEvent,
  WEBHOOKS_MAX,
  type WebhookAttempt,
  type WebhookEndpoint,
  WebhookRefused,
} from '#persistence';
import { ReceiverAddresses } from '#webhooks';
import type { AuthenticatedRequest } from '../http/authenticate.js';
import { accountOf, managerOf } from '../http/current-account.js';
import { CursorPagination, wantedPage } from '../http/page.js';
import { type Checked, Problem, problemOf, withoutFaults } from '../http/problem.js';
import { rateLimited } from '../http/rate-limited.js';
import { TokenBuckets } from '../http/token-buckets.js';
import { unauthorized } from '../http/unauthorized.js';
import { CONFIG } from '../injected.js';
import type { DeliveriesQuery, Delivery, DeliveryList } from './deliveries.dto.js';
import type {
  ChangeWebhookRequest,
  CreateWebhookRequest,
  ReplayRequest,
  Requested,
  Webhook,
  WebhookList,
  WebhookWithSecret,
} from './webhooks.dto.js';

/** Changes, tests and replays that an account may make at this gateway. */
const WEBHOOK_CHANGES = { perSecond: 1, burst: 60, ownersMax: 10_000 };
/** Deliveries are counted up to here. */
const COUNTED_MAX = 1_000;
const FAILING_DAYS = 5;
const DAY_MS = 86_400_000;

/** USE CASE: the owner of an account manages its webhooks, with a key that has the scope `manage`. */
@Injectable()
export class ManageWebhooks {
  private readonly changes = new TokenBuckets(WEBHOOK_CHANGES);
  private readonly addresses: ReceiverAddresses;

  constructor(
    private readonly database: Database,
    @Inject(CONFIG) config: Config,
  ) {
    this.addresses = new ReceiverAddresses(config.WEBHOOK_ALLOW_NETWORKS);
  }

  async list(request: AuthenticatedRequest): Promise<WebhookList> {
    const { accountId } = accountOf(request);
    return { data: (await listEndpoints(this.database, { accountId })).map(shown) };
  }

  async show(request: AuthenticatedRequest, id: string): Promise<Webhook> {
    return shown(await this.endpointOf(request, id));
  }

  /** @param query its faults, those of the body and the fault of the address are answered together */
  create(request: AuthenticatedRequest, body: CreateWebhookRequest, query: Checked): Promise<WebhookWithSecret> {
    const { url, events, description = '' } = withoutFaults(body, query, this.checkedUrl(body.url));
    return this.change(request, async (manager) => {
      const { endpoint, secret } = await addEndpoint(this.database, { url, events, description }, manager);
      return { ...shown(endpoint), secret };
    });
  }

  /** @param query as of `create` */
  alter(request: AuthenticatedRequest, id: string, body: ChangeWebhookRequest, query: Checked): Promise<Webhook> {
    const beside = body.url === undefined ? [query] : [query, this.checkedUrl(body.url)];
    const { url, events, description } = withoutFaults(body, ...beside);
    const wanted = {
      ...(url !== undefined && { url }),
      ...(events && { events }),
      ...(description !== undefined && { description }),
    };
    return this.change(request, async (manager) => shown(await changeEndpoint(this.database, id, wanted, manager)));
  }

  remove(request: AuthenticatedRequest, id: string): Promise<{ id: string }> {
    return this.change(request, async (manager) => {
      await removeEndpoint(this.database, id, manager);
      return { id };
    });
  }

  rotate(request: AuthenticatedRequest, id: string, overlapSeconds: number): Promise<WebhookWithSecret> {
    return this.change(request, async (manager) => {
      const { endpoint, secret } = await rotateEndpointSecret(this.database, id, overlapSeconds, manager);
      return { ...shown(endpoint), secret };
    });
  }

  disable(request: AuthenticatedRequest, id: string): Promise<Webhook> {
    return this.change(request, async (manager) => shown(await disableEndpoint(this.database, id, manager)));
  }

  enable(request: AuthenticatedRequest, id: string, resume: 'cursor' | 'now'): Promise<Webhook> {
    return this.change(request, async (manager) => shown(await enableEndpoint(this.database, id, resume, manager)));
  }

  test(request: AuthenticatedRequest, id: string): Promise<Requested> {
    return this.change(request, async (manager) => ({ eventId: await sendTestEvent(this.database, id, manager) }));
  }

  replay(request: AuthenticatedRequest, id: string, { eventId, from, until }: ReplayRequest): Promise<Requested> {
    if ((eventId === undefined) === (from === undefined) || (eventId !== undefined && until !== undefined)) {
      throw fault('eventId', 'Give either eventId, or from and perhaps until.');
    }
    return this.change(request, async (manager) => {
      if (eventId !== undefined) {
        await replayEvent(this.database, id, eventId, manager);
        return { eventId };
      }
      const now = new Date();
      const range = { from: new Date(from ?? ''), until: until === undefined ? now : new Date(until) };
      const agoMs = now.getTime() - range.from.getTime();
      if (agoMs < 0 || agoMs > EVENT_DAYS * DAY_MS || range.until <= range.from) {
        throw fault('from', `from must lie in the last ${EVENT_DAYS} days, and before until.`);
      }
      await replayRange(this.database, id, range, manager);
      return { eventId: null };
    });
  }

  async deliveries(request: AuthenticatedRequest, id: string, query: DeliveriesQuery): Promise<DeliveryList> {
    const { endpointId } = await this.endpointOf(request, id);
    const { page, limit, before } = wantedPage(query);
    const isFirst = before === undefined;
    if (isFirst && page > 1) throw fault('page', 'This list goes on by cursor only.');
    const found = await listAttempts(this.database, endpointId, limit + 1, before, query.filters);
    const total =
      query.place?.total ?? (await countAttempts(this.database, endpointId, COUNTED_MAX + 1, query.filters));
    const data = found.slice(0, limit);
    const next = found.length > limit ? data.at(-1)?.attemptId : undefined;
    const isCapped = total > COUNTED_MAX || query.place?.isCapped === true;
    return {
      data: data.map(deliveryOf),
      pagination: CursorPagination.after(
        { page, limit },
        { total: Math.min(total, COUNTED_MAX), next, isCapped },
        query.filterText,
      ),
    };
  }

  private async endpointOf(request: AuthenticatedRequest, id: string): Promise<WebhookEndpoint> {
    const endpoint = await findEndpoint(this.database, id, accountOf(request).accountId);
    if (endpoint === undefined) throw noSuchWebhook();
    return endpoint;
  }

  /** The fault of an address. Only a gateway knows which ones its operator allows. */
  private checkedUrl(url: unknown): Checked {
    const problem = this.addresses.problemOf(url);
    return problem === undefined
      ? {}
      : { faults: [{ field: 'url', code: 'invalid_request', detail: `url ${problem}.` }] };
  }

  /** @throws Problem when the change is refused, or too many were made */
  private async change<Result>(
    request: AuthenticatedRequest,
    work: (manager: KeyManager) => Promise<Result>,
  ): Promise<Result> {
    const manager = managerOf(request);
    const waitMs = this.changes.take(manager.accountId);
    if (waitMs > 0) {
      throw rateLimited('This account has changed its webhooks too often.', 'webhook-changes', WEBHOOK_CHANGES, waitMs);
    }
    try {
      return await work(manager);
    } catch (error) {
      if (error instanceof WebhookRefused) throw problemFrom(error);
      if (error instanceof KeyRefused) throw unauthorized('The API key is not valid.');
      // The account was closed meanwhile.
      if (error instanceof OperatorError) throw new Problem('invalid_request', `Not possible: ${error.message}.`);
      throw error;
    }
  }
}

function fault(field: string, detail: string): Problem {
  return problemOf([{ field, code: 'invalid_request', detail }]);
}

function noSuchWebhook(): Problem {
  return new Problem('not_found', 'This account has no webhook with this id.');
}

function problemFrom({ refusal }: WebhookRefused): Problem {
  switch (refusal) {
    case 'no_such_webhook':
      return noSuchWebhook();
    case 'no_such_event':
      return new Problem('not_found', `This account had no event with this id in the last ${EVENT_DAYS} days.`);
    case 'too_many_webhooks':
      return new Problem('too_many_webhooks', `An account may have ${WEBHOOKS_MAX} webhooks. Delete one first.`);
    case 'webhook_disabled':
      return new Problem('webhook_disabled', 'This webhook is disabled. Enable it first.');
    case 'no_secrets_key':
      return new Problem('webhooks_unavailable', 'This service cannot store secrets of webhooks. Ask its operator.');
    default:
      throw new Error(`unreachable: ${refusal satisfies never}`);
  }
}

function shown(endpoint: WebhookEndpoint): Webhook {
  const { failingSince, disabledAt } = endpoint;
  const isFailing = failingSince !== undefined && disabledAt === undefined;
  return {
    id: endpoint.endpointId,
    url: endpoint.url,
    events: endpoint.events,
    description: endpoint.description,
    status: disabledAt !== undefined ? 'disabled' : isFailing ? 'failing' : 'enabled',
    disabledAt: disabledAt ?? null,
    disabledReason: endpoint.disabledReason ?? null,
    failingSince: failingSince ?? null,
    disablesAt: isFailing ? new Date(failingSince.getTime() + FAILING_DAYS * DAY_MS) : null,
    lastError: endpoint.lastError ?? null,
    lastSuccessAt: endpoint.lastSuccessAt ?? null,
    overlapUntil: endpoint.overlapUntil ?? null,
    createdAt: endpoint.createdAt,
  };
}

function deliveryOf(attempt: WebhookAttempt): Delivery {
  const { attemptId: _number, httpStatus, error, nextAttemptAt, ...rest } = attempt;
  return { ...rest, httpStatus: httpStatus ?? null, error: error ?? null, nextAttemptAt: nextAttemptAt ?? null };
}
