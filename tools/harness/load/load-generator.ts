import { Child } from '../child.js';
import type { FedJob, LoadJob, LoadResult, SubmitJob } from './job.js';
import { WAIT_FOR_ANSWERS_MS } from './load-run.js';
import type { Generator } from './main.js';

/** Over what a job takes by itself: connecting, sorting, the last responses. */
const SLACK_MS = 30_000;

/** The load generator's process. One job at a time. */
export class LoadGenerator {
  private readonly child = new Child<Generator>(new URL('./main.js', import.meta.url));

  get pid(): number {
    return this.child.pid;
  }

  /** Runs a closed or open job to its end. */
  run(job: LoadJob): Promise<LoadResult> {
    return this.child.ask('run', job.warmupMs + job.windowMs + 3 * WAIT_FOR_ANSWERS_MS + SLACK_MS, job);
  }

  /** Runs a load of submit_sm to its end. */
  submit(job: SubmitJob): Promise<LoadResult> {
    return this.child.ask('submit', job.warmupMs + job.windowMs + SLACK_MS, job);
  }

  /** Starts a fed job; it sends nothing before the first grant. What goes wrong shows when it is stopped. */
  startFed(job: FedJob): void {
    this.child.ask('startFed', SLACK_MS, job).catch(() => undefined);
  }

  grant(requests: number): void {
    if (requests > 0) this.child.ask('grant', SLACK_MS, requests).catch(() => undefined);
  }

  stopFed(): Promise<LoadResult> {
    return this.child.ask('stopFed', SLACK_MS);
  }

  close(): Promise<void> {
    return this.child.close();
  }
}
