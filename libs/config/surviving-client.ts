import pg from 'pg';

/**
 * A connection to PostgreSQL for the pools of libraries. A lost connection is reported twice: the waiting caller gets
 * an error, and the client emits `error`, which ends the process if nobody listens. Between a pool and its user there
 * are moments without a listener, and in some libraries whole statements. This client always listens.
 */
export class SurvivingClient extends pg.Client {
  constructor(config?: string | pg.ClientConfig) {
    super(config);
    this.on('error', () => undefined);
  }
}
