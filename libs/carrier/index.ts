export type { BindState, CarrierReceipt, OutboundSegment, ReceiptSink, SubmitOutcome, SubmitSlot } from './carrier.js';
export { Carrier } from './carrier.js';
