import type { InboundMessage, Message, Webhook } from './types.gen.js';

type MessageEventType = Exclude<Extract<Webhook['events'][number], `message.${string}`>, 'message.received'>;

/** What an event tells of a message, as of its time: neither the text nor the number. */
export interface MessageEventData {
  readonly messageId: string;
  readonly reference: string | null;
  readonly tag: string | null;
  readonly status: Message['status'];
  /** Why it ended other than as delivered. */
  readonly reason: Message['reason'];
  readonly carrierCode: string | null;
  /** Grows with each status of a message: drop an event with a lower one than you have seen. */
  readonly sequence: number;
  /** Null, as `amount` and `currency`, once the message is no longer kept. */
  readonly segments: number | null;
  readonly amount: number | null;
  readonly currency: string | null;
  /** Of test mode. */
  readonly test: boolean;
}

/** A message has a new status. */
export interface MessageStatusEvent {
  readonly type: MessageEventType;
  /** When it happened (ISO 8601). */
  readonly timestamp: string;
  readonly data: MessageEventData;
}

/** A handset has sent a message to you. */
export interface MessageReceivedEvent {
  readonly type: 'message.received';
  readonly timestamp: string;
  readonly data: {
    readonly inboundId: string;
    /** Who wrote it. Null, as what follows, once the message is no longer kept. */
    readonly sender: string | null;
    /** Your number or sender. */
    readonly recipient: string | null;
    /** Its text, at most 3,000 characters; `messages.inbound()` has all of it. */
    readonly message: string | null;
    /** `stop` and `start` have changed your suppression list. */
    readonly keyword: InboundMessage['keyword'];
    /** The message that it answers. */
    readonly inReplyTo: string | null;
    /** Parts of a long message that did not come. */
    readonly missingParts: number;
    readonly receivedAt: string | null;
    readonly test: boolean;
  };
}

/** All messages of a batch have ended. */
export interface BatchCompletedEvent {
  readonly type: 'batch.completed';
  readonly timestamp: string;
  readonly data: {
    readonly batchId: string;
    /** How many the batch had. */
    readonly messages: number;
    /** A report that comes later may still change `unknown` and `undelivered`. */
    readonly byStatus: Readonly<Record<'delivered' | 'undelivered' | 'failed' | 'unknown' | 'canceled', number>>;
    /** What they cost together. */
    readonly amount: number;
    readonly currency: string;
    readonly test: boolean;
  };
}

/** Accepted messages have taken the balance below the threshold of `account.setBalanceAlert()`. */
export interface BalanceLowEvent {
  readonly type: 'balance.low';
  readonly timestamp: string;
  readonly data: {
    readonly balance: number;
    readonly threshold: number;
    readonly currency: string;
    readonly test: boolean;
  };
}

/** Asked for by `webhooks.test()`. */
export interface WebhookTestEvent {
  readonly type: 'webhook.test';
  readonly timestamp: string;
  readonly data: { readonly webhookId: string; readonly test: boolean };
}

/** What a webhook tells. `type` says which it is. Pass over types that you do not know: newer services have more. */
export type WebhookEvent =
  | MessageStatusEvent
  | MessageReceivedEvent
  | BatchCompletedEvent
  | BalanceLowEvent
  | WebhookTestEvent;
