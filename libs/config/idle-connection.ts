/**
 * How long a pool keeps a connection to PostgreSQL that nobody uses. A new session loads catalogs, compiles functions
 * and plans its statements anew, so one that is needed now and then stays.
 */
export const IDLE_CONNECTION_MS = 300_000;
