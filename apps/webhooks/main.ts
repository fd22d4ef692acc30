// Delivers the events of webhooks to clients.
import { lowerPriority, runProcess } from '#telemetry';
import { startWebhooks } from './start-webhooks.js';

await runProcess('webhooks', async (config, log) => {
  // On a machine that is shared, messages go first: events are durable and can wait.
  void lowerPriority(config.WEBHOOKS_NICENESS);
  const webhooks = await startWebhooks(config, log);
  log.info({ processId: webhooks.processId, metricsPort: webhooks.metricsPort }, 'webhooks ready');
  return () => webhooks.close();
});
