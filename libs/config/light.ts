/**
 * The second door of this lib, `#config/light`: everything that needs no settings, and so not their validation, which
 * takes 0.3 s to load. It loads no package; `smsctl`, and the parts of other libs that it uses, enter here.
 */
export { bareHost } from './bare-host.js';
export { ConfigError, InstallationError } from './config-error.js';
export { DATABASE_URL_FORM } from './database-url-form.js';
export { requireDatabaseUrl, sessionDatabaseUrl } from './database-urls.js';
export { IDLE_CONNECTION_MS } from './idle-connection.js';
export { isLoopback } from './listen-address.js';
export type { Config } from './load-config.js';
export { isNetwork } from './networks.js';
export { oneLine } from './one-line.js';
export type { ProcessDetails } from './process-details.js';
export { queuePlace, queueSetting } from './queue-place.js';
export type { RedisAddress, RedisPlace } from './redis-url.js';
export { parseRedisUrl, redisUrlProblem, redisWords } from './redis-url.js';
export { encryptsTexts, makeSecretsKey, parseSecretsKeys, secretsKeysOf } from './secrets-key.js';
export { SENDER_FORM, SENDER_WORDS } from './sender-form.js';
export { FILE_SETTINGS, type FileSetting, settingOf } from './setting-files.js';
export { shellWord } from './shell-word.js';
export { VERSION } from './version.js';
