import { exportFile, exportRows } from './exports.js';
import type { CallOptions, SendOptions } from './options.js';
import { type Pages, pagesOf } from './pages.js';
import type { Transport } from './transport.js';
import type {
  Batch,
  CancelBatchResult,
  CancelResult,
  ExportMessagesData,
  InboundData,
  InboundMessageList,
  Message,
  MessageOrder,
  MessageOrderList,
  MessageRedacted,
  MessagesData,
  QuoteBatchResult,
  QuoteResult,
  SendBatchRequest,
  SendBatchResult,
  SendRequest,
  SendResult,
} from './types.gen.js';

const LIST = '/v1/account/messages';
const EXPORT = `${LIST}/export`;

/** Sending, and what became of it. */
export class Messages {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Sends one message: charged and durable when the promise is fulfilled. */
  send(message: SendRequest, options?: SendOptions): Promise<SendResult> {
    return this.#send('send', message, options);
  }

  /** Sends several messages, all or none. */
  sendBatch(batch: SendBatchRequest, options?: SendOptions): Promise<SendBatchResult> {
    return this.#send('send-batch', batch, options);
  }

  /** Segments and price of a send or a batch; charges nothing. */
  quote(message: SendRequest, options?: CallOptions): Promise<QuoteResult>;
  quote(batch: SendBatchRequest, options?: CallOptions): Promise<QuoteBatchResult>;
  quote(body: SendRequest | SendBatchRequest, options?: CallOptions): Promise<QuoteResult | QuoteBatchResult> {
    return this.#transport.post('/v1/message/quote', body, options);
  }

  /** One message, with its segments and every status that it has had. */
  get(messageId: string, options?: CallOptions): Promise<Message> {
    return this.#transport.get(pathOf(messageId), options);
  }

  /** How many messages of a batch have each status. */
  getBatch(batchId: string, options?: CallOptions): Promise<Batch> {
    return this.#transport.get(batchPathOf(batchId), options);
  }

  /** Stops a message that no carrier has yet, and gives its charge back. Canceling it again answers the same. */
  cancel(messageId: string, options?: CallOptions): Promise<CancelResult> {
    return this.#transport.post(`${pathOf(messageId)}/cancel`, {}, options);
  }

  /** Removes the text and the number of a message, sent or received. One that is on its way is sent first. */
  redact(messageId: string, options?: CallOptions): Promise<MessageRedacted> {
    return this.#transport.post(`${pathOf(messageId)}/redact`, {}, options);
  }

  /** The same for each message of a batch that can be stopped. */
  cancelBatch(batchId: string, options?: CallOptions): Promise<CancelBatchResult> {
    return this.#transport.post(`${batchPathOf(batchId)}/cancel`, {}, options);
  }

  /** Messages, newest first, by filters. */
  list(query?: MessagesData['query'], options?: CallOptions): Pages<MessageOrderList> {
    return pagesOf(this.#transport, LIST, query, options);
  }

  /** Messages that handsets sent to you, newest first, by filters. */
  inbound(query?: InboundData['query'], options?: CallOptions): Pages<InboundMessageList> {
    return pagesOf(this.#transport, '/v1/message/inbound', query, options);
  }

  /** All messages that fit the filters, as a file: CSV unless `format` says otherwise. */
  export(query?: ExportMessagesData['query'], options?: CallOptions): AsyncIterable<Uint8Array> {
    return exportFile(this.#transport, EXPORT, query, options);
  }

  /** The same one by one: one request for all of them. */
  exportRows(
    query?: Omit<NonNullable<ExportMessagesData['query']>, 'format'>,
    options?: CallOptions,
  ): AsyncIterable<MessageOrder> {
    return exportRows(this.#transport, EXPORT, query, options);
  }

  #send<Result>(path: string, body: unknown, options: SendOptions = {}): Promise<Result> {
    // Made once for the call: every attempt has the same one. Also without retries, so that the error can name it.
    const idempotencyKey = options.idempotencyKey ?? crypto.randomUUID();
    return this.#transport.json({ method: 'POST', path: `/v1/message/${path}`, body, idempotencyKey }, options);
  }
}

function pathOf(messageId: string): string {
  return `/v1/message/${encodeURIComponent(messageId)}`;
}

function batchPathOf(batchId: string): string {
  return `/v1/message/batch/${encodeURIComponent(batchId)}`;
}
