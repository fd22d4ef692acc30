/** What the client needs of `fetch`: that of Node, Deno, Bun, browsers and undici fits, and so does one around it. */
export type Fetch = (url: string, init: FetchInit) => Promise<FetchAnswer>;

export interface FetchInit {
  method: string;
  headers: Record<string, string>;
  body?: string;
  signal: AbortSignal;
  /** The key goes to nobody but the service. */
  redirect: 'manual';
}

export interface FetchAnswer {
  readonly status: number;
  readonly headers: { get(name: string): string | null };
  readonly body: ByteStream | null;
  text(): Promise<string>;
}

export interface ByteStream {
  getReader(): {
    read(): Promise<{ done: boolean; value?: Uint8Array | undefined }>;
    cancel(reason?: unknown): Promise<void>;
  };
}

/** How long a call may take. */
export interface CallLimits {
  /** For each attempt, up to the whole answer; of an export up to each part of it. 30,000 when left out. */
  timeoutMs?: number | undefined;
  /** After a fault of the network, 408, 429 and 5xx. 3 when left out; 0 tries once. */
  maxRetries?: number | undefined;
  /** For all waits between the attempts of a call together. 60,000 when left out. */
  retryWaitMaxMs?: number | undefined;
}

export interface HeliographOptions extends CallLimits {
  /** Where the service is, e.g. `https://sms.example.com`. */
  baseUrl: string | URL;
  apiKey: string;
  /** Instead of the global one: for a proxy, for logs, for tests. */
  fetch?: Fetch | undefined;
}

export interface CallOptions extends CallLimits {
  /** Ends the call, also while it waits to try again. The call is rejected with the reason of the signal. */
  signal?: AbortSignal | undefined;
  /** Names the request in the logs of the service: letters, digits, dots, dashes and underscores, up to 128. */
  requestId?: string | undefined;
}

export interface SendOptions extends CallOptions {
  /**
   * Makes a repeat of the send safe: it is charged once, and answered as the first one was. A new one is made for each
   * call when left out. Give your own, e.g. the number of an order, to be safe when your program starts again, too.
   */
  idempotencyKey?: string | undefined;
}
