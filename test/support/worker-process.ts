import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { SHORT_LIVED_NODE_FLAGS } from '../../scripts/process/short-lived-node-flags.js';
import { eventually } from './eventually.js';
import type { TestService } from './service.js';

const WORKER = fileURLToPath(new URL('../../apps/worker/main.js', import.meta.url));

/** What the log says of a rejection that no caller awaited (`libs/telemetry/run-process.ts`). */
const UNAWAITED = 'nobody waited for';

/**
 * A worker in a process of its own, as in production. `onComplaint` gets what it writes to stderr, and what it logs of
 * faults that nobody waited for.
 */
export function spawnWorker(running: TestService, onComplaint: (text: string) => void = () => undefined): ChildProcess {
  const { NODE_OPTIONS: _forJest, ...environment } = process.env;
  const child = spawn(process.execPath, [...SHORT_LIVED_NODE_FLAGS, WORKER], {
    env: { ...environment, ...running.settings },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  createInterface({ input: child.stdout }).on('line', (line) => {
    if (line.includes(UNAWAITED)) onComplaint(`${line}\n`);
  });
  child.stderr.setEncoding('utf8').on('data', onComplaint);
  return child;
}

/** Ends a process, if it has not ended yet; its exit code, null after a signal. */
export async function ended(child: ChildProcess, signal: NodeJS.Signals): Promise<number | null> {
  if (child.exitCode !== null || child.signalCode !== null) return child.exitCode;
  const exit = once(child, 'exit');
  child.kill(signal);
  await exit;
  return child.exitCode;
}

/**
 * As if a worker had been killed a minute ago: nobody has heard of it since, what it had asked of the database is done,
 * and its leases of binds are over. What its orders wait for is left as it is.
 */
export async function longDead({ database }: TestService, child: ChildProcess): Promise<void> {
  // PostgreSQL ends a statement whose client was killed. A claim that is committed later belongs to nobody who is
  // missed.
  const [killed] = await database.query<{ at: Date }>('select clock_timestamp() as at');
  await eventually(async () => {
    const running = await database.query(
      "select from pg_stat_activity where application_name = 'heliograph-worker' and state <> 'idle' and xact_start <= $1",
      [killed?.at],
    );
    return running.length === 0;
  });
  const ofChild = `worker-%-${child.pid}-%`;
  await database.query(
    "update process_heartbeat set seen_at = seen_at - interval '1 minute' where process_id like $1",
    [ofChild],
  );
  await database.query("update carrier_bind set lease_until = now() - interval '1 minute' where owner like $1", [
    ofChild,
  ]);
}

/** How long the workers have lived on since their last message, by their own reports. */
export async function idleSeconds({ database }: TestService): Promise<number> {
  const [row] = await database.query<{ seconds: number | null }>(
    `select extract(epoch from min(h.seen_at) - max(o.sent_at))::float8 as seconds
       from process_heartbeat h, message_order o where h.role = 'worker'`,
  );
  return row?.seconds ?? 0;
}
