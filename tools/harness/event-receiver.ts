import { once } from 'node:events';
import { createWriteStream, type WriteStream } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** What an event says of a message. */
export interface HeardChange {
  readonly messageId: string;
  readonly status: string;
}

/** What an event says of a batch that is completed. */
export interface HeardBatch {
  /** The id of the event: attempts of one event share it. */
  readonly eventId: string;
  readonly batchId: string;
  readonly messages: number;
}

interface EventBody {
  readonly type: string;
  readonly data: Partial<HeardChange & HeardBatch>;
}

/** A client's receiver of webhooks. It fails the first attempt of some events, as receivers do. */
export class EventReceiver {
  /** The changes that it has taken, each once, by message and status. */
  readonly changes = new Map<string, HeardChange>();
  /** The events of completed batches that it has taken, by their ids. */
  readonly batches = new Map<string, HeardBatch>();
  /** Events that it was given again after it had taken them. */
  repeats = 0;
  private readonly taken = new Set<string>();
  private readonly failed = new Set<string>();
  private count = 0;

  private constructor(
    private readonly server: Server,
    private readonly file: WriteStream,
    private readonly failEvery: number,
  ) {
    server.on('request', (request, response) => void this.take(request, response).catch(() => response.destroy()));
  }

  /** @param failEvery of so many new events the first attempt of one fails */
  static async start(file: string, failEvery: number): Promise<EventReceiver> {
    const server = createServer({ keepAliveTimeout: 60_000 });
    const receiver = new EventReceiver(server, createWriteStream(file, { mode: 0o600 }), failEvery);
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return receiver;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}/events`;
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    this.server.close();
    await new Promise<void>((closed) => this.file.end(closed));
  }

  private async take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const text = Buffer.concat(chunks).toString();
    const id = String(request.headers['webhook-id']);
    const isNew = !this.taken.has(id) && !this.failed.has(id);
    if (isNew && ++this.count % this.failEvery === 0) {
      this.failed.add(id);
      response.writeHead(503).end();
      return;
    }
    if (this.taken.has(id)) this.repeats += 1;
    this.taken.add(id);
    this.file.write(`${JSON.stringify({ atMs: Date.now(), id })} ${text}\n`);
    const { messageId, status, batchId, messages } = (JSON.parse(text) as EventBody).data;
    if (batchId !== undefined && messages !== undefined) this.batches.set(id, { eventId: id, batchId, messages });
    if (messageId !== undefined && status !== undefined) {
      this.changes.set(`${messageId} ${status}`, { messageId, status });
    }
    response.writeHead(204).end();
  }
}
