import { ConfigError } from './config-error.js';

/** The options of `npm start`. */
interface StartOptions {
  /** Whether to add the demo account and the carrier simulator; undefined: with the bundled servers only. */
  readonly demo: boolean | undefined;
}

/**
 * Reads `npm start -- --demo`. npm 11 does not pass on `npm start --demo` but sets a variable. The variable counts as
 * well, because a flag without an effect would surprise.
 *
 * @throws ConfigError naming what is not known
 */
export function readStartOptions(
  args: readonly string[],
  environment: Readonly<Record<string, string | undefined>>,
): StartOptions {
  const unknown = args.filter((arg) => arg !== '--demo' && arg !== '--no-demo');
  if (unknown.length > 0) throw new ConfigError(`there is no option ${unknown.join(' ')}: use --demo or --no-demo`);
  const last =
    args.at(-1) ?? { true: '--demo', '': '--no-demo', false: '--no-demo' }[environment.npm_config_demo ?? '-'];
  return { demo: last === undefined ? undefined : last === '--demo' };
}

export function loadStartOptions(): StartOptions {
  return readStartOptions(process.argv.slice(2), process.env);
}

/** Whether this start adds a demo. An operator's own servers never get one by accident. */
export function wantsDemo(
  { demo }: StartOptions,
  config: { readonly DATABASE_URL?: string | undefined; readonly REDIS_URL?: string | undefined },
): boolean {
  return demo ?? (config.DATABASE_URL === undefined && config.REDIS_URL === undefined);
}
