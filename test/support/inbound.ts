import { createHash, randomUUID } from 'node:crypto';
import type { InboundDelivery } from '../../libs/persistence/inbound/store-inbound.js';

/** A delivery from a handset, as an SMPP carrier's adapter reads it; by default from a connection of its own. */
export function inboundDelivery(changes: Partial<InboundDelivery> = {}): InboundDelivery {
  const delivery = {
    source: '46700100200',
    destination: '12345',
    text: 'Thank you',
    part: undefined,
    isNumbered: false,
    connection: randomUUID(),
    mayRepeat: false,
    ...changes,
  };
  const { source, destination, text, part } = delivery;
  const octets = JSON.stringify([source, destination, text, part]);
  return { fingerprint: createHash('sha256').update(octets).digest(), ...delivery };
}
