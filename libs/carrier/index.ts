export type {
  BindState,
  CarrierDependencies,
  CarrierReceipt,
  LateOutcome,
  OutboundSegment,
  ReceiptSink,
  SubmitOutcome,
  SubmitSlot,
} from './carrier.js';
export { Carrier } from './carrier.js';
export type { CarrierLog } from './carrier-log.js';
export type { CarrierOption } from './carrier-options.js';
export { CARRIER_OPTIONS, type CarrierDefaults, type CarrierRecord, createCarrier } from './create-carrier.js';
export type { DefaultAlphabet } from './smpp/alphabet.js';
export { CarrierUrlError, parseCarrierUrl, type SmppEndpoint } from './smpp/carrier-url.js';
export type { DeliveryKind } from './smpp/deliveries.js';
export type { MessageIdFormat } from './smpp/message-id.js';
export type { BindRole } from './smpp/session-dependencies.js';
export { type BindMode, SMPP_DEFAULTS, type SmppCarrierSettings } from './smpp/settings.js';
export { createSmppCarrier, SmppCarrier, type SmppCarrierDependencies } from './smpp/smpp-carrier.js';
