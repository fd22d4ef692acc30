import { setTimeout as delay } from 'node:timers/promises';
import type pg from 'pg';
import { SeededRandom } from '../../harness/seeded-random.js';
import type { System } from '../../harness/system.js';
import type { Stage } from '../field.js';
import { attempt, connections } from '../load/attempt.js';
import type { LoadCounts } from '../load/load-client.js';
import type { PlannedSend } from '../load/plan-sends.js';

const BATCH_MESSAGES = 1_000;
/** Batches under way at a time. */
const SENDERS = 4;
const LONG_SHARE = 0.1;
/** Segments that are accepted and not at the carrier yet, at most: the load waits, nothing else does. */
const BACKLOG_MAX = 30_000;
const LOOK_EVERY_MS = 250;
const RETRY_MS = 500;
const BATCH_TIMEOUT_MS = 300_000;
const FIRST_LONG_TEXT_LENGTH = 170;

/**
 * Sends messages in batches, each with its own key until it is answered, and keeps name and id of each in the table
 * `faults.accepted`.
 *
 * @throws Error when a batch is refused, or not accepted in time
 */
export async function sendBatches(
  { system, accounts }: Stage,
  database: pg.Client,
  messages: number,
  seed: number,
  signal: AbortSignal,
): Promise<LoadCounts> {
  const random = SeededRandom.of(seed, 'batches');
  let batches = 0;
  let planned = 0;
  let attempts = 0;
  let segments = 0;
  // One connection runs one statement at a time.
  let kept: Promise<unknown> = Promise.resolve();
  const keep = (values: readonly unknown[]): Promise<unknown> => {
    kept = kept.then(() => database.query(ACCEPTED, [...values]));
    return kept;
  };
  const sender = async () => {
    while (planned < messages) {
      const size = Math.min(BATCH_MESSAGES, messages - planned);
      planned += size;
      const batch = batchOf(batches++, size, random);
      const account = accounts[batch.account % accounts.length];
      if (account === undefined) throw new Error('no account');
      const deadlineMs = performance.now() + BATCH_TIMEOUT_MS;
      for (let count = 1; ; count += 1) {
        signal.throwIfAborted();
        attempts += 1;
        const gateway = (batch.gateway + count) % system.gatewayPorts.length;
        const port = system.gatewayPorts[gateway] ?? 0;
        const end = await attempt(port, account.apiKey, `receipts-${seed}-${batch.send}`, batch);
        if (end.outcome === 'ok') {
          const names = batch.messages.map(({ name }) => name);
          await keep([names, end.ids, batch.messages.map((message) => message.segments)]);
          break;
        }
        const isOver = performance.now() > deadlineMs || (end.outcome === 'refused' && (end.status ?? 0) < 500);
        if (isOver) throw new Error(`batch ${batch.send} was not accepted: ${end.status} ${end.code}`);
        await delay(RETRY_MS, undefined, { signal });
      }
      segments += batch.messages.reduce((sum, message) => sum + message.segments, 0);
      await roomFor(system, () => segments, signal);
    }
  };
  try {
    await Promise.all(Array.from({ length: SENDERS }, sender));
  } finally {
    connections.destroy();
  }
  return { sends: batches, messages: planned, attempts, accepted: batches, unresolved: 0 };
}

function batchOf(send: number, size: number, random: SeededRandom): PlannedSend {
  const messages = Array.from({ length: size }, (_, entry) => ({
    name: `r${send}.${entry}`,
    recipient: `+491517${String(100_000 + random.between(0, 19_999))}`,
    segments: random.chance(LONG_SHARE) ? 2 : 1,
  }));
  return {
    send,
    account: random.between(0, 1_000),
    gateway: random.between(0, 1),
    isBatch: true,
    messages,
    texts: messages.map(({ name, segments }) => textOf(name, segments)),
  };
}

/** Every segment names its message whole at least once. */
function textOf(name: string, segments: number): string {
  const unit = `<${name}> all is well `;
  return segments === 1 ? unit : unit.repeat(Math.ceil((FIRST_LONG_TEXT_LENGTH + unit.length) / unit.length));
}

async function roomFor({ simulator }: System, segments: () => number, signal: AbortSignal): Promise<void> {
  for (;;) {
    signal.throwIfAborted();
    const { counters } = await simulator.state();
    if (segments() - counters.taken < BACKLOG_MAX) return;
    await delay(LOOK_EVERY_MS, undefined, { signal });
  }
}

const ACCEPTED = `
  insert into faults.accepted (name, id, segments)
  select * from unnest($1::text[], $2::uuid[], $3::smallint[])`;
