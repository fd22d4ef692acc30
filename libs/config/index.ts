export type { LogLevel } from './environment.js';
export {
  type Config,
  ConfigError,
  parseRedisUrl,
  type RedisAddress,
  type RedisPlace,
  redisUrlProblem,
  redisWords,
  requireDatabaseUrl,
  sessionDatabaseUrl,
  VERSION,
} from './light.js';
export { loadConfig, loadProcessConfig } from './load-config.js';
export { loadStartOptions, readStartOptions, type StartOptions, wantsDemo } from './start-options.js';
export { SurvivingClient } from './surviving-client.js';
export { wholeNumber } from './whole-number.js';
