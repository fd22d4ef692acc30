/** Says every setting that is wrong, in one line. */
export class ConfigError extends Error {}
