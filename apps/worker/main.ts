// A worker: takes orders from the queues, submits them to the carriers, stores receipts, and keeps all deadlines.
import { lowerPriority, runProcess } from '#telemetry';
import { startWorker } from './start-worker.js';

await runProcess('worker', async (config, log) => {
  // On a machine that is shared, accepting goes first: what is accepted is durable and can wait, a client cannot.
  void lowerPriority(config.WORKER_NICENESS);
  const worker = await startWorker(config, log);
  log.info({ workerId: worker.workerId, metricsPort: worker.metricsPort }, 'worker ready');
  return () => worker.close();
});
