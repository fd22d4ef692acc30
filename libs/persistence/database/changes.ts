import pg from 'pg';
import type { Queryable } from './database.js';
import { isPooledClient } from './pooler.js';

/** What was changed; processes drop what they had cached of it. `keys` are those of one account. */
type ChangedThing = 'accounts' | 'tariffs' | 'carriers' | 'keys';

const CHANNEL = 'heliograph_changes';
const RECONNECT_AFTER_MS = 1_000;
/** Where nobody can listen, everything is taken as changed this often. */
const POLL_EVERY_MS = 2_000;

/** Tells every process, when the transaction commits. */
export async function announceChange(transaction: Queryable, thing: Exclude<ChangedThing, 'keys'>): Promise<void> {
  await transaction.query('select pg_notify($1, $2)', [CHANNEL, thing]);
}

/**
 * The same for the keys of one account. Its owner changes them, so a notice must not make processes forget what they
 * know of all others.
 */
export async function announceKeyChange(transaction: Queryable, accountId: string): Promise<void> {
  await transaction.query('select pg_notify($1, $2)', [CHANNEL, `keys ${accountId}`]);
}

/**
 * Hears of changes at once. It is a shortcut only: whoever caches also lets its entries expire within seconds, because
 * a notice can be missed while the connection is away. Behind a connection pooler nobody can listen; there everything
 * is taken as changed every two seconds.
 */
export class ChangeListener {
  private client: pg.Client | undefined;
  private retryTimer: NodeJS.Timeout | undefined;
  private pollTimer: NodeJS.Timeout | undefined;
  private isClosed = false;

  constructor(
    private readonly url: string,
    private readonly onChange: (thing: ChangedThing | 'unknown', accountId: string) => void,
  ) {}

  start(): void {
    void this.connect();
  }

  async close(): Promise<void> {
    this.isClosed = true;
    clearTimeout(this.retryTimer);
    clearInterval(this.pollTimer);
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
    client.on('notification', ({ payload = '' }) => {
      const [thing, accountId = ''] = payload.split(' ');
      this.onChange(isChangedThing(thing) ? thing : 'unknown', accountId);
    });
    client.on('error', () => this.reconnectLater(client));
    client.on('end', () => this.reconnectLater(client));
    try {
      await client.connect();
      if (await isPooledClient(client)) return this.poll(client);
      await client.query(`listen ${CHANNEL}`);
      // What was announced while nobody listened is not known, so everything is taken as changed.
      this.onChange('unknown', '');
    } catch {
      this.reconnectLater(client);
    }
  }

  private poll(client: pg.Client): void {
    this.client = undefined;
    void client.end().catch(() => undefined);
    if (this.isClosed) return;
    this.onChange('unknown', '');
    this.pollTimer = setInterval(() => this.onChange('unknown', ''), POLL_EVERY_MS);
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
  return payload === 'accounts' || payload === 'tariffs' || payload === 'carriers' || payload === 'keys';
}
