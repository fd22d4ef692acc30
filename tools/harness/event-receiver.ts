import { createWriteStream, type WriteStream } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { postJson } from './http.js';
import { listen } from './listen.js';

/** The statuses that a client is told of. */
export const HEARD_STATUSES = ['sent', 'delivered', 'undelivered', 'failed', 'unknown', 'canceled'] as const;

/** Each account hears at that address what becomes of its messages, and of what else is named. */
export async function hearEvents(port: number, apiKeys: readonly string[], url: string, ...others: readonly string[]) {
  const events = [...HEARD_STATUSES.map((heard) => `message.${heard}`), ...others];
  for (const apiKey of apiKeys) {
    const { status, text: said } = await postJson(port, '/v1/webhooks', { url, events }, apiKey);
    if (status !== 201) throw new Error(`no webhook for an account: ${status} ${said}`);
  }
}

/** What clients are told of by events. */
export interface HeardEvents {
  /**
   * Of messages: the id and the status, with a space between them, and the ids of the events that told of it. All
   * attempts of one event share its id.
   */
  readonly changes: ReadonlyMap<string, ReadonlySet<string>>;
  /** Of batches that are completed, by the id of the event, which its attempts share. */
  readonly batches: ReadonlyMap<string, { readonly batchId: string; readonly messages: number }>;
}

/** An event that came again after it had been answered as taken. */
interface Repeat {
  readonly id: string;
  /** When it came first, whether it was taken then or not. */
  readonly firstAtMs: number;
  /** When it had been taken before. */
  readonly takenAtMs: number;
}

interface EventData {
  readonly messageId?: string;
  readonly status?: string;
  readonly batchId?: string;
  readonly messages?: number;
}

/** A client's receiver of webhooks. It fails the first attempt of some events, as receivers do. */
export class EventReceiver implements HeardEvents {
  readonly changes = new Map<string, Set<string>>();
  readonly repeats: Repeat[] = [];
  readonly batches = new Map<string, { readonly batchId: string; readonly messages: number }>();
  private readonly firstAtMs = new Map<string, number>();
  private readonly takenAtMs = new Map<string, number>();
  private count = 0;

  private constructor(
    private readonly server: Server,
    readonly url: string,
    private readonly file: WriteStream,
    private readonly failEvery: number,
  ) {
    server.on('request', (request, response) => void this.take(request, response).catch(() => response.destroy()));
  }

  /** @param failEvery of so many new events the first attempt of one fails */
  static async start(file: string, failEvery: number): Promise<EventReceiver> {
    const server = createServer({ keepAliveTimeout: 60_000 });
    const url = `http://127.0.0.1:${await listen(server)}/events`;
    return new EventReceiver(server, url, createWriteStream(file, { mode: 0o600 }), failEvery);
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    this.server.close();
    await new Promise<void>((closed) => this.file.end(closed));
  }

  private async take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await text(request);
    const id = String(request.headers['webhook-id']);
    const atMs = Date.now();
    const firstAtMs = this.firstAtMs.get(id) ?? atMs;
    if (!this.firstAtMs.has(id)) {
      this.firstAtMs.set(id, atMs);
      if (++this.count % this.failEvery === 0) {
        response.writeHead(503).end();
        return;
      }
    }
    const takenAtMs = this.takenAtMs.get(id);
    if (takenAtMs !== undefined) this.repeats.push({ id, firstAtMs, takenAtMs });
    this.takenAtMs.set(id, atMs);
    this.file.write(`${JSON.stringify({ atMs, id })} ${body}\n`);
    const { messageId, status, batchId, messages } = (JSON.parse(body) as { data: EventData }).data;
    if (batchId !== undefined && messages !== undefined) this.batches.set(id, { batchId, messages });
    if (messageId !== undefined && status !== undefined) this.tell(`${messageId} ${status}`, id);
    response.writeHead(204).end();
  }

  private tell(change: string, id: string): void {
    const ids = this.changes.get(change);
    if (ids === undefined) this.changes.set(change, new Set([id]));
    else ids.add(id);
  }
}
