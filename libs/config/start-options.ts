import { ConfigError } from './config-error.js';

/** What `npm start` is told on its command line. */
export interface StartOptions {
  /** Whether to add the demo account and the carrier simulator; undefined: with the bundled servers only. */
  readonly demo: boolean | undefined;
}

/**
 * Reads `npm start -- --demo`. npm 11 does not hand `npm start --demo` on: it says it by a variable, which counts as well,
 * because a flag that is ignored would surprise.
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

/** The options of this process. */
export function loadStartOptions(): StartOptions {
  return readStartOptions(process.argv.slice(2), process.env);
}

/** Whether this start is to have a demo: an operator's own servers get none by accident. */
export function wantsDemo(
  { demo }: StartOptions,
  config: { readonly DATABASE_URL?: string | undefined; readonly REDIS_URL?: string | undefined },
): boolean {
  return demo ?? (config.DATABASE_URL === undefined && config.REDIS_URL === undefined);
}
