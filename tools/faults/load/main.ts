// The client under whose eyes the faults happen, in a process of its own. It talks to the harness over IPC.
import type { LoadInstruction, LoadNews } from './job.js';
import { LoadClient } from './load-client.js';

let client: LoadClient | undefined;
const tell = (news: LoadNews) => process.send?.(news);
const fail = (error: unknown) => tell({ type: 'failed', reason: error instanceof Error ? error.message : `${error}` });

process.on('message', (instruction: LoadInstruction) => {
  if (instruction.type === 'start') {
    client = new LoadClient(instruction.job, () => tell({ type: 'flowing' }));
    client.start();
    return;
  }
  client?.finish(instruction.resolveMs).then((counts) => tell({ type: 'finished', counts }), fail);
});
process.on('unhandledRejection', fail);
process.on('disconnect', () => process.exit(0));
// Ctrl-C in a terminal reaches the whole group; the harness decides when this process ends.
process.on('SIGINT', () => undefined);
