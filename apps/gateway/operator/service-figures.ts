import { Gauge, Registry } from 'prom-client';
import {
  backlogDepths,
  carrierState,
  type Database,
  findHold,
  heldCounts,
  listCarriers,
  liveProcesses,
  NOT_ROUTED,
  oldestWaiting,
  PROCESS_ROLES,
  readOpenWork,
  SANDBOX_CARRIER_ID,
  SANDBOX_CARRIER_NAME,
  scheduledCount,
  stateCounts,
  webhookLagSeconds,
} from '#persistence';
import type { DispatchQueues, QueueDepth } from '#queue';
import { KeptAnswer } from '#timing';
import { showDatabase } from './database-health.js';
import { showMoney } from './money-figures.js';
import { type ShowFigure, single, type Values } from './show-figure.js';

/**
 * How old the figures of a scrape may be: counting open messages costs time, and several scrapers may ask each gateway.
 */
const FRESH_FOR_MS = 5_000;

/**
 * The figures of the whole service, read from the database and the queue, not from this process. Every gateway answers
 * alike, so one of them is asked for all. `GatewayMetrics` has the metrics of this gateway.
 */
export class ServiceFigures {
  private readonly latest = new KeptAnswer(FRESH_FOR_MS, () => this.read());

  constructor(
    private readonly database: Database,
    private readonly queues: DispatchQueues,
  ) {}

  /**
   * At most five seconds old.
   *
   * @throws Error when the database cannot be read: unknown figures are not shown
   */
  latestFigures(): Promise<Registry> {
    return this.latest.get();
  }

  private async read(): Promise<Registry> {
    const registry = new Registry();
    const show: ShowFigure = (name, help, labelNames, values) => {
      const gauge = new Gauge({ name, help, labelNames, registers: [registry] });
      // A gauge without labels begins with 0, which is no figure.
      if (labelNames.length === 0) gauge.remove();
      for (const [labels, value] of values) gauge.set(labels, value);
    };
    await this.showOrders(show);
    await showMoney(this.database, show);
    await this.showQueue(show);
    await this.showCarriers(show);
    await this.showProcesses(show);
    await showDatabase(this.database, show);
    return registry;
  }

  private async showOrders(show: ShowFigure): Promise<void> {
    const states = await stateCounts(this.database);
    const open = new Map(OPEN_STATES.map((state) => [state as string, 0]));
    for (const { state, count } of states) open.set(state, count);
    open.set('scheduled', await scheduledCount(this.database));
    show(
      'heliograph_orders_open',
      'Messages that are not final, by state, of the 100,000 that are due first; without test messages.',
      ['state'],
      labelled('state', open),
    );
    const work = await readOpenWork(this.database);
    show(
      'heliograph_oldest_queued_seconds',
      'Age of the oldest message that may be sent and that no worker has claimed; 0 when there is none. Without test messages.',
      [],
      single(work.oldestQueuedSeconds ?? 0),
    );
    const { interactive, bulk } = await oldestWaiting(this.database);
    show(
      'heliograph_oldest_waiting_seconds',
      'Age of the oldest message in the backlogs that may be sent, by lane; 0 when there is none. Without test messages.',
      ['lane'],
      [
        [{ lane: 'interactive' }, interactive],
        [{ lane: 'bulk' }, bulk],
      ],
    );
    show(
      'heliograph_orders_overdue',
      'Messages that are overdue for the reconciler by more than a minute.',
      [],
      single(work.overdue),
    );
    show(
      'heliograph_segments_in_doubt',
      'Segments in doubt: nobody knows whether the carrier has them.',
      [],
      single(work.inDoubt),
    );
    show('heliograph_receipts_unmatched', 'Stored receipts that match no message.', [], single(work.unmatchedReceipts));
    const hold = await findHold(this.database);
    show(
      'heliograph_hold_active',
      '1 while a hold keeps back the messages that were open at a restore.',
      [],
      single(hold === undefined ? 0 : 1),
    );
    const held = hold === undefined ? [] : await heldCounts(this.database);
    show(
      'heliograph_orders_held',
      'Messages that the hold keeps back, by state.',
      ['state'],
      held.map(({ state, count }) => [{ state }, count]),
    );
  }

