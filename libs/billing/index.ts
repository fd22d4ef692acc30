export type { OrderState, Transition, TransitionActor } from './order-state.js';
export { isLegalTransition, ORDER_STATES, TRANSITIONS } from './order-state.js';
/** `standard`: one byte a character, GSM 7-bit on the wire. `extended`: two bytes a UTF-16 code unit, UCS-2 on the wire. */
export type Encoding = 'standard' | 'extended';
