import type { SubmitOutcome } from '#carrier';
import type { ClaimedOrder } from '#persistence';
import { type MessageTraces, messagingAttributes } from '#telemetry';

/** Adds the span `claim` to the trace of a sampled order. */
export function traceClaim(
  traces: MessageTraces,
  { id, epoch, waitedSeconds }: ClaimedOrder,
  carrier: string,
  startMs: number,
): void {
  if (!traces.samples(id)) return;
  const attributes = {
    ...messagingAttributes('process', id, carrier),
    'heliograph.attempt': epoch,
    ...(waitedSeconds !== null && { 'heliograph.waited_seconds': waitedSeconds }),
  };
  traces.add(id, { name: 'claim', kind: 'consumer', startMs, endMs: Date.now(), attributes });
}

/**
 * Adds the span `submit CARRIER` of one segment of a sampled order: from when it is handed to the carrier to the
 * carrier's answer.
 */
export function traceSubmit(
  traces: MessageTraces,
  { id, epoch }: ClaimedOrder,
  carrier: string,
  position: number,
  startMs: number,
  outcome: SubmitOutcome,
): void {
  if (!traces.samples(id)) return;
  const isTaken = outcome.kind === 'accepted';
  traces.add(id, {
    name: `submit ${carrier}`,
    kind: 'client',
    startMs,
    endMs: Date.now(),
    attributes: {
      ...messagingAttributes('send', id, carrier),
      'heliograph.attempt': epoch,
      'heliograph.segment': position,
      'heliograph.outcome': outcome.kind,
      ...(isTaken
        ? { 'heliograph.carrier_message_id': outcome.carrierMessageId }
        : { 'heliograph.carrier_code': outcome.code }),
    },
    failure: isTaken ? undefined : `${outcome.kind}: ${outcome.code}`,
  });
}
