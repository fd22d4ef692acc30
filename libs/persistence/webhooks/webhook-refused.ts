import { OperatorError } from '../operators/operator-error.js';

export type WebhookRefusal =
  | 'no_such_webhook'
  | 'too_many_webhooks'
  /** There is no key to encrypt its secret with. */
  | 'no_secrets_key'
  /** The account has no such event, or it is not kept any more. */
  | 'no_such_event'
  | 'webhook_disabled';

/** A change of webhooks that cannot be made; nothing was changed. */
export class WebhookRefused extends OperatorError {
  constructor(
    readonly refusal: WebhookRefusal,
    reason: string,
  ) {
    super(reason, refusal === 'no_such_webhook' || refusal === 'no_such_event' ? 'missing' : 'refused');
  }
}

export function noSuchWebhook(endpointId: string): WebhookRefused {
  return new WebhookRefused('no_such_webhook', `there is no webhook ${endpointId}`);
}
