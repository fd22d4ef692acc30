import type { Behaviour } from './options.js';
import { Status } from './pdu-fields.js';
import { dropBeforeResponse, receipt, refusal, silence, type Treatment } from './treatment.js';

export function hasRandomFaults(behaviour: Behaviour): boolean {
  const { refuseRate, throttleRate, errorRate, noResponseRate, lostResponseRate, disconnectRate, failRate } = behaviour;
  return refuseRate + throttleRate + errorRate + noResponseRate + lostResponseRate + disconnectRate + failRate > 0;
}

/**
 * Draws the faults of one submit_sm. It always draws three numbers, so that the faults depend only on the seed and on
 * the position. A message without an answer is taken or lost with equal chances, because a client cannot know which.
 */
export function drawFault(behaviour: Behaviour, random: () => number): Partial<Treatment> {
  const fault = random();
  const fate = random() < 0.5 ? 'taken' : 'lost';
  const fails = random() < behaviour.failRate;

  let bound = behaviour.disconnectRate;
  if (fault < bound) return fault < bound / 3 ? { disconnect: 'after-response' } : dropBeforeResponse(fate);
  bound += behaviour.noResponseRate;
  if (fault < bound) return silence(fate);
  bound += behaviour.throttleRate;
  if (fault < bound) return refusal(Status.ESME_RTHROTTLED);
  bound += behaviour.refuseRate;
  if (fault < bound) return refusal(Status.ESME_RINVDSTADR);
  bound += behaviour.errorRate;
  if (fault < bound) return refusal(Status.ESME_RSYSERR);
  bound += behaviour.lostResponseRate;
  if (fault < bound) return silence('taken');
  return fails ? { receipts: [receipt('UNDELIV')] } : {};
}
