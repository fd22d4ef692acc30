import type { BatchOptions, PostBatch } from '../batch/batch-sending.js';
import { api } from '../session/api.js';
import type { AskQuote } from './ask-prices.js';

/** The body of a send of one or several messages, or of its quote. */
export interface MessageBody extends BatchOptions {
  readonly recipients: readonly string[];
  readonly message: string;
}

export interface Quoted {
  readonly segments: number;
  readonly price: number;
  readonly currency: string;
}

/** What was accepted. */
export interface Sent {
  readonly messages: readonly { readonly messageId: string; readonly recipient: string }[];
  readonly charged: string;
  readonly currency: string;
}

interface BatchReply {
  readonly balanceDeduction: string;
  readonly currency: string;
  readonly orderSummary: readonly { readonly messageId: string; readonly recipient: string; readonly amount: number }[];
}

export const askQuote: AskQuote = (body) => api.request('/v1/message/quote', { method: 'POST', body });

export const postBatch: PostBatch = (body, key) =>
  api.request('/v1/message/send-batch', { method: 'POST', body, headers: { 'idempotency-key': key } });

/** The price of exactly what `sendMessages` would send. */
export const quoteMessages = (body: MessageBody): Promise<Quoted> =>
  api.request('/v1/message/quote', { method: 'POST', body: batchOf(body) });

/** Sends one text to one or several recipients, all or none. */
export async function sendMessages(body: MessageBody, key: string): Promise<Sent> {
  const reply = await api.request<BatchReply>('/v1/message/send-batch', {
    method: 'POST',
    body: batchOf(body),
    headers: { 'idempotency-key': key },
  });
  return { messages: reply.orderSummary, charged: reply.balanceDeduction, currency: reply.currency };
}

function batchOf({ recipients, message, ...options }: MessageBody): object {
  return { ...options, messages: recipients.map((recipient) => ({ recipient, message })) };
}
