import pg from 'pg';
import type { Queryable } from './database.js';

/** What an operator changed; processes drop what they had cached of it. */
export type ChangedThing = 'accounts' | 'tariffs' | 'carriers';

const CHANNEL = 'heliograph_changes';
const RECONNECT_AFTER_MS = 1_000;

/** Tells every process, when the transaction commits. */
export async function announceChange(transaction: Queryable, thing: ChangedThing): Promise<void> {
  await transaction.query('select pg_notify($1, $2)', [CHANNEL, thing]);
}

/**
 * Hears of changes at once. It is a shortcut only: whoever caches also lets its entries expire within seconds, because a
 * notice can be missed while the connection is away.
 */
export class ChangeListener {
  private client: pg.Client | undefined;
  private retryTimer: NodeJS.Timeout | undefined;
  private isClosed = false;

  constructor(
    private readonly url: string,
    private readonly onChange: (thing: ChangedThing | 'unknown') => void,
  ) {}

  start(): void {
    void this.connect();
  }

  async close(): Promise<void> {
    this.isClosed = true;
    clearTimeout(this.retryTimer);
    await this.client?.end().catch(() => undefined);
  }

  private async connect(): Promise<void> {
    const client = new pg.Client({
      connectionString: this.url,
      application_name: 'heliograph-changes',
      connectionTimeoutMillis: 5_000,
      keepAlive: true,
    });
    this.client = client;
    client.on('notification', ({ payload }) => this.onChange(isChangedThing(payload) ? payload : 'unknown'));
    client.on('error', () => this.reconnectLater(client));
    client.on('end', () => this.reconnectLater(client));
    try {
      await client.connect();
      await client.query(`listen ${CHANNEL}`);
      // What was announced while nobody listened is not known, so everything is taken as changed.
      this.onChange('unknown');
    } catch {
      this.reconnectLater(client);
    }
  }

  private reconnectLater(client: pg.Client): void {
    if (this.isClosed || client !== this.client) return;
    this.client = undefined;
    void client.end().catch(() => undefined);
    clearTimeout(this.retryTimer);
    this.retryTimer = setTimeout(() => void this.connect(), RECONNECT_AFTER_MS);
  }
}

function isChangedThing(payload: string | undefined): payload is ChangedThing {
  return payload === 'accounts' || payload === 'tariffs' || payload === 'carriers';
}
