import { InstallationError } from '#config';

/** A start that failed, for a reason that one line explains to the person at the terminal. */
export class StartupError extends InstallationError {}
