export { isDecodable } from './decodable.js';
export type { LogLevel } from './environment.js';
export {
  bareHost,
  type Config,
  ConfigError,
  encryptsTexts,
  FILE_SETTINGS,
  type FileSetting,
  IDLE_CONNECTION_MS,
  InstallationError,
  makeSecretsKey,
  oneLine,
  type ProcessDetails,
  parseRedisUrl,
  parseSecretsKeys,
  queuePlace,
  queueSetting,
  type RedisPlace,
  redisUrlProblem,
  redisWords,
  requireDatabaseUrl,
  secretsKeysOf,
  sessionDatabaseUrl,
  settingOf,
  shellWord,
  VERSION,
} from './light.js';
export { isLoopback, type Listener, listenFault, reachableAddress } from './listen-address.js';
export { loadConfig, loadProcessConfig } from './load-config.js';
export { type OtlpTarget, otlpTarget } from './otlp-target.js';
export { processDetails } from './process-details.js';
export { PROCESS_SETTINGS, processEnvironment, type ServiceProcessName } from './process-settings.js';
export { loadStartOptions, readStartOptions, wantsDemo } from './start-options.js';
export { SurvivingClient } from './surviving-client.js';
export { wholeNumber } from './whole-number.js';
