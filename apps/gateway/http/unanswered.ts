import { Problem } from './problem.js';

/** The database may have accepted a send, and its answer is lost. */
export function unanswered(): Problem {
  return new Problem(
    'unavailable',
    'The database did not answer in time, so it is not known whether this was accepted. Send it again with the same ' +
      'Idempotency-Key: it is accepted at most once.',
    { headers: { 'retry-after': '1' } },
  );
}
