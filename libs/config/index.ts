export type { LogLevel } from './environment.js';
export {
  type Config,
  ConfigError,
  loadConfig,
  loadProcessConfig,
  requireDatabaseUrl,
  sessionDatabaseUrl,
} from './load-config.js';
export type { RedisAddress, RedisPlace } from './redis-url.js';
export { parseRedisUrl, redisUrlProblem, redisWords } from './redis-url.js';
export { SurvivingClient } from './surviving-client.js';
export { VERSION } from './version.js';
export { wholeNumber } from './whole-number.js';
