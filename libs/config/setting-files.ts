import { readFileSync } from 'node:fs';

type Given = Readonly<Record<string, string | undefined>>;

/** Settings that hold secrets: each may stand in a file instead, which NAME_FILE names. */
export const FILE_SETTINGS = [
  'OPERATOR_PASSWORD',
  'METRICS_PASSWORD',
  'DATABASE_URL',
  'DATABASE_DIRECT_URL',
  'DATABASE_REPLICA_URL',
  'REDIS_URL',
  'SECRETS_KEY',
  'OTEL_EXPORTER_OTLP_HEADERS',
] as const;
export type FileSetting = (typeof FILE_SETTINGS)[number];
/** Of smsctl alone, which is no process of the service. */
type CommandSetting = 'SMSCTL_TOKEN';

/** A setting that is given twice, or whose file cannot be read. The message names the setting, never its value. */
class SettingFileError extends Error {}

/**
 * The value of a setting, from the environment or from the file that NAME_FILE names (a Docker secret, a systemd
 * credential). The line break at the end of a file is not part of the value. Empty counts as unset.
 *
 * @throws SettingFileError when both are given, or the file cannot be read or is empty
 */
export function settingOf(environment: Given, name: FileSetting | CommandSetting): string | undefined {
  const value = environment[name] || undefined;
  const file = environment[`${name}_FILE`]?.trim() || undefined;
  if (file === undefined) return value;
  if (value !== undefined) throw new SettingFileError(`${name} and ${name}_FILE are both set: keep one of them`);
  let text: string;
  try {
    text = readFileSync(file, 'utf8').trim();
  } catch (error) {
    throw new SettingFileError(`${name}_FILE: ${file} cannot be read (${(error as NodeJS.ErrnoException).code})`);
  }
  if (text === '') throw new SettingFileError(`${name}_FILE: ${file} is empty`);
  return text;
}

/** The environment with the contents of files as values, and every fault. */
export function withSettingFiles(environment: Given): { readonly settings: Given; readonly faults: readonly string[] } {
  const settings: Record<string, string | undefined> = { ...environment };
  const faults: string[] = [];
  for (const name of FILE_SETTINGS) {
    try {
      settings[name] = settingOf(environment, name);
    } catch (error) {
      if (!(error instanceof SettingFileError)) throw error;
      faults.push(error.message);
    }
  }
  return { settings, faults };
}
