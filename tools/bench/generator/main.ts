import { runAutocannon } from './autocannon-run.js';
import type { Answer, Instruction, LoadJob, LoadResult } from './job.js';
import { LoadRun } from './load-run.js';
import { SubmitRun } from './submit-run.js';

// A process of its own, so that producing load never shares an event loop with anything that is measured. It lives as
// long as the bench: its code is warm from the second window on.
let fed: LoadRun | undefined;

process.on('message', (instruction: Instruction) => {
  switch (instruction.type) {
    case 'run':
      if (instruction.job.mode === 'fed') {
        fed = new LoadRun(instruction.job);
        fed.start();
      } else {
        void reply(closed(instruction.job));
      }
      return;
    case 'submit':
      void reply(new SubmitRun(instruction.job).run());
      return;
    case 'grant':
      fed?.grant(instruction.requests);
      return;
    case 'stop':
      if (fed !== undefined) void reply(fed.finish());
      fed = undefined;
      return;
  }
});
process.on('disconnect', () => process.exit(0));
// Ctrl-C in a terminal reaches the whole group; the bench decides when this process ends.
process.on('SIGINT', () => undefined);

function closed(job: LoadJob) {
  return job.mode === 'autocannon' ? runAutocannon(job) : new LoadRun(job).run();
}

async function reply(work: Promise<LoadResult>): Promise<void> {
  const answer: Answer = await work.then(
    (result) => ({ type: 'done', result }),
    (error: unknown) => ({ type: 'failed', reason: error instanceof Error ? error.message : String(error) }),
  );
  process.send?.(answer);
}
