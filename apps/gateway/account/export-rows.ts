import { Readable } from 'node:stream';
import { type BeforeApplicationShutdown, Inject, Injectable } from '@nestjs/common';
import { Overloaded } from '#batching';
import type { Config } from '#config';
import { csvHeader, csvLine } from '#operations';
import { depositsPage, FreshReads, findOrders, journalPage, type KeyHolder, type OrderFilters } from '#persistence';
import { exactJson } from '../http/exact-json.js';
import { rateLimited } from '../http/rate-limited.js';
import { Slices } from '../http/slices.js';
import { CONFIG } from '../injected.js';
import type { Deposit, LedgerEntry, MessageOrder } from './account.dto.js';
import type { ExportFormat } from './export-query.js';
import { depositItem, ledgerItem, messageItem } from './list-items.js';

/**
 * Rows that one statement reads: few at first, then more if they are short. Long texts take much memory. Many rows do
 * too: V8 moves rows that are not written within some milliseconds to the old part of its heap, which it cleans rarely.
 */
const SLICE_ROWS_FIRST = 100;
const SLICE_ROWS_MAX = 500;
const SLICE_CHARACTERS_MAX = 500_000;
/** The connection of a client that reads nothing for so long is closed. */
const STALLED_MS = 60_000;
const PER_ACCOUNT_MAX = 2;
const RETRY_AFTER_MS = 10_000;

interface Slice {
  readonly rows: readonly object[];
  readonly next: number | undefined;
}

/** The next rows below a number; undefined: the first ones. */
type ReadSlice = (before: number | undefined, limit: number) => Promise<Slice>;

interface Columns {
  readonly names: readonly string[];
  /** Those that clients and operators write themselves. */
  readonly free: ReadonlySet<string>;
}

const MESSAGES: Columns = {
  names: [
    'message_uuid',
    'recipient',
    'message',
    'amount',
    'currency',
    'external_status',
    'created_at',
    'segments',
    'encoding',
    'reason',
    'carrier_code',
    'sent_at',
    'final_at',
    'reference',
    'tag',
    'send_at',
  ] satisfies readonly (keyof MessageOrder)[],
  free: new Set(['message', 'reference', 'tag']),
};
const DEPOSITS: Columns = {
  names: [
    'amount',
    'currency',
    'created_at',
    'kind',
    'converted_amount',
    'converted_currency',
    'reference',
    'reason',
  ] satisfies readonly (keyof Deposit)[],
  free: new Set(['reference', 'reason']),
};
const LEDGER: Columns = {
  names: [
    'entry',
    'kind',
    'amount',
    'balance_change',
    'balance_after',
    'currency',
    'messages',
    'reason',
    'created_at',
  ] satisfies readonly (keyof LedgerEntry)[],
  free: new Set(['reason']),
};

/**
 * USE CASE: everything that an account has of one kind, newest first, as a stream. It holds no transaction and no
 * cursor of the database, because a slow client would keep those open: each slice is a short statement of its own. What
 * comes in after the start is not part of it.
 */
@Injectable()
export class ExportRows implements BeforeApplicationShutdown {
  /** The streams in flight, by account. */
  private readonly running = new Map<Readable, string>();
  private readonly streamsMax: number;

  constructor(
    private readonly reads: FreshReads,
    @Inject(CONFIG) config: Config,
  ) {
    this.streamsMax = Math.max(PER_ACCOUNT_MAX, config.DATABASE_POOL_SIZE >> 1);
  }

  messages({ accountId, currency }: KeyHolder, filters: OrderFilters, format: ExportFormat): Promise<Readable> {
    return this.stream(accountId, format, MESSAGES, async (before, limit) => {
      const wanted = { page: 1, limit, before };
      const { items, next } = await this.reads.read((database) => findOrders(database, accountId, wanted, filters));
      return { rows: items.map((item) => messageItem(item, currency)), next };
    });
  }

