/** The queue of a carrier. It has the carrier's name in it, so that a board says what waits where. */
export function carrierQueueName(carrier: string): string {
  return `carrier-${carrier}`;
}

/** The queue whose jobs wake the feeder of a worker: accounts have backlogs. */
export const FEEDER_QUEUE = 'feeder';