  /** Leaves out the figures of a queue that is away, because messages are accepted all the same. */
  private async showQueue(show: ShowFigure): Promise<void> {
    const carriers = await listCarriers(this.database);
    const depths = await Promise.all(carriers.map(({ name }) => this.queues.depthOf(name))).catch(() => undefined);
    const depth =
      depths &&
      (await this.queues
        .ping()
        .then(() => sumOf(depths))
        .catch(() => undefined));
    show('heliograph_queue_up', '1 while this gateway reaches the queue.', [], single(depth === undefined ? 0 : 1));
    show(
      'heliograph_queue_jobs',
      'Jobs on the queues, by state; a job holds up to 50 messages.',
      ['state'],
      depth === undefined
        ? []
        : [
            [{ state: 'interactive' }, depth.interactive],
            [{ state: 'bulk' }, depth.bulk],
            [{ state: 'delayed' }, depth.delayed],
            [{ state: 'active' }, depth.active],
          ],
    );
  }

  private async showCarriers(show: ShowFigure): Promise<void> {
    const carriers = await listCarriers(this.database);
    const workers = await liveProcesses(this.database, 'worker');
    const states = carriers.map((carrier) => ({ carrier, ...carrierState(carrier, workers) }));
    const of = (figure: (state: (typeof states)[number]) => number | undefined): Values =>
      states.flatMap((state) => {
        const value = figure(state);
        return value === undefined ? [] : [[{ carrier: state.carrier.name }, value] as const];
      });
    const label = ['carrier'];
    show(
      'heliograph_carrier_workers_bound',
      'Live workers that are bound to the carrier.',
      label,
      of(({ workersBound }) => workersBound),
    );
    show(
      'heliograph_carrier_paused',
      '1 while an operator has paused the carrier.',
      label,
      of(({ carrier }) => (carrier.paused ? 1 : 0)),
    );
    show(
      'heliograph_carrier_last_error_timestamp_seconds',
      'When a connection to the carrier last ended or failed; `smsctl carrier list` says why.',
      label,
      of(({ lastError }) => lastError && lastError.at.getTime() / 1_000),
    );
    show(
      'heliograph_carrier_queue_jobs',
      "Jobs that wait on the carrier's own queue.",
      label,
      of(({ waitingJobs }) => waitingJobs),
    );
    const names = new Map(carriers.map(({ carrierId, name }) => [carrierId, name]))
      .set(NOT_ROUTED, 'any')
      .set(SANDBOX_CARRIER_ID, SANDBOX_CARRIER_NAME);
    const backlogs = (await backlogDepths(this.database)).map(({ carrierId, accounts, messages }) => ({
      carrier: names.get(carrierId) ?? String(carrierId),
      accounts,
      messages,
    }));
    show(
      'heliograph_backlog_accounts',
      'Accounts with a backlog, by carrier; `any`: not routed yet, or free to go by every carrier; `Sandbox`: of test keys.',
      label,
      backlogs.map(({ carrier, accounts }) => [{ carrier }, accounts]),
    );
    show(
      'heliograph_backlog_messages',
      'Messages in the backlogs of accounts, by carrier.',
      label,
      backlogs.map(({ carrier, messages }) => [{ carrier }, messages]),
    );
  }

  private async showProcesses(show: ShowFigure): Promise<void> {
    show(
      'heliograph_webhook_lag_seconds',
      'For how long the oldest event waits to be sent to a webhook whose receiver answers; 0 when none waits.',
      [],
      single(await webhookLagSeconds(this.database)),
    );
    const live = await Promise.all(PROCESS_ROLES.map((role) => liveProcesses(this.database, role)));
    show(
      'heliograph_processes',
      'Processes that reported to the database in the last ten seconds.',
      ['role'],
      PROCESS_ROLES.map((role, index) => [{ role }, live[index]?.length ?? 0]),
    );
  }
}

/** Shown as 0 if there are none, so that a graph does not end. */
const OPEN_STATES = ['queued', 'sending', 'sent'] as const;

function sumOf(depths: readonly QueueDepth[]): QueueDepth {
  const sum = (key: keyof QueueDepth) => depths.reduce((total, depth) => total + depth[key], 0);
  return { interactive: sum('interactive'), bulk: sum('bulk'), delayed: sum('delayed'), active: sum('active') };
}

function labelled(name: string, counts: ReadonlyMap<string, number>): Values {
  return [...counts].map(([label, count]) => [{ [name]: label }, count]);
}
