import { withinMs } from '#timing';

/** If a call takes longer, nobody knows whether the queue did it. That does no harm: a job is only a hint. */
const ANSWER_MAX_MS = 2_000;

/**
 * The answer of the queue. BullMQ waits for its connection without a bound; a caller must not, because a reconciler
 * that hangs keeps no deadlines.
 *
 * @throws NoAnswerInTime when there is none in time
 */
export function answered<Result>(call: Promise<Result>): Promise<Result> {
  return withinMs(call, ANSWER_MAX_MS);
}
