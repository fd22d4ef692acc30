import { pino } from 'pino';
import { ConfigError, loadProcessConfig, VERSION } from '#config';
import { parseCommandLine } from './command-line.js';
import { openControl } from './control.js';
import { startSimulator } from './simulator.js';

/** The ports beside the one for SMPP, by their flags. */
let furtherPorts: Readonly<Record<string, number | undefined>> = {};

try {
  const config = loadProcessConfig();
  const defaults = { port: config.SIMULATOR_PORT, host: config.SIMULATOR_HOST };
  const { options, isQuiet, controlPort } = parseCommandLine(process.argv.slice(2), defaults);
  furtherPorts = { '--http-port': options.httpPort, '--control-port': controlPort };
  const base = { app: 'carrier-simulator', pid: process.pid };
  // Written at once: lines that still wait at the end are tried for ever when nobody reads them any more.
  const logger = pino({ level: config.LOG_LEVEL, base }, pino.destination({ dest: 1, sync: true }));
  const hidesBinds = isQuiet && logger.isLevelEnabled('info');
  const simulator = await startSimulator({
    ...options,
    logger: hidesBinds ? logger.child({}, { level: 'warn' }) : logger,
  });
  const control = controlPort === undefined ? undefined : await openControl(simulator, controlPort);
  logger.info(
    {
      version: VERSION,
      node: process.version,
      host: simulator.host,
      port: simulator.port,
      ...(simulator.httpPort !== undefined && { httpPort: simulator.httpPort }),
    },
    'listening',
  );

  let isStopping = false;
  const stop = (signal: string) => {
    if (isStopping) return;
    isStopping = true;
    control?.close();
    void simulator.close().then(() => {
      logger.info({ signal, ...simulator.counters }, 'stopped');
      process.exit(0);
    });
  };
  process.on('SIGTERM', stop);
  process.on('SIGINT', stop);
} catch (error) {
  process.stderr.write(`carrier-simulator: ${explain(error)}\n`);
  process.exit(1);
}

function explain(error: unknown): string {
  if (error instanceof ConfigError) return error.message;
  const { code, address, port, message } = error as NodeJS.ErrnoException & { address?: string; port?: number };
  if (code === 'EADDRINUSE') {
    const [flag = '--port'] = Object.entries(furtherPorts).find(([, given]) => given === port) ?? [];
    return `port ${port} on ${address} is already in use; choose another with ${flag}`;
  }
  return message;
}
