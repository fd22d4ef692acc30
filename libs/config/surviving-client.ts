import pg from 'pg';

/**
 * A connection to PostgreSQL for pools of libraries. One that is lost says so twice: whoever waits for an answer gets an error, and
 * it emits `error`, which ends the process when nobody listens. Between a pool and its user there are moments, and in some libraries whole
 * statements, in which nobody does.
 */
export class SurvivingClient extends pg.Client {
  constructor(config?: string | pg.ClientConfig) {
    super(config);
    this.on('error', () => undefined);
  }
}
