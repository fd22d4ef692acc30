/**
 * What is wrong with the installation, and not with a request: a setting, a server, a clock. Its message is one line
 * that says all; a log shows no stack with it.
 */
export class InstallationError extends Error {}

/** Names every wrong setting, in one line. */
export class ConfigError extends InstallationError {}
