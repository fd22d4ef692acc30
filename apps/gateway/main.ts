// The gateway: takes messages over HTTP, charges and stores them, puts them on queues, and reports on accounts.
import { lowerPriority, runProcess } from '#telemetry';
import { startGateway } from './start-gateway.js';

await runProcess('gateway', async (config, log) => {
  // Each commit wakes PostgreSQL several times; on a shared machine it would wait for the gateway's time slice to end.
  void lowerPriority(config.GATEWAY_NICENESS);
  const gateway = await startGateway(config, log);
  log.info({ port: gateway.port, operatorPort: gateway.operatorPort }, 'gateway ready');
  return () => gateway.close();
});
