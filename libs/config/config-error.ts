/** Names every wrong setting, in one line. */
export class ConfigError extends Error {}
