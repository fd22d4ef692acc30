import { serve } from '../child.js';
import { runAutocannon } from './autocannon-run.js';
import type { FedJob, LoadJob, LoadResult, SubmitJob } from './job.js';
import { LoadRun } from './load-run.js';
import { SubmitRun } from './submit-run.js';

// It lives as long as the bench: its code is warm from the second window on.
let fed: LoadRun | undefined;

const generator = {
  run: (job: LoadJob): Promise<LoadResult> => (job.mode === 'autocannon' ? runAutocannon(job) : new LoadRun(job).run()),
  submit: (job: SubmitJob): Promise<LoadResult> => new SubmitRun(job).run(),
  startFed(job: FedJob): void {
    fed = new LoadRun({ ...job, mode: 'fed', warmupMs: 0, windowMs: 0 });
    fed.start();
  },
  grant: (requests: number): void => fed?.grant(requests),
  stopFed(): Promise<LoadResult> {
    if (fed === undefined) throw new Error('no load is fed');
    return fed.finish();
  },
};
export type Generator = typeof generator;

serve(generator);
