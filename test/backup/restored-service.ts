import { expect } from '@jest/globals';
import { pino } from 'pino';
import { loadConfig } from '#config';
import { Database } from '#persistence';
import type { RunningSimulator } from '../../apps/carrier-simulator/simulator.js';
import { type RunningGateway, startGateway } from '../../apps/gateway/start-gateway.js';
import { type RunningWorker, startWorker } from '../../apps/worker/start-worker.js';
import { type Run, runSmsctl } from '../smsctl/run-smsctl.js';
import { copyDatabase } from '../support/copy-database.js';
import type { TestDatabase } from '../support/database.js';
import { eventually } from '../support/eventually.js';
import { openQueue } from '../support/queue.js';
import { openTestDatabase } from '../support/secrets.js';
import type { TestService } from '../support/service.js';
import { expectCleanLedger } from '../support/test-ledger.js';

/** What the log of a process of the restored service says. */
export interface LogLine {
  readonly msg: string;
  readonly change?: string;
}

/** The same service on a copy of its database, taken at one moment: what an operator has after a restore. */
export class RestoredService {
  readonly logLines: LogLine[] = [];
  private readonly workers: RunningWorker[] = [];
  private gateway: RunningGateway | undefined;

  private constructor(
    private readonly store: TestDatabase,
    readonly settings: Readonly<Record<string, string>>,
    readonly database: Database,
    private readonly simulator: RunningSimulator,
  ) {}

  /** Copies the database of a service; nothing runs on the copy yet. */
  static async copyOf(service: TestService, settings: Readonly<Record<string, string>> = {}): Promise<RestoredService> {
    const store = await copyDatabase(service.settings.DATABASE_URL ?? '');
    const database = await openTestDatabase(store.url, 4);
    const all = { ...service.settings, DATABASE_URL: store.url, ...settings };
    return new RestoredService(store, all, database, service.simulator);
  }

  async startWorker(): Promise<RunningWorker> {
    const write = (line: string) => this.logLines.push(JSON.parse(line) as LogLine);
    const worker = await startWorker(loadConfig(this.settings), pino({ level: 'warn' }, { write }));
    this.workers.push(worker);
    return worker;
  }

  /** The warnings that a restore was noticed. */
  get notices(): LogLine[] {
    return this.logLines.filter(({ change }) => change !== undefined);
  }

  /** Sends one message by the API of the restored service. */
  async send(apiKey: string, recipient: string): Promise<string> {
    this.gateway ??= await startGateway(loadConfig(this.settings), pino({ level: 'silent' }));
    const answer = await fetch(`http://127.0.0.1:${this.gateway.port}/v1/message/send`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-authorization': apiKey },
      body: JSON.stringify({ recipient, message: 'after the restore' }),
    });
    const body = (await answer.json()) as { messageId: string };
    if (answer.status !== 201) throw new Error(`answered ${answer.status}: ${JSON.stringify(body)}`);
    return body.messageId;
  }

  async readiness(): Promise<Record<string, string>> {
    const answer = await fetch(`http://127.0.0.1:${this.gateway?.port}/readyz`);
    return (await answer.json()) as Record<string, string>;
  }

  /** Runs `smsctl ... --json` on the restored database and hands back what it printed. */
  async smsctl<Answer>(...args: string[]): Promise<Answer> {
    const run = await this.run(...args, '--json');
    if (run.code !== 0) throw new Error(run.stderr);
    return JSON.parse(run.stdout) as Answer;
  }

  run(...args: string[]): Promise<Run> {
    return runSmsctl(args, { DATABASE_URL: this.settings.DATABASE_URL ?? '' }, { isWarm: true });
  }

  async statuses(ids: readonly string[]): Promise<Record<string, number>> {
    const rows = await this.database.query<{ state: string; n: number }>(
      'select state, count(*)::integer as n from message_order where id = any($1::uuid[]) group by state',
      [ids],
    );
    return Object.fromEntries(rows.map(({ state, n }) => [state, n]));
  }

  async untilStatuses(ids: readonly string[], wanted: Readonly<Record<string, number>>): Promise<void> {
    await eventually(
      async () => {
        const counts = await this.statuses(ids);
        if (Object.keys({ ...counts, ...wanted }).some((state) => counts[state] !== wanted[state])) {
          throw new Error(`expected ${JSON.stringify(wanted)}, there are ${JSON.stringify(counts)}`);
        }
      },
      { intervalMs: 100 },
    );
  }

  /**
   * Waits until the reconciler has looked at every order twice, the second time with nothing in doubt for which it
   * would still wait, and the queue has nothing to do: what was not sent by then is not sent.
   */
  async untilSettled(): Promise<void> {
    const { queues, close } = await openQueue({ ...this.settings });
    for (let look = 0; look < 2; look += 1) {
      await this.database.query(
        `update segment set in_doubt_since = in_doubt_since - interval '1 minute' where in_doubt_since is not null`,
      );
      await this.database.query(`update message_order set due_at = now() where due_at is not null`);
      await eventually(
        async () => {
          const [row] = await this.database.query<{ due: number }>(
            'select count(*)::integer as due from message_order where due_at <= now()',
          );
          return row?.due === 0;
        },
        { intervalMs: 50 },
      );
      await eventually(async () =>
        expect(await queues.depthOf('simulator')).toEqual({ interactive: 0, bulk: 0, delayed: 0, active: 0 }),
      );
    }
    await close();
  }

  get submitsTaken(): number {
    return this.simulator.records.submits.filter(({ isTaken }) => isTaken).length;
  }

  /** Ends what runs on the copy; fails when its ledger is not clean. */
  async close(): Promise<void> {
    try {
      for (const worker of this.workers.splice(0)) await worker.close();
      await this.gateway?.close();
      await expectCleanLedger(this.database);
    } finally {
      await this.database.close();
      await this.store.drop();
    }
  }
}
