import { type Database, type DueCarrierTest, dueCarrierTests } from '#persistence';
import type { CarrierPool } from '../carriers/carrier-pool.js';
import { type DispatchMeans, DispatchRun } from './dispatch-run.js';

/**
 * USE CASE: submits the messages with which operators test a carrier, by that carrier alone, also while it is paused or a simulator beside
 * real ones. They go out like any other, with a claim and a record; only the way to their slot is their own.
 */
export class CarrierTests {
  private readonly running = new Set<string>();
  private looking: Promise<void> | undefined;

  constructor(
    private readonly database: Database,
    private readonly carriers: Pick<CarrierPool, 'all' | 'takeTestSlot'>,
    private readonly means: DispatchMeans,
    private readonly onFault: (fault: unknown) => void,
  ) {}

  /** Submits what waits for carriers that this worker is bound to. Never rejects; one look at a time. */
  look(): void {
    this.looking ??= this.submitDue()
      .catch(this.onFault)
      .finally(() => {
        this.looking = undefined;
      });
  }

  private async submitDue(): Promise<void> {
    const bound = this.carriers.all().filter(({ state }) => state === 'bound');
    if (bound.length === 0) return;
    const due = await dueCarrierTests(
      this.database,
      bound.map(({ id }) => id),
    );
    for (const test of due) if (!this.running.has(test.id)) this.submit(test);
  }

  private submit({ id, carrierId, accountId }: DueCarrierTest): void {
    const slots = this.carriers.takeTestSlot(carrierId);
    if (slots === undefined) return;
    this.running.add(id);
    const run = new DispatchRun(this.means, accountId, 'interactive');
    this.means.inFlight.begin(accountId, 1);
    run.begin([id], slots);
    void run
      .end()
      .catch(this.onFault)
      .finally(() => this.running.delete(id));
  }
}
