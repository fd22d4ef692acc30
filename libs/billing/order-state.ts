/** The values of `external_status`. */
export const ORDER_STATES = ['queued', 'sending', 'sent', 'delivered', 'undelivered', 'failed', 'unknown'] as const;
export type OrderState = (typeof ORDER_STATES)[number];

/**
 * Who changes the state of an order: the gateway accepts, a worker dispatches, a receipt settles, the reconciler
 * processes overdue orders, and an operator decides about held ones.
 */
export type TransitionActor = 'gateway' | 'worker' | 'receipt' | 'reconciler' | 'operator';

export interface Transition {
  readonly from: OrderState;
  readonly to: OrderState;
  readonly actors: readonly TransitionActor[];
  /** What happens to the reservation in the same transaction. */
  readonly money: 'none' | 'capture' | 'release';
}

/**
 * Every legal change of state after acceptance. The code, the database's own check on recorded transitions, the
 * documentation and the tests come from this table; what is not in it cannot be committed.
 */
export const TRANSITIONS: readonly Transition[] = [
  { from: 'queued', to: 'sending', actors: ['worker', 'receipt', 'operator'], money: 'none' },
  { from: 'queued', to: 'sent', actors: ['receipt', 'worker'], money: 'capture' },
  { from: 'queued', to: 'failed', actors: ['worker', 'reconciler', 'operator'], money: 'release' },
  { from: 'sending', to: 'sent', actors: ['worker', 'receipt'], money: 'capture' },
  { from: 'sending', to: 'queued', actors: ['worker', 'reconciler', 'operator'], money: 'none' },
  { from: 'sending', to: 'failed', actors: ['worker', 'reconciler', 'operator'], money: 'release' },
  { from: 'sending', to: 'unknown', actors: ['reconciler', 'operator'], money: 'capture' },
  { from: 'sent', to: 'delivered', actors: ['receipt', 'worker'], money: 'none' },
  { from: 'sent', to: 'undelivered', actors: ['receipt', 'worker'], money: 'none' },
  { from: 'sent', to: 'unknown', actors: ['reconciler'], money: 'none' },
  { from: 'unknown', to: 'delivered', actors: ['receipt'], money: 'none' },
  { from: 'unknown', to: 'undelivered', actors: ['receipt'], money: 'none' },
  { from: 'undelivered', to: 'delivered', actors: ['receipt'], money: 'none' },
];

/** Whether an order may go from one state to another. */
export function isLegalTransition(from: OrderState, to: OrderState): boolean {
  return TRANSITIONS.some((transition) => transition.from === from && transition.to === to);
}
