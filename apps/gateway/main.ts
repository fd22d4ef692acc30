// The gateway: takes messages over HTTP, charges and stores them, puts them on queues, and reports on accounts.
import { runProcess } from '#telemetry';
import { startGateway } from './start-gateway.js';

await runProcess('gateway', async (config, log) => {
  const gateway = await startGateway(config, log);
  log.info({ port: gateway.port, operatorPort: gateway.operatorPort }, 'gateway ready');
  return () => gateway.close();
});
