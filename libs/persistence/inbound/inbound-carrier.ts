import type { StoredCarrier } from '../carriers/carrier-settings.js';
import type { InboundCarrier } from './store-inbound.js';

/** What decides which accounts a message by this carrier may answer. */
export function inboundCarrier(
  { carrierId, options }: Pick<StoredCarrier, 'carrierId' | 'options'>,
  defaultSender: string,
): InboundCarrier {
  const { sender, fixedSender } = options;
  return {
    carrierId,
    sender: typeof sender === 'string' ? sender : defaultSender,
    isSenderFixed: fixedSender === true,
  };
}
