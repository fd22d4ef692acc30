import { acknowledgedIsStored, clientsSawNoMore, everySendWasAnswered, onceForEachKey } from './accepted.js';
import {
  acknowledgedReceiptsAreKept,
  duplicatesAreBounded,
  everySegmentReachedTheCarrier,
  everythingTakenIsStored,
  nothingIsOpen,
  onlyLegalTransitions,
} from './delivery.js';
import { batchesAreTold, clientsAreTold } from './events.js';
import type { Bounds, Evidence, Violation } from './evidence.js';
import { Indexes } from './indexes.js';
import { balancesFollowFromHistory, capturedIsWhatTheCarrierTook } from './money.js';
import { statesFollowFromReceipts } from './receipts.js';
import { billedIsWhatWentOut } from './wire.js';
import { canceledStaysHere, nothingGoesEarly, optOutsAreObeyed } from './wishes.js';

/** Judges a run by what was seen from outside and what the database says. */
export function check(evidence: Evidence, bounds: Bounds): Violation[] {
  const indexes = new Indexes(evidence);
  return [
    ...acknowledgedIsStored(indexes),
    ...onceForEachKey(indexes),
    ...everySegmentReachedTheCarrier(indexes),
    ...everythingTakenIsStored(indexes),
    ...billedIsWhatWentOut(indexes),
    ...duplicatesAreBounded(indexes, bounds),
    ...balancesFollowFromHistory(indexes),
    ...capturedIsWhatTheCarrierTook(indexes),
    ...onlyLegalTransitions(indexes),
    ...nothingIsOpen(indexes),
    ...canceledStaysHere(indexes),
    ...nothingGoesEarly(indexes),
    ...optOutsAreObeyed(indexes),
    ...clientsAreTold(indexes),
    ...batchesAreTold(indexes),
    ...(bounds.hasReceiptMix ? statesFollowFromReceipts(indexes) : acknowledgedReceiptsAreKept(indexes)),
    ...everySendWasAnswered(indexes, bounds),
    ...clientsSawNoMore(indexes, bounds),
  ];
}