  deposits({ accountId, currency }: KeyHolder, format: ExportFormat): Promise<Readable> {
    return this.stream(accountId, format, DEPOSITS, async (before, limit) => {
      const wanted = { page: 1, limit, before };
      const { items, next } = await this.reads.read((database) => depositsPage(database, accountId, wanted));
      return { rows: items.map((item) => depositItem(item, currency)), next };
    });
  }

  ledger({ accountId, currency }: KeyHolder, format: ExportFormat): Promise<Readable> {
    return this.stream(accountId, format, LEDGER, async (before, limit) => {
      const wanted = { page: 1, limit, before };
      const { items, next } = await this.reads.read((database) => journalPage(database, accountId, wanted));
      return { rows: items.map((item) => ledgerItem(item, currency)), next };
    });
  }

  /** A connection that is cut shows the client that its file is not whole. */
  beforeApplicationShutdown(): void {
    for (const stream of this.running.keys()) stream.destroy(new Error('the gateway stops'));
  }

  /** @throws when the first slice cannot be read, so that the client gets a problem document, not a broken file */
  private async stream(accountId: string, format: ExportFormat, columns: Columns, read: ReadSlice): Promise<Readable> {
    this.refuseTooMany(accountId);
    const first = read(undefined, SLICE_ROWS_FIRST);
    const stream: Readable = Readable.from(pieces(first, format, columns, read, () => stream.destroy(stalled())));
    this.running.set(stream, accountId);
    stream.once('close', () => this.running.delete(stream));
    try {
      await first;
      return stream;
    } catch (error) {
      stream.destroy();
      throw error;
    }
  }

  private refuseTooMany(accountId: string): void {
    const own = [...this.running.values()].filter((owner) => owner === accountId).length;
    if (own >= PER_ACCOUNT_MAX) {
      const policy = { perSecond: PER_ACCOUNT_MAX, burst: PER_ACCOUNT_MAX };
      throw rateLimited(`This account has ${own} exports under way.`, 'exports', policy, RETRY_AFTER_MS);
    }
    if (this.running.size >= this.streamsMax) throw new Overloaded(RETRY_AFTER_MS / 1_000);
  }
}

function stalled(): Error {
  return new Error('the client has taken nothing of its export for a minute');
}

/**
 * The text of all rows, in pieces. Each piece is made in a slice of time, and other requests are served in between.
 * While rows are written, the database reads the next ones, but no more than those.
 */
async function* pieces(
  first: Promise<Slice>,
  format: ExportFormat,
  { names, free }: Columns,
  read: ReadSlice,
  giveUp: () => void,
): AsyncGenerator<string> {
  const slices = new Slices();
  let text = format === 'csv' ? csvHeader(names) : '';
  let limit = SLICE_ROWS_FIRST;
  let characters = 0;
  for (let reading: Promise<Slice> | undefined = first; reading !== undefined; ) {
    const slice: Slice = await reading;
    limit = nextLimit(limit, characters);
    reading = slice.next === undefined ? undefined : read(slice.next, limit);
    // It is awaited in the next turn, if the client is still there then.
    reading?.catch(() => undefined);
    characters = 0;
    for (const row of slice.rows) {
      const line = format === 'csv' ? csvLine(row, names, free) : `${exactJson(row)}\n`;
      characters += line.length;
      text += line;
      if (!slices.isOver) continue;
      yield* taken(text, giveUp);
      text = '';
      await slices.pause();
    }
  }
  if (text !== '') yield* taken(text, giveUp);
}

/** Hands a piece over, and gives the client up when it does not take it. */
async function* taken(text: string, giveUp: () => void): AsyncGenerator<string> {
  const stalled = setTimeout(giveUp, STALLED_MS);
  try {
    yield text;
  } finally {
    clearTimeout(stalled);
  }
}

function nextLimit(limit: number, characters: number): number {
  if (characters > SLICE_CHARACTERS_MAX) return Math.max(1, limit >> 1);
  return characters < SLICE_CHARACTERS_MAX >> 1 ? Math.min(SLICE_ROWS_MAX, limit * 2) : limit;
}
