export type { LogLevel } from './environment.js';
export { type Config, ConfigError, loadConfig, loadProcessConfig, requireDatabaseUrl } from './load-config.js';
