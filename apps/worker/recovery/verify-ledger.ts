import { Inject, Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { type Config, requireDatabaseUrl } from '#config';
import { Database, verifyLedgerIfDue } from '#persistence';
import type { Logger } from '#telemetry';
import { PeriodicWork } from '#timing';
import { CONFIG, LOG } from '../injected.js';

/** How often a worker asks again whether a verification is due: so late may one begin. */
const ASK_EVERY_MS = 60_000;
/** A verification that takes longer is given up: its snapshot keeps vacuum from its work. */
const WITHIN_MAX_MS = 600_000;

/**
 * USE CASE: verifies the ledger again and again, so that a drift shows as a metric, and not on the day when somebody
 * happens to ask. Every worker runs it; the database lets one begin in LEDGER_VERIFY_SECONDS.
 */
@Injectable()
export class VerifyLedger implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly rounds: PeriodicWork;
  private connection: Database | undefined;
  private isStopped = false;

  constructor(
    private readonly database: Database,
    @Inject(CONFIG) private readonly config: Config,
    @Inject(LOG) private readonly log: Logger,
  ) {
    this.rounds = new PeriodicWork(
      Math.min(ASK_EVERY_MS, config.LEDGER_VERIFY_SECONDS * 1_000),
      () => this.verify(),
      (error) => {
        if (!this.isStopped) log.warn({ err: error }, 'could not verify the ledger; trying again when it is due');
      },
    );
  }

  /** Asks at once: a new service has next to nothing to verify yet, a minute later perhaps a full load. */
  onApplicationBootstrap(): void {
    if (this.config.LEDGER_VERIFY_SECONDS > 0) this.rounds.start(0);
  }

  /** Gives up a verification that runs: it changes nothing but its own result. */
  async onApplicationShutdown(): Promise<void> {
    this.isStopped = true;
    await this.connection?.close();
    await this.rounds.stop();
  }

  private async verify(): Promise<undefined> {
    const everySeconds = this.config.LEDGER_VERIFY_SECONDS;
    const withinMs = Math.min(WITHIN_MAX_MS, everySeconds * 500);
    const report = await verifyLedgerIfDue(this.database, () => this.connect(withinMs), everySeconds, withinMs);
    if (report === undefined || report.isClean) return;
    const broken = report.checks.filter(({ offenders }) => offenders > 0).map(({ name }) => name);
    this.log.error({ checks: broken }, 'the ledger is not clean: run `smsctl ledger verify`');
  }

  /** A connection of its own: those of the pool give up after seconds. */
  private async connect(statementTimeoutMs: number): Promise<Database> {
    const url = requireDatabaseUrl(this.config);
    this.connection = await Database.openSingle({ url, applicationName: 'heliograph-ledger', statementTimeoutMs });
    return this.connection;
  }
}
