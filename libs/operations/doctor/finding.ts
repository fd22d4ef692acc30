/** What a check found. `warn`: it works, but a person should know. */
export interface Finding {
  readonly check: string;
  readonly state: 'ok' | 'warn' | 'fail';
  readonly detail: string;
}

/** The servers that the examining process uses. */
export interface ServersInUse {
  /** DATABASE_URL, if commands go around it by DATABASE_DIRECT_URL; undefined: there is only one way. */
  readonly poolerUrl?: string | undefined;
  /** The streaming replica that the service reads from; undefined if there is none. */
  readonly replicaUrl: string | undefined;
  /** Undefined: the queue is in the database. */
  readonly redisUrl: string | undefined;
  /** Where these settings were found, for people. */
  readonly source: string;
  /** Who examines: `smsctl`, or `this gateway`. */
  readonly examiner: string;
}
