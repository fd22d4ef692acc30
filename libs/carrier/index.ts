export type {
  BindState,
  CarrierReceipt,
  DeliveryKind,
  LateOutcome,
  OutboundSegment,
  SubmitOutcome,
  SubmitSlot,
  WireFormat,
} from './carrier.js';
export { Carrier } from './carrier.js';
export { type CarrierEndpoint, carrierAdvice, parseCarrierEndpoint } from './carrier-endpoint.js';
export type { CarrierLog } from './carrier-log.js';
export type { CarrierOption } from './carrier-options.js';
export { CARRIER_OPTIONS, type CarrierRecord, createCarrier } from './create-carrier.js';
export { callbackSignature, isSignedByProvider } from './http/callback-signature.js';
export { type CallbackSubject, calledUrl } from './http/callback-url.js';
export { classifyAnswer } from './http/classify-answer.js';
export { HttpCarrier } from './http/http-carrier.js';
export { readInboundCallback } from './http/inbound-callback.js';
export type { HttpCarrierSettings } from './http/settings.js';
export { readStatusCallback } from './http/status-callback.js';
export type { InboundPart } from './inbound.js';
export {
  type CarrierReadiness,
  excludedSimulators,
  inOrder,
  READINESSES,
  type RouteEntry,
  RouteTable,
  steadyRandom,
  takesMessages,
} from './router.js';
export { SANDBOX_RECIPIENTS } from './sandbox/outcomes.js';
export { CarrierUrlError, parseCarrierUrl } from './smpp/carrier-url.js';
export { type MessageIdFormat, receiptMessageId, rereadMessageId } from './smpp/message-id.js';
export type { BindMode, DefaultAlphabet, SmppCarrierSettings } from './smpp/settings.js';
export { SmppCarrier, type SmppCarrierDependencies } from './smpp/smpp-carrier.js';
