import type { CallOptions } from './options.js';
import { type Pages, pagesOf } from './pages.js';
import type { Transport } from './transport.js';
import type {
  ChangeWebhookRequest,
  CreateWebhookRequest,
  DeliveryList,
  EnableWebhookRequest,
  ListDeliveriesData,
  Removed,
  ReplayRequest,
  Requested,
  RotateSecretRequest,
  Webhook,
  WebhookList,
  WebhookWithSecret,
} from './types.gen.js';

const PATH = '/v1/webhooks';

/** Where the service tells what happens. They need a key with the scope `manage`. `verifyWebhook` is the other side. */
export class Webhooks {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** All webhooks, oldest first; disabled ones as well. */
  list(options?: CallOptions): Promise<WebhookList> {
    return this.#transport.get(PATH, options);
  }

  get(id: string, options?: CallOptions): Promise<Webhook> {
    return this.#transport.get(pathOf(id), options);
  }

  /** The answer has the secret, which is shown only now. */
  create(webhook: CreateWebhookRequest, options?: CallOptions): Promise<WebhookWithSecret> {
    return this.#transport.json({ method: 'POST', path: PATH, body: webhook, isRepeatable: false }, options);
  }

  /** What is left out stays. */
  change(id: string, body: ChangeWebhookRequest, options?: CallOptions): Promise<Webhook> {
    return this.#transport.json({ method: 'PATCH', path: pathOf(id), body }, options);
  }

  /** With everything that waits for it. */
  delete(id: string, options?: CallOptions): Promise<Removed> {
    return this.#transport.json({ method: 'DELETE', path: pathOf(id) }, options);
  }

  /** Replaces the secret. Both sign for `overlapSeconds`. */
  rotate(id: string, body: RotateSecretRequest = {}, options?: CallOptions): Promise<WebhookWithSecret> {
    return this.#once(id, 'rotate', body, options);
  }

  disable(id: string, options?: CallOptions): Promise<Webhook> {
    return this.#transport.post(`${pathOf(id)}/disable`, {}, options);
  }

  /** Also one that the service has disabled. */
  enable(id: string, body: EnableWebhookRequest = {}, options?: CallOptions): Promise<Webhook> {
    return this.#transport.post(`${pathOf(id)}/enable`, body, options);
  }

  /** Sends an event of the type `webhook.test`. */
  test(id: string, options?: CallOptions): Promise<Requested> {
    return this.#once(id, 'test', {}, options);
  }

  /** Sends one event again, or all of a time. */
  replay(id: string, body: ReplayRequest, options?: CallOptions): Promise<Requested> {
    return this.#once(id, 'replay', body, options);
  }

  /** Failed attempts, successes after them, and those of tests and of events replayed by their id, newest first. */
  deliveries(id: string, query?: ListDeliveriesData['query'], options?: CallOptions): Pages<DeliveryList> {
    return pagesOf(this.#transport, `${pathOf(id)}/deliveries`, query, options);
  }

  #once<Answer>(id: string, verb: string, body: unknown, options?: CallOptions): Promise<Answer> {
    const call = { method: 'POST', path: `${pathOf(id)}/${verb}`, body, isRepeatable: false } as const;
    return this.#transport.json(call, options);
  }
}

function pathOf(id: string): string {
  return `${PATH}/${encodeURIComponent(id)}`;
}
