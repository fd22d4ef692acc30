import { InstallationError } from '#config';

/** A start that failed, for a reason that one line explains to the person at the terminal. */
export class StartupError extends InstallationError {}

/** What a start says of its failure: one line if it is about the installation, else where it is in the code. */
export function failureWords(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  // Of the operating system: a file without rights, a full disk.
  const isOfSystem = (error as NodeJS.ErrnoException).syscall !== undefined;
  return error instanceof InstallationError || isOfSystem ? error.message : (error.stack ?? error.message);
}
