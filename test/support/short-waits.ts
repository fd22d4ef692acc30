import { TEST_SECRETS_KEY } from './secrets.js';

/** Settings of a service that specs wait for. */
export const SHORT_WAITS = {
  PORT: '0',
  HOST: '127.0.0.1',
  OPERATOR_PORT: '0',
  WORKER_METRICS_PORT: '0',
  DATABASE_POOL_SIZE: '3',
  CLAIM_LEASE_SECONDS: '3',
  SWEEP_AFTER_SECONDS: '1',
  IN_DOUBT_WAIT_SECONDS: '1',
  SUBMIT_TIMEOUT_MS: '10000',
  SHUTDOWN_NOTICE_MS: '0',
  SHUTDOWN_GRACE_MS: '10000',
  LOG_LEVEL: 'silent',
  SECRETS_KEY: TEST_SECRETS_KEY,
};
