import { serve } from '../../harness/child.js';
import { LoadClient, type LoadJob } from './load-client.js';

let client: LoadClient | undefined;

// The client under whose eyes the faults happen.
const load = {
  /** Resolves when the first send is accepted. */
  start: (job: LoadJob): Promise<void> =>
    new Promise((flowing) => {
      client = new LoadClient(job, flowing);
      client.start();
    }),
  /** No more new sends; asks again for what is open, for so long at most. */
  finish(resolveMs: number): Promise<void> {
    if (client === undefined) throw new Error('the load has not been started');
    return client.finish(resolveMs);
  },
};
export type Load = typeof load;

serve(load);
