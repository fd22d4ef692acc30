import { createWriteStream, type WriteStream } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { atRate } from '../../harness/pace.js';
import { SeededRandom } from '../../harness/seeded-random.js';
import type { HistoryRecord } from '../history/history.js';
import { attempts, connections, type Sender } from './attempt.js';
import { cancel } from './cancel.js';
import { type PlannedSend, SendPlan } from './plan-sends.js';

/** What the load is to be. */
export interface LoadJob {
  readonly seed: number;
  readonly sendsPerSecond: number;
  /** Ports of the gateways; each is a base URL of the client. */
  readonly ports: readonly number[];
  readonly accounts: readonly { readonly accountId: string; readonly apiKey: string }[];
  /** Whether some sends are to go out later, or are canceled: an earlier version may know neither. */
  readonly hasWishes: boolean;
  /** Where the history goes, as JSON lines. */
  readonly historyFile: string;
}

const TICK_MS = 10;
/** With so many sends under way the client makes no new one, so that it does not run out of memory. */
const OPEN_SENDS_MAX = 3_000;
const RETRY_FIRST_MS = 100;
const RETRY_MAX_MS = 2_000;

/**
 * A careful client: every logical send has an Idempotency-Key of its own, goes to the next base URL when one cannot be
 * reached or asks to wait, and is asked again with the same key until it is answered. It writes down all of it.
 */
export class LoadClient {
  private readonly plan: SendPlan;
  private readonly random: SeededRandom;
  private readonly file: WriteStream;
  private readonly open = new Set<Promise<void>>();
  private isFinishing = false;
  private giveUpAtMs = Number.POSITIVE_INFINITY;
  private stopPace: () => void = () => undefined;

  constructor(
    private readonly job: LoadJob,
    private readonly onAccepted: () => void,
  ) {
    this.plan = new SendPlan(job.seed, job.accounts.length, job.ports.length, job.hasWishes);
    this.random = SeededRandom.of(job.seed, 'retries');
    this.file = createWriteStream(job.historyFile, { flags: 'a', mode: 0o600 });
  }

  start(): void {
    this.stopPace = atRate(
      this.job.sendsPerSecond,
      () => {
        if (this.open.size < OPEN_SENDS_MAX) this.begin(this.plan.next());
      },
      TICK_MS,
    );
  }

  /** Makes no new sends, and resolves when every one is answered or the time is over. */
  async finish(resolveMs: number): Promise<void> {
    this.isFinishing = true;
    this.giveUpAtMs = performance.now() + resolveMs;
    this.stopPace();
    while (this.open.size > 0) await Promise.all(this.open);
    await new Promise<void>((closed) => this.file.end(closed));
    connections.destroy();
  }

  private begin(planned: PlannedSend): void {
    const work = this.see(planned).finally(() => this.open.delete(work));
    this.open.add(work);
  }

  private async see(planned: PlannedSend): Promise<void> {
    const { seed, ports, accounts } = this.job;
    const account = accounts[planned.account];
    if (account === undefined) throw new Error(`no account ${planned.account}`);
    const sender: Sender = {
      ...account,
      ports,
      write: (record: HistoryRecord) => this.file.write(`${JSON.stringify(record)}\n`),
    };
    let waitMs = RETRY_FIRST_MS;
    let count = 0;
    for await (const end of attempts(sender, planned, `faults-${seed}-${planned.send}`)) {
      count += 1;
      if (end.outcome === 'ok') {
        this.onAccepted();
        await this.cancel(sender, planned, end.ids?.[0]);
        return;
      }
      if (end.outcome === 'refused' && end.status !== 503 && end.status !== 429) return;
      if (performance.now() > this.giveUpAtMs) return;
      // The next base URL is tried at once; only when all have been, the client waits.
      if (count % ports.length !== 0 && end.outcome !== 'unknown') continue;
      await delay(waitMs * (0.5 + this.random.next() / 2));
      waitMs = this.isFinishing ? RETRY_FIRST_MS * 5 : Math.min(waitMs * 2, RETRY_MAX_MS);
    }
  }

  private async cancel(sender: Sender, { send, cancelInMs }: PlannedSend, id: string | undefined): Promise<void> {
    if (cancelInMs === undefined || id === undefined) return;
    await delay(cancelInMs);
    await cancel(sender, send, id, () => this.giveUpAtMs);
  }
}
