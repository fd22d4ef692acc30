import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { pino } from 'pino';
import { loadConfig } from '#config';
import { addEndpoint, type Database, type EventType, type KeyManager } from '#persistence';
import { type RunningWebhooks, startWebhooks, type WebhookBounds } from '../../apps/webhooks/start-webhooks.js';
import { TEST_SECRETS_KEY } from './secrets.js';

/** One request that a receiver got. */
export interface ReceivedEvent {
  readonly id: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
  readonly event: { readonly type: string; readonly data: Readonly<Record<string, unknown>> };
  /** What it answered. */
  readonly status: number;
}

type Answer =
  | number
  | {
      readonly status: number;
      readonly headers?: Record<string, string>;
      /** It answers when this is over. */
      readonly until?: Promise<void>;
    };

/** A client's receiver on a real port of this machine. */
export class TestReceiver {
  readonly received: ReceivedEvent[] = [];
  /** What it answers to the next requests. */
  answer: Answer | ((event: ReceivedEvent) => Answer) = 200;

  private constructor(private readonly server: Server) {
    server.on('request', (request: IncomingMessage, response: ServerResponse) => void this.take(request, response));
  }

  static async start(port = 0, host = '127.0.0.1'): Promise<TestReceiver> {
    const server = createServer({ keepAliveTimeout: 60_000 });
    const receiver = new TestReceiver(server);
    server.listen(port, host);
    await once(server, 'listening');
    return receiver;
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}/events`;
  }

  /** The events that were answered with a success, by their ids, in order. */
  get taken(): readonly string[] {
    return this.received.filter(({ status }) => status < 300).map(({ id }) => id);
  }

  close(): Promise<void> {
    this.server.closeAllConnections();
    return new Promise((closed) => this.server.close(() => closed()));
  }

  private async take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const body = Buffer.concat(chunks).toString();
    const got = { id: String(request.headers['webhook-id']), headers: request.headers, body, event: JSON.parse(body) };
    const answer = typeof this.answer === 'function' ? this.answer({ ...got, status: 0 }) : this.answer;
    const { status, headers = {}, until } = typeof answer === 'number' ? { status: answer } : answer;
    await until;
    this.received.push({ ...got, status });
    response.writeHead(status, headers).end();
  }
}

/** The owner of an account, by its first key. */
export async function managerOf(database: Database, accountId: string): Promise<KeyManager> {
  const [key] = await database.query<{ key_id: string }>('select key_id from api_key where account_id = $1', [
    accountId,
  ]);
  return { accountId, keyId: key?.key_id ?? '', actor: { operator: 'spec' } };
}

/** A webhook of an account; returns its id and its secret. */
export async function webhookTo(
  database: Database,
  accountId: string,
  url: string,
  events: readonly EventType[],
): Promise<{ readonly endpointId: string; readonly secret: string }> {
  const manager = await managerOf(database, accountId);
  const { endpoint, secret } = await addEndpoint(database, { url, events, description: '' }, manager);
  return { endpointId: endpoint.endpointId, secret };
}

export function webhookSettings(databaseUrl: string): Readonly<Record<string, string>> {
  return {
    DATABASE_URL: databaseUrl,
    DATABASE_POOL_SIZE: '4',
    SECRETS_KEY: TEST_SECRETS_KEY,
    WEBHOOK_ALLOW_NETWORKS: '127.0.0.0/8',
    WEBHOOKS_METRICS_PORT: '0',
    SHUTDOWN_NOTICE_MS: '0',
    SHUTDOWN_GRACE_MS: '5000',
    LOG_LEVEL: 'silent',
  };
}

/** A deliverer in this process. */
export function startTestWebhooks(databaseUrl: string, bounds: WebhookBounds = {}): Promise<RunningWebhooks> {
  return startWebhooks(loadConfig(webhookSettings(databaseUrl)), pino({ level: 'silent' }), bounds);
}
