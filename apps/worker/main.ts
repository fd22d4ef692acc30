// A worker: takes announced orders, submits them to the carriers, stores receipts, and keeps the deadlines of all orders.
import { runProcess } from '#telemetry';
import { startWorker } from './start-worker.js';

await runProcess('worker', async (config, log) => {
  const worker = await startWorker(config, log);
  log.info({ workerId: worker.workerId }, 'worker ready');
  return () => worker.close();
});
