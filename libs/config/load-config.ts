import 'reflect-metadata';
import { plainToInstance } from 'class-transformer';
import { type ValidationError, validateSync } from 'class-validator';
import { ConfigError } from './config-error.js';
import { Environment } from './environment.js';
import { isLoopback } from './listen-address.js';
import { FILE_SETTINGS, withSettingFiles } from './setting-files.js';

/** The settings of a process: validated, complete with defaults, frozen. */
export type Config = Readonly<Environment>;

/**
 * Reads and checks all settings at once, so that an operator sees every mistake in one go.
 * An empty or blank value counts as unset, because compose files and shells pass `NAME=` for "nothing".
 *
 * @throws ConfigError naming each setting and its rule
 */
export function loadConfig(environment: Readonly<Record<string, string | undefined>>): Config {
  const names = Object.keys(new Environment());
  const { settings: complete, faults } = withSettingFiles(environment);
  const given = Object.entries(complete).filter(
    ([name, value]) => value !== undefined && value.trim() !== '' && (names.includes(name) || OPTIONAL.includes(name)),
  );
  const settings = plainToInstance(Environment, Object.fromEntries(given), { exposeDefaultValues: true });
  const problems = [...faults, ...validateSync(settings).flatMap(rulesBroken)];
  for (const name of BESIDE_DATABASE) {
    if (settings[name] !== undefined && settings.DATABASE_URL === undefined)
      problems.push(`${name} needs DATABASE_URL`);
  }
  for (const name of ['WORKER_METRICS_HOST', 'WEBHOOKS_METRICS_HOST'] as const) {
    if (isLoopback(settings[name]) || settings.METRICS_PASSWORD !== undefined) continue;
    problems.push(`${name} leads beyond this machine, so it needs METRICS_PASSWORD`);
  }
  if ((settings.TLS_CERT_FILE === undefined) !== (settings.TLS_KEY_FILE === undefined)) {
    problems.push('TLS_CERT_FILE and TLS_KEY_FILE are needed together');
  }
  if (settings.SHUTDOWN_NOTICE_MS >= settings.SHUTDOWN_GRACE_MS) {
    problems.push('SHUTDOWN_NOTICE_MS must be less than SHUTDOWN_GRACE_MS');
  }
  if (problems.length > 0) throw new ConfigError(problems.join('; '));
  return Object.freeze(settings);
}

/** Of what is no number, only that: it is neither too large nor too small. */
function rulesBroken({ constraints = {} }: ValidationError): readonly string[] {
  const { isInt, isNumber, ...others } = constraints;
  const noNumber = isInt ?? isNumber;
  return noNumber === undefined ? Object.values(others) : [noNumber];
}

/** Settings without a default, which an `Environment` does not have as own properties. */
const BESIDE_DATABASE = ['DATABASE_DIRECT_URL', 'DATABASE_REPLICA_URL'] as const;
const OPTIONAL: readonly string[] = [
  'ACCOUNT_IN_FLIGHT_MAX',
  'OTEL_EXPORTER_OTLP_ENDPOINT',
  'OTEL_EXPORTER_OTLP_TIMEOUT',
  'OTEL_EXPORTER_OTLP_COMPRESSION',
  'OTEL_EXPORTER_OTLP_CERTIFICATE',
  'OTEL_EXPORTER_OTLP_PROTOCOL',
  'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT',
  'OTEL_EXPORTER_OTLP_TRACES_HEADERS',
  'OTEL_EXPORTER_OTLP_TRACES_TIMEOUT',
  'OTEL_EXPORTER_OTLP_TRACES_COMPRESSION',
  'OTEL_EXPORTER_OTLP_TRACES_CERTIFICATE',
  'OTEL_EXPORTER_OTLP_TRACES_PROTOCOL',
  'TRUSTED_PROXIES',
  'WEBHOOK_ALLOW_NETWORKS',
  'TLS_CERT_FILE',
  'TLS_KEY_FILE',
  ...FILE_SETTINGS.flatMap((name) => [name, `${name}_FILE`]),
];

/** The settings of this process: the only place that reads `process.env`. */
export function loadProcessConfig(): Config {
  return loadConfig(process.env);
}
